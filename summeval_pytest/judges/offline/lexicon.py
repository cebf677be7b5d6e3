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


HEADINGS: Final[Mapping[Facet, str]] = MappingProxyType(
    {
        "background": r"(?:background|introduction|context|motivation|importance|rationale|hypothesis"
        r"|problem|purpose|aims?|(?:study )?objectives?|(?:backgrounds?|introduction)(?: and |/)"
        r"(?:aims?|objectives?|purpose))",
        "method": r"(?:(?:study )?design(?: and methods?)?|settings?|participants|interventions?|data sources?"
        r"|study selection|(?:main )?outcome measures?|approach|(?:materials?|patients?|subjects?|setting"
        r"|case)(?:,? and |/|, )methods?|methods?(?:(?: and |/)materials?)?|methodology|experimental(?: design)?"
        r"|case (?:reports?|presentation|description))",
        "result": r"(?:(?:main |key )?(?:results?|findings)|observations|data synthesis|measurements and main"
        r" results|results? and discussions?)",
        "conclusion": r"(?:conclusions?|discussions?|interpretation|significance|implications?|limitations?"
        r"|discussions? and conclusions?|conclusions? and (?:relevance|outlook))",
    }
)
"""Labels with which structured abstracts open a facet; a full stop or colon follows."""

GLUED_HEADINGS: Final[Mapping[Facet, str]] = MappingProxyType(
    {
        "background": r"(?:background(?!s\b)|introduction(?!s\b)|objectives?(?!s?\b|ly\b))(?=[^\W\d_])",
        "method": r"(?:materials and )?methods(?=[^\W\d_])",
        "result": r"results(?=[^\W\d_])",
        "conclusion": r"conclusions?(?!s?\b)(?=[^\W\d_])",
    }
)
"""Labels that lost what followed them: "methodswe examined". No English word begins so."""

BOILERPLATE: Final = r"electronic supplementary material"
"""What a publisher appends to an abstract; no facet."""

