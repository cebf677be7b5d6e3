"""The phrases that say which facet of an abstract a sentence states.

All of it is general scientific English; nothing is keyed to a field.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.lexicon import any_of

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from summeval_pytest.questions import Facet

CUES: Final[Mapping[Facet, tuple[tuple[re.Pattern[str], float], ...]]] = MappingProxyType(
    {
        "background": (
            (
                any_of(
                    r"aims?\b;aimed;objectives?\b;purpose\b;goals?\b;hypothes[ie]s;we (?:asked"
                    r"|sought"
                    r"|tested whether|hypothesi[sz]e);to (?:investigate|determine|evaluate|assess"
                    r"|examine|explore|test whether|find out|compare|clarify)\b;whether\b"
                    r";(?:this|the|the present|our) (?:paper|article|study|work|trial|review"
                    r"|authors?)"
                    r" (?:aim|ask|examin|investigat|address|explor|present|introduc|describ"
                    r"|report|discuss|review"
                    r"|deal|focus|evaluat|assess|test|sought)"
                ),
                1.5,
            ),
            (
                any_of(
                    r"(?:remains?|is|are|was|were) (?:still |largely |poorly |currently"
                    r" )?(?:unclear|unknown"
                    r"|un(?:der)?studied|understood|debated|controversial|ambiguous|a"
                    r" challenge|lacking|limited)"
                    r";little is known;(?:has|have) (?:long |often |recently |also )?(?:been"
                    r"|become|emerged)"
                    r";(?:is|are) (?:a |an |the |one of the )?"
                    r"(?:\w+ ){0,2}(?:common|major|important|leading|widely|known|thought"
                    r"|believed|essential"
                    r"|frequent|often|typically|usually|increasingly|prevalent|rare"
                    r"|characteri[sz]ed|challenging"
                    r"|unique|crucial|considered|defined|called|estimated);despite\b"
                    r";previous(?:ly)?\b"
                    r";recent(?:ly| years)\b;traditionally\b;commonly\b;worldwide\b;known as\b"
                    r";plays? (?:an?|the) (?:\w+ )?role;no data\b"
                ),
                1.0,
            ),
        ),
        "method": (
            (
                any_of(
                    r"(?:was|were|are|is|been) (?:\w+ly |then )?(?:recruited|randomi[sz]ed"
                    r"|enrolled|included|collected"
                    r"|measured|assessed|treated|divided|incubated|analy[sz]ed|obtained"
                    r"|performed|assigned"
                    r"|allocated|given|exposed|administered|evaluated|examined|selected"
                    r"|extracted|searched"
                    r"|conducted|trained|replayed|fitted|surveyed|sampled|interviewed|prepared"
                    r"|grown|followed"
                    r"|used|carried out|calculated|recorded|implanted|injected|asked|judged"
                    r"|monitored"
                    r"|compared|applied|tested|studied|determined|reviewed|scanned|computed"
                    r"|derived|designed"
                    r"|placed|stored|subjected|defined|excluded|positioned|immersed|employed"
                    r"|simulated)\b"
                ),
                1.0,
            ),
            (
                any_of(
                    r"(?:we|authors?|stud(?:y|ies)|research(?:ers)?|article|investigators?"
                    r"|method|participants|paper)"
                    r" (?:also |then |independently |first )?(?:use|measure|recruit|collect"
                    r"|perform|train|analy[sz]e|compare|conduct"
                    r"|propose|develop|survey|follow|assembl|link|replay|fit|appl|combin"
                    r"|extend|design|buil|implement"
                    r"|simulat|annotat|sampl|randomi|includ|involv|enrol|employ|select|exclud"
                    r"|investigat|examin"
                    r"|evaluat|assess|stud|review|search|test|trac|construct|consist|underwent"
                    r"|comprise|was (?:done|a)\b)\w*"
                    r";using\b;randomi[sz]ed;double-blind;placebo-controlled;retrospective"
                    r";prospective"
                    r";cross[- ]+sectional;cohort of;questionnaire;interviews?\b;(?:data"
                    r"|samples?) (?:from|of|size)\b"
                    r";n ?= ?\d;aged\b;primary (?:outcome|end ?-?point);regression (?:model"
                    r"|analys);simulations? (?:of|with)"
                    r";spectromet;assay;(?:control|comparison) groups?;consisted of;by means"
                    r" of;data ?sets?\b"
                    r";here ?, we;we (?:report|describe|present)\b;a total of;techniques?\b"
                    r";divided\b"
                ),
                1.0,
            ),
        ),
        "result": (
            (
                any_of(
                    r"p ?[<=>] ?0?\.\d;95 ?%;confidence interval;\bci\b;odds ratio;hazard"
                    r" ratio;relative risk"
                    r";significant(?:ly)?\b;respectively\b;compared (?:with|to)\b;vs\.?\b"
                    r";versus\b"
                    r";did not;no (?:significant )?differences?;(?:was|were) (?:not |also"
                    r" )?(?:\w+ly )?"
                    r"(?:higher|lower|greater|smaller|longer|shorter|associated|correlated"
                    r"|observed|found"
                    r"|detected|similar|comparable|unchanged|seen|noted|more|less|fewer|better"
                    r"|worse|faster|slower"
                    r"|identified|positive|negative|present|absent|due|caused|effective"
                    r"|responsible)"
                    r";(?:results|analysis|stud(?:y|ies)|authors?|we|work|review) (?:also "
                    r"|further(?:more)? )?"
                    r"(?:show|reveal|found|find|observ|demonstrat|identif)"
                ),
                1.0,
            ),
            (
                any_of(
                    r"(?:showed|shows?|shown|found|revealed|demonstrated?|yielded|exhibited"
                    r"|increased|decreased|reduced"
                    r"|improved|rose|fell|dropped|declined|outperform\w*|achiev\w+|reach\w+"
                    r"|exceed\w*|climbed"
                    r"|developed|occurred|retained|remained|correlat\w+|ranged|caused|led to"
                    r"|resulted in|raised"
                    r"|lowered|differed|affected|reproduced|matched|cut|grew|slowed"
                    r"|accelerated|widened|gained"
                    r"|confirmed|detected|displayed|accounted|majority|highest|lowest"
                    r"|predominan\w+|prevalence of|survived)\b"
                    r";mean\b;median\b;per ?cent\b;percentage points?\b;\d ?%"
                ),
                0.5,
            ),
        ),
        "conclusion": (
            (
                any_of(
                    r"conclu(?:de|sion);in summary\b;taken together\b;overall ?,;(?:these|our"
                    r"|the|its|this) (?:findings?|results|data|study"
                    r"|observations|work|article|case|review|authors?|paper)(?: \w+)?"
                    r" (?:suggest|indicate|support|highlight|imply|confirm"
                    r"|underscore|cannot|may|should|could|point|argue|do not|hold|are limited"
                    r"|emphasi|offer|advi[sc]|recommend"
                    r"|favou?r|have implications);suggest(?:s|ing)? (?:that\b|a\b)"
                    r";we (?:suggest|recommend|believe|propose that|argue|conclude);(?:further"
                    r"|more|additional|future|continued)"
                    r" (?:research|stud|work|trial|investigation|analys|efforts?)"
                    r";(?:is|are) (?:also )?(?:needed|required|warranted|necessary|recommended"
                    r"|merited|awaited)\b"
                    r";limitations?\b;limited by\b;generali[sz]\w+;implications?\b;follow-up"
                    r" is needed;in the future\b"
                    r";new insights?;(?:useful|valuable|reliable|effective|important"
                    r"|promising) (?:tool|insight|alternative|option|information|marker)\w*"
                ),
                1.5,
            ),
            (
                any_of(
                    r"may\b;might\b;must\b;should\b;could\b;can be\b;cannot\b;thus\b"
                    r";therefore\b;hence\b;appears? to"
                    r";seems? to;potential(?:ly)?\b;promising\b;caution;support(?:s|ing)? the"
                    r";warrant;highlight"
                    r";important (?:to|for|role);unlikely;likely\b;only (?:one|a single|two)"
                    r";not (?:apply|extend|be (?:excluded|ruled out))"
                    r";remains? (?:to be|untested|open);provides? (?:an?|new|valuable"
                    r"|important|significant|evidence)\b"
                    r";useful\b;practice\b;rather than\b;insights?\b;opportunit;finally\b"
                ),
                0.5,
            ),
        ),
    }
)
"""Phrases that speak for a facet, with the weight of each group."""

PAST_TENSE: Final = any_of(r"was\b;were\b;had\b;did\b")
"""What is told in the past tense was done or found."""
