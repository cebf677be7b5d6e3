"""What is gated: papers, systems, summaries, labels and raw thresholds, checked line by line."""

from __future__ import annotations

from summeval_pytest.suite.label_file import label_lines, label_text, read_label_file
from summeval_pytest.suite.labelling import (
    LabelBook,
    LabelQuestion,
    What,
    pairs_to_label,
    questions_of,
)
from summeval_pytest.suite.labels import (
    EvidenceLabel,
    FactLabel,
    FactLabels,
    Label,
    SentenceLabel,
)
from summeval_pytest.suite.marking import Item, ItemKind, Marking, markings_of
from summeval_pytest.suite.names import ALL_PAPERS, JUDGE, RESERVED_SYSTEMS, check_name
from summeval_pytest.suite.recorded import Recorded
from summeval_pytest.suite.role_labels import RoleLabel
from summeval_pytest.suite.scholarsum import ImportReport, import_scholarsum
from summeval_pytest.suite.suite import Suite, load_suite
from summeval_pytest.suite.suite_file import (
    BASELINES_NAME,
    SUITE_NAME,
    find_suite_file,
    is_suite_name,
)
from summeval_pytest.suite.testpaths import (
    Configuration,
    find_configuration,
    read_configuration,
    suites_beneath,
)
from summeval_pytest.suite.values import (
    BUILT_IN_ENDPOINTS,
    PROMPTS,
    SOURCE_MARK,
    EndpointSpec,
    Flaw,
    JudgeSpec,
    Pair,
    Paper,
    RecordedSpec,
    Section,
    Setting,
    SystemSpec,
    Waiver,
)
from summeval_pytest.suite.variants import EvaVariant, References, Variants

__all__ = [
    "ALL_PAPERS",
    "BASELINES_NAME",
    "BUILT_IN_ENDPOINTS",
    "JUDGE",
    "PROMPTS",
    "RESERVED_SYSTEMS",
    "SOURCE_MARK",
    "SUITE_NAME",
    "Configuration",
    "EndpointSpec",
    "EvaVariant",
    "EvidenceLabel",
    "FactLabel",
    "FactLabels",
    "Flaw",
    "ImportReport",
    "Item",
    "ItemKind",
    "JudgeSpec",
    "Label",
    "LabelBook",
    "LabelQuestion",
    "Marking",
    "Pair",
    "Paper",
    "Recorded",
    "RecordedSpec",
    "References",
    "RoleLabel",
    "Section",
    "SentenceLabel",
    "Setting",
    "Suite",
    "SystemSpec",
    "Variants",
    "Waiver",
    "What",
    "check_name",
    "find_configuration",
    "find_suite_file",
    "import_scholarsum",
    "is_suite_name",
    "label_lines",
    "label_text",
    "load_suite",
    "markings_of",
    "pairs_to_label",
    "questions_of",
    "read_configuration",
    "read_label_file",
    "suites_beneath",
]