CUES: Final[Mapping[Facet, tuple[tuple[re.Pattern[str], float], ...]]] = MappingProxyType(
    {
        "background": (
            (
                _pattern(
                    r"aims?\b;aimed;objectives?\b;purpose\b;goals?\b;hypothes[ie]s;we (?:asked|sought"
                    r"|tested whether|hypothesi[sz]e);to (?:investigate|determine|evaluate|assess"
                    r"|examine|explore|test whether|find out|compare|clarify)\b;whether\b"
                    r";(?:this|the|the present|our) (?:paper|article|study|work|trial|review|authors?)"
                    r" (?:aim|ask|examin|investigat|address|explor|present|introduc|describ|report|discuss|review"
                    r"|deal|focus|evaluat|assess|test|sought)"
                ),
                1.5,
            ),
            (
                _pattern(
                    r"(?:remains?|is|are|was|were) (?:still |largely |poorly |currently )?(?:unclear|unknown"
                    r"|un(?:der)?studied|understood|debated|controversial|ambiguous|a challenge|lacking|limited)"
                    r";little is known;(?:has|have) (?:long |often |recently |also )?(?:been|become|emerged)"
                    r";(?:is|are) (?:a |an |the |one of the )?"
                    r"(?:\w+ ){0,2}(?:common|major|important|leading|widely|known|thought|believed|essential"
                    r"|frequent|often|typically|usually|increasingly|prevalent|rare|characteri[sz]ed|challenging"
                    r"|unique|crucial|considered|defined|called|estimated);despite\b;previous(?:ly)?\b"
                    r";recent(?:ly| years)\b;traditionally\b;commonly\b;worldwide\b;known as\b"
                    r";plays? (?:an?|the) (?:\w+ )?role;no data\b"
                ),
                1.0,
            ),
        ),
        "method": (
            (
                _pattern(
                    r"(?:was|were|are|is|been) (?:\w+ly |then )?(?:recruited|randomi[sz]ed|enrolled|included|collected"
                    r"|measured|assessed|treated|divided|incubated|analy[sz]ed|obtained|performed|assigned"
                    r"|allocated|given|exposed|administered|evaluated|examined|selected|extracted|searched"
                    r"|conducted|trained|replayed|fitted|surveyed|sampled|interviewed|prepared|grown|followed"
                    r"|used|carried out|calculated|recorded|implanted|injected|asked|judged|monitored"
                    r"|compared|applied|tested|studied|determined|reviewed|scanned|computed|derived|designed"
                    r"|placed|stored|subjected|defined|excluded|positioned|immersed|employed|simulated)\b"
                ),
                1.0,
            ),
            (
                _pattern(
                    r"(?:we|authors?|stud(?:y|ies)|research(?:ers)?|article|investigators?|method|participants|paper)"
                    r" (?:also |then |independently |first )?(?:use|measure|recruit|collect|perform|train|analy[sz]e|compare|conduct"
                    r"|propose|develop|survey|follow|assembl|link|replay|fit|appl|combin|extend|design|buil|implement"
                    r"|simulat|annotat|sampl|randomi|includ|involv|enrol|employ|select|exclud|investigat|examin"
                    r"|evaluat|assess|stud|review|search|test|trac|construct|consist|underwent|comprise|was (?:done|a)\b)\w*"
                    r";using\b;randomi[sz]ed;double-blind;placebo-controlled;retrospective;prospective"
                    r";cross[- ]+sectional;cohort of;questionnaire;interviews?\b;(?:data|samples?) (?:from|of|size)\b"
                    r";n ?= ?\d;aged\b;primary (?:outcome|end ?-?point);regression (?:model|analys);simulations? (?:of|with)"
                    r";spectromet;assay;(?:control|comparison) groups?;consisted of;by means of;data ?sets?\b"
                    r";here ?, we;we (?:report|describe|present)\b;a total of;techniques?\b;divided\b"
                ),
                1.0,
            ),
        ),
        "result": (
            (
                _pattern(
                    r"p ?[<=>] ?0?\.\d;95 ?%;confidence interval;\bci\b;odds ratio;hazard ratio;relative risk"
                    r";significant(?:ly)?\b;respectively\b;compared (?:with|to)\b;vs\.?\b;versus\b"
                    r";did not;no (?:significant )?differences?;(?:was|were) (?:not |also )?(?:\w+ly )?"
                    r"(?:higher|lower|greater|smaller|longer|shorter|associated|correlated|observed|found"
                    r"|detected|similar|comparable|unchanged|seen|noted|more|less|fewer|better|worse|faster|slower"
                    r"|identified|positive|negative|present|absent|due|caused|effective|responsible)"
                    r";(?:results|analysis|stud(?:y|ies)|authors?|we|work|review) (?:also |further(?:more)? )?"
                    r"(?:show|reveal|found|find|observ|demonstrat|identif)"
                ),
                1.0,
            ),
            (
                _pattern(
                    r"(?:showed|shows?|shown|found|revealed|demonstrated?|yielded|exhibited|increased|decreased|reduced"
                    r"|improved|rose|fell|dropped|declined|outperform\w*|achiev\w+|reach\w+|exceed\w*|climbed"
                    r"|developed|occurred|retained|remained|correlat\w+|ranged|caused|led to|resulted in|raised"
                    r"|lowered|differed|affected|reproduced|matched|cut|grew|slowed|accelerated|widened|gained"
                    r"|confirmed|detected|displayed|accounted|majority|highest|lowest|predominan\w+|prevalence of|survived)\b"
                    r";mean\b;median\b;per ?cent\b;percentage points?\b;\d ?%"
                ),
                0.5,
            ),
        ),
        "conclusion": (
            (
                _pattern(
                    r"conclu(?:de|sion);in summary\b;taken together\b;overall ?,;(?:these|our|the|its|this) (?:findings?|results|data|study"
                    r"|observations|work|article|case|review|authors?|paper)(?: \w+)? (?:suggest|indicate|support|highlight|imply|confirm"
                    r"|underscore|cannot|may|should|could|point|argue|do not|hold|are limited|emphasi|offer|advi[sc]|recommend"
                    r"|favou?r|have implications);suggest(?:s|ing)? (?:that\b|a\b)"
                    r";we (?:suggest|recommend|believe|propose that|argue|conclude);(?:further|more|additional|future|continued)"
                    r" (?:research|stud|work|trial|investigation|analys|efforts?)"
                    r";(?:is|are) (?:also )?(?:needed|required|warranted|necessary|recommended|merited|awaited)\b"
                    r";limitations?\b;limited by\b;generali[sz]\w+;implications?\b;follow-up is needed;in the future\b"
                    r";new insights?;(?:useful|valuable|reliable|effective|important|promising) (?:tool|insight|alternative|option|information|marker)\w*"
                ),
                1.5,
            ),
            (
                _pattern(
                    r"may\b;might\b;must\b;should\b;could\b;can be\b;cannot\b;thus\b;therefore\b;hence\b;appears? to"
                    r";seems? to;potential(?:ly)?\b;promising\b;caution;support(?:s|ing)? the;warrant;highlight"
                    r";important (?:to|for|role);unlikely;likely\b;only (?:one|a single|two);not (?:apply|extend|be (?:excluded|ruled out))"
                    r";remains? (?:to be|untested|open);provides? (?:an?|new|valuable|important|significant|evidence)\b"
                    r";useful\b;practice\b;rather than\b;insights?\b;opportunit;finally\b"
                ),
                0.5,
            ),
        ),
    }
)
"""Phrases that speak for a facet, with the weight of each group."""

