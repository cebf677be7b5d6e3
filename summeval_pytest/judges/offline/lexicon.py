"""The words that the embedded judge knows by meaning: roles, directions, negations, null findings.

All of it is general scientific English; nothing is keyed to a field.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import stem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.questions import Facet


def _pattern(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives.split(';'))})", re.IGNORECASE)


HEADINGS: Final[Mapping[Facet, re.Pattern[str]]] = MappingProxyType(
    {
        "background": re.compile(
            r"\A(?:background|introduction|objectives?|aims?|purpose|context|motivation|importance"
            r"|rationale|hypothesis|problem|backgrounds? and (?:aims?|objectives?|purpose)"
            r"|introduction and objectives?|(?:study )?objectives?)\s*[.:]",
            re.IGNORECASE,
        ),
        "method": re.compile(
            r"\A(?:materials?(?: and |/|, )methods?|patients? and methods?|subjects? and methods?"
            r"|methods?(?: and materials?)?|methodology|(?:study )?design|setting|participants"
            r"|interventions?|data sources?|study selection|(?:main )?outcome measures?|approach"
            r"|experimental(?: design)?|case (?:report|presentation|description))\s*[.:]",
            re.IGNORECASE,
        ),
        "result": re.compile(
            r"\A(?:(?:main )?results?|findings|observations|data synthesis|measurements and main"
            r" results|results? and discussions?)\s*[.:]",
            re.IGNORECASE,
        ),
        "conclusion": re.compile(
            r"\A(?:conclusions?|discussions?|interpretation|significance|implications?|limitations?"
            r"|discussions? and conclusions?|(?:conclusion|summary)s?(?: and (?:relevance|outlook))?)"
            r"\s*[.:]",
            re.IGNORECASE,
        ),
    }
)
"""Labels with which structured abstracts open a facet."""

CUES: Final[Mapping[Facet, tuple[tuple[re.Pattern[str], float], ...]]] = MappingProxyType(
    {
        "background": (
            (
                _pattern(
                    r"aims?\b;aimed;objectives?\b;purpose\b;goals?\b;hypothes[ie]s;we (?:asked|sought"
                    r"|tested whether|hypothesi[sz]e);to (?:investigate|determine|evaluate|assess"
                    r"|examine|explore|test whether|find out|compare|clarify)\b;whether\b"
                    r";(?:this|the present|our) (?:paper|article|study|work|trial)"
                    r" (?:aim|ask|examin|investigat|address|explor|present|introduc|describ|report"
                    r"|deal|focus|evaluat|assess|test|sought|was)"
                ),
                1.3,
            ),
            (
                _pattern(
                    r"(?:remain|is|are) (?:still |largely |poorly )?(?:unclear|unknown|un(?:der)?studied"
                    r"|understood|debated|controversial|a challenge|lacking);little is known"
                    r";(?:has|have) (?:long |often |recently )?been;(?:is|are) (?:a |an |the |one of the )?"
                    r"(?:\w+ ){0,2}(?:common|major|important|leading|widely|known|thought|believed|essential"
                    r"|frequent|often|typically|usually|increasingly|prevalent|rare);despite\b;previous"
                    r" (?:stud|work|research);recent(?:ly| years)\b;traditionally\b;commonly\b;worldwide\b"
                ),
                1.0,
            ),
        ),
        "method": (
            (
                _pattern(
                    r"(?:was|were|are|is) (?:\w+ly )?(?:recruited|randomi[sz]ed|enrolled|included|collected"
                    r"|measured|assessed|treated|divided|incubated|analy[sz]ed|obtained|performed|assigned"
                    r"|allocated|given|exposed|administered|evaluated|examined|selected|identified|extracted"
                    r"|conducted|trained|replayed|fitted|surveyed|sampled|interviewed|prepared|grown|followed"
                    r"|used|carried out|calculated|recorded|implanted|injected|asked|judged|monitored"
                    r"|compared|applied|tested|studied|determined|reviewed|scanned|computed|derived)\b"
                ),
                1.2,
            ),
            (
                _pattern(
                    r"we (?:use|used|measure|measured|recruit|collect|perform|train|analy[sz]e|compare|compared"
                    r"|conduct|propose|develop|present|surveyed|followed|assembled|linked|replayed|fit|apply"
                    r"|combine|extend|design|built|implement|simulate|annotated|sampled|randomi)\w*"
                    r";using\b;randomi[sz]ed;double-blind;placebo-controlled;retrospective;prospective"
                    r";cross-sectional;cohort of;questionnaire;interviews?\b;(?:data|samples) (?:from|of)\b"
                    r";n ?= ?\d;aged\b;primary (?:outcome|endpoint);regression (?:model|analys);simulations? (?:of|with)"
                    r";spectromet;assay;(?:control|comparison) group;consisted of;by means of;data ?sets?\b"
                ),
                0.9,
            ),
        ),
        "result": (
            (
                _pattern(
                    r"p ?[<=>] ?0?\.\d;95 ?%;confidence interval;\bci\b;odds ratio;hazard ratio;relative risk"
                    r";significant(?:ly)?\b;respectively\b;compared (?:with|to)\b;vs\.?\b;versus\b"
                    r";did not differ;no (?:significant )?differences?;(?:was|were) (?:not )?(?:\w+ly )?"
                    r"(?:higher|lower|greater|smaller|longer|shorter|associated|correlated|observed|found"
                    r"|detected|similar|comparable|unchanged|seen|noted|more|less|fewer|better|worse|faster|slower)"
                ),
                1.2,
            ),
            (
                _pattern(
                    r"(?:showed|shows|found|revealed|demonstrated|yielded|exhibited|increased|decreased|reduced"
                    r"|improved|rose|fell|dropped|declined|outperform\w*|achiev\w+|reach\w+|exceed\w*|climbed"
                    r"|developed|occurred|retained|remained|correlat\w+|ranged|caused|led to|resulted in|raised"
                    r"|lowered|differed|affected|reproduced|matched|cut|grew|slowed|accelerated|widened|gained)\b"
                    r";(?:results|analysis) (?:show|reveal|indicate);we (?:found|observe|find|show)"
                    r";mean\b;median\b;per ?cent\b;percentage points?\b;\d ?%"
                ),
                0.7,
            ),
        ),
        "conclusion": (
            (
                _pattern(
                    r"conclu(?:de|sion);in summary\b;taken together\b;(?:these|our|the|its) (?:findings|results|data|study"
                    r"|observations|work)(?: \w+)? (?:suggest|indicate|support|highlight|imply|demonstrat|provide|confirm|show"
                    r"|underscore|cannot|may|should|could|point|argue|do not|hold|are limited);suggest(?:s|ing)? (?:that\b|a\b)"
                    r";we (?:suggest|recommend|believe|propose that|argue);further (?:research|stud|work|trial|investigation)"
                    r";future (?:research|stud|work|trial);(?:is|are) (?:needed|required|warranted|necessary)\b"
                    r";limitations?\b;limited by\b;generali[sz]\w+;implications?\b;follow-up is needed"
                ),
                1.5,
            ),
            (
                _pattern(
                    r"may\b;might\b;should\b;could\b;can be\b;cannot\b;thus\b;therefore\b;hence\b;appears? to"
                    r";seems? to;potential(?:ly)?\b;promising\b;caution;support(?:s|ing)? the;warrant;highlight"
                    r";important to;unlikely;only (?:one|a single|two);not (?:apply|extend|be (?:excluded|ruled out))"
                    r";remains? (?:to be|untested|open);provides? (?:a|an|new)\b;useful\b;practice\b;rather than\b"
                ),
                0.7,
            ),
        ),
    }
)
"""Phrases that speak for a facet, with the weight of each group."""

_UP = (
    "increase increases increased increasing rise rises rose risen rising raise raised raises raising grow grew grown growth"
    " climb climbed gain gained higher highest greater more larger fastest longer faster stronger better improve improved improvement"
    " improves elevated enhance enhanced enhances accelerate accelerated accelerates accelerating upward upwards"
    " double doubled quicker above exceed exceeded exceeds outperform outperformed surpassed"
    " sooner earlier hasten hastened speed sped lengthened strengthen strengthens strengthened prolonged"
    " positive positively advance advanced expand expanded thicken thickened superior benefit benefits"
)
_DOWN = (
    "decrease decreases decreased decreasing reduce reduces reduced reducing reduction fall falls fell fallen falling drop"
    " drops dropped dropping decline declines declined declining lower lowered lowers lowering less fewer smaller shorter"
    " slower slowest lowest weaker worse save saved saves saving savings worsen worsened diminish diminished shrink shrank shrunk slow slowed slows slowing decelerate"
    " decelerated downward downwards halved below impaired attenuated loss lost"
    " later delay delayed delays delaying suppressed shortened weaken weakened weakens cut cuts negative negatively inferior"
    " thinned poorer harm harms"
)
DIRECTIONS: Final[Mapping[str, int]] = MappingProxyType(
    {stem(word): 1 for word in _UP.split()} | {stem(word): -1 for word in _DOWN.split()}
)
"""Stems that say which way a quantity goes: +1 up, -1 down."""

NULL_FINDING: Final = _pattern(
    r"no (?:\w+ ){0,2}(?:difference|effect|change|association|correlation|improvement|benefit|evidence|gain"
    r"|impact|relation|influence|more|less|better|worse|higher|lower|fewer|reliabl)\w*"
    r";(?:did|do|does|was|were|could) not\b;(?:didn|doesn|wasn|weren|isn|aren|couldn|hadn)['\u2019]t"
    r";not (?:\w+ )?(?:significant|differ|different|affect|change|associated|correlate)\w*;non-?significant;unchanged\b"
    r";unaffected\b;unaltered\b;indifferent\b;similar (?:in|between|across|for|to)\b;comparable (?:in|between|across|for|to)\b"
    r";neither\b;nor\b;without (?:a |any )?(?:\w+ )?(?:change|effect|difference|loss)\w*;indistinguishable\b;flat\b"
    r";failed to\b;cannot be told apart;not be told apart;equal(?:ly)? (?:in|between|across|for)\b;none of\b;unable to\b;lack of\b"
    r";same (?:in|for) both\b;insensitive\b"
)
"""Phrases by which a finding is denied."""

DENIED_DIFFERENCE: Final = _pattern(
    r"no (?:\w+ ){0,2}(?:difference|effect|change|association|correlation|improvement|benefit|gain|impact|influence)\w*"
    r";not (?:\w+ )?(?:significant|differ|different|affect|change|associated|correlate)\w*;non-?significant;unchanged\b"
    r";unaffected\b;unaltered\b;indifferent\b;altered neither\b;neither altered\b"
)
"""Phrases that deny a difference or an effect outright."""

ASSERTED_DIFFERENCE: Final = _pattern(
    r"significant(?:ly)?\b;(?:clear|marked|strong|substantial|large|major|notable) (?:effect|difference|improvement|change)"
    r";differed\b;affected\b;(?:had|has) an? (?:\w+ )?effect"
)
"""Phrases that state a difference or an effect outright."""

NOT_A_DIRECTION: Final = _pattern(
    r"(?:little |no |not |nothing |slightly )?(?:more|less|fewer|higher|lower|greater|longer|shorter|later|earlier) than"
    r" (?=\d|a\b|an\b|one\b|half\b|two\b|twice\b|three\b);more or less\b;falls? short\b;fell short\b;once more\b;no longer\b"
    r";positive(?:ly)? (?:test|sample|case|cell|patient)\w*;negative(?:ly)? (?:test|sample|case|cell|patient|control)\w*"
)
"""Idioms in which a direction word compares nothing."""

GENERIC: Final = frozenset(
    stem(word)
    for word in (
        "study studies paper article work research result results finding findings show shows showed shown found find"
        " use used using method methods approach analysis data show report reported reports author authors present"
        " presented investigate investigated examine examined evaluate evaluated assess assessed compare compared"
        " comparison group groups respectively significant significantly significance difference differences"
        " different effect effects increase increased decrease decreased higher lower level levels value values"
        " mean median total number measure measured measurement test tested sample samples case cases time period"
        " patient patients participant participants subject subjects model models system systems large small"
        " important role well based include included including associated association related relation suggest"
        " suggests conclude conclusion potential new high low first second one two three four however therefore"
        " many several various among change changes changed observed performed obtained known common provide"
        " provides remain remains need needed further future rate rates percent per increase reduce reduced"
    ).split()
)
"""Stems so common in abstracts that sharing them says little."""