PAST_TENSE: Final = _pattern(r"was\b;were\b;had\b;did\b")
"""What is told in the past tense was done or found."""

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
    r";falls (?:were|are|ran|occur\w*|among|and|in)\b"
    r";positive(?:ly)? (?:test|sample|case|cell|patient)\w*;negative(?:ly)? (?:test|sample|case|cell|patient|control)\w*"
)
"""Idioms in which a direction word compares nothing."""

ORDER_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys("before preceded preceding precedes prior".split(), "before")
    | dict.fromkeys("after followed following follows afterwards".split(), "after")
)
"""Words that say which of two came first, by what they mean."""

THEN: Final = re.compile(
    r"\b(?:followed by|and (?:then|afterwards|subsequently|thereafter|finally)|prior to|before)\b", re.IGNORECASE
)
"""What stands to the left of it came first."""

GENERIC: Final = frozenset(
    stem(word)
    for word in ["study", "studies", "paper", "article", "work", "research", "result", "results", "finding", "findings", "show", "shows", "showed", "shown", "found", "find", "use", "used", "using", "method", "methods", "approach", "analysis", "data", "show", "report", "reported", "reports", "author", "authors", "present", "presented", "investigate", "investigated", "examine", "examined", "evaluate", "evaluated", "assess", "assessed", "compare", "compared", "comparison", "group", "groups", "respectively", "significant", "significantly", "significance", "difference", "differences", "different", "effect", "effects", "increase", "increased", "decrease", "decreased", "higher", "lower", "level", "levels", "value", "values", "mean", "median", "total", "number", "measure", "measured", "measurement", "test", "tested", "sample", "samples", "case", "cases", "time", "period", "patient", "patients", "participant", "participants", "subject", "subjects", "model", "models", "system", "systems", "large", "small", "important", "role", "well", "based", "include", "included", "including", "associated", "association", "related", "relation", "suggest", "suggests", "conclude", "conclusion", "potential", "new", "high", "low", "first", "second", "one", "two", "three", "four", "however", "therefore", "many", "several", "various", "among", "change", "changes", "changed", "observed", "performed", "obtained", "known", "common", "provide", "provides", "remain", "remains", "need", "needed", "further", "future", "rate", "rates", "percent", "per", "increase", "reduce", "reduced"]
)
"""Stems so common in abstracts that sharing them says little."""
