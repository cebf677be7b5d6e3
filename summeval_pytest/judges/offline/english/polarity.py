"""English words that have an opposite, by the scale on which they are opposed.

Which way a quantity goes, which is better, which is faster, and pairs that exclude each other
(present and absent, all and none). All of it is general English; nothing is keyed to a field.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.english.adjectives import (
    AMOUNT,
    EASE,
    MOOD,
    SPEED,
    STATES,
    WORTH,
    compared,
)
from summeval_pytest.text import stem

if TYPE_CHECKING:
    from collections.abc import Mapping

SIGN: Final = "sign"
LIKING: Final = "liking"
KEEPING: Final = "keeping"
SHARE: Final = "share"
ESTIMATE: Final = "estimate"

_SCALES: Final = {
    AMOUNT: (
        """
        increase increases increased increasing increasingly rise rises rose risen rising raise
        raised raises raising grow grows grew grown growing climb climbs climbed climbing gained
        gaining higher highest greater greatest more larger largest longer longest bigger
        biggest stronger strongest thicker wider deeper heavier taller broader denser warmer
        hotter brighter louder elevated elevate elevates enhance enhanced enhances enhancing
        enhancement boost boosts boosted upward upwards double doubled doubles doubling triple
        tripled exceed exceeds exceeded exceeding surpass surpassed surpasses outnumber
        outnumbered expand expanded expands expanding expansion lengthen lengthened lengthens
        prolong prolonged prolongs thicken thickened widen widened widens deepen deepened swell
        swelled swollen surge surged soared augment augmented augments multiplied intensify
        intensified heighten heightened upregulated amplify amplified amplifies strengthen
        strengthened strengthens strengthening commoner added accumulate jump jumped
        spread spreads spreading multiply multiplies flourish flourished flourishes thrive
        thrived thrives proliferate proliferated accumulates accumulated accumulating peak peaked
        peaks maximum recover recovered recovers rebound rebounded escalate escalated escalates
        mounted ballooned outnumbers promote promotes promoted promoting
        stimulate stimulates stimulated foster fosters fostered encourage encourages encouraged
        facilitate facilitates facilitated lift lifts lifted additional aggravate aggravated
        aggravates exacerbate exacerbated exacerbates magnify magnified magnifies quadrupled
        outlast outlasted outlasts outlive outlived quicken redouble
        """,
        """
        decrease decreases decreased decreasing reduce reduces reduced reducing reduction
        reductions fell fallen falling drop drops dropped dropping decline declines declined
        declining lower lowest lowered lowers lowering less fewer fewest smaller smallest
        shorter shortest weaker weakest thinner narrower shallower lighter colder cooler dimmer
        quieter shorten shortened shortens diminish diminished diminishes shrink shrinks shrank
        shrunk shrinking dwindle dwindled halve halved halves cut cuts cutting attenuate
        attenuated attenuates suppress suppressed suppresses lost losing save saved saves saving
        savings weaken weakened weakens weakening thinned narrowed narrows narrowing downward
        downwards lessen lessened curb curbed curtailed deplete depleted downregulated inhibit
        inhibited inhibits slump slumped plunged sank trimmed slashed abated rarer cheaper
        impair impaired impairs halving fade fades faded fading wane waned wanes waning subside
        subsided subsides ease eased eases easing recede recedes receded ebb ebbed plummet
        plummeted tumble tumbled contract contracted contracts contracting erode erodes eroded
        dampen dampened dampens damped mitigate mitigated mitigates alleviate alleviated alleviates
        relieve relieved relieves minimise minimised minimum minimize minimized lag lags lagged
        soften softened softens hinder hinders hindered hamper hampers hampered impede impedes
        impeded discourage discourages discouraged deter deters deterred moderate moderated
        constrain constrained constrains restrain restrained collapse collapsed collapses lose
        loses crowd minimal depress depressed depresses slacken slackened trims shed
        """,
    ),
    WORTH: (
        """
        better best improve improves improved improving improvement improvements superior
        outperform outperforms outperformed benefit benefits benefited benefitted beneficial
        favourable favorable enhance enhanced enhances enhancing profited finer
        protective outclass outclassed excel excelled excels refine refined ameliorate ameliorated
        outscore outscored outscores optimal
        """,
        """
        worse worst worsen worsens worsened worsening deteriorate deteriorated deterioration
        deteriorates inferior underperform underperforms underperformed harm harms harmed
        impair impaired impairs impairment degrade degraded degrades hurt hurts slipped
        suffer suffers suffered suffering undermine undermines undermined damage damages
        damaged spoil spoiled spoils ruin ruined aggravate aggravated aggravates exacerbate
        exacerbated exacerbates
        """,
    ),
    SPEED: (
        """
        faster fastest quicker quickest sooner earlier accelerate accelerates accelerated
        accelerating acceleration hasten hastened hastens sped speeded speeds expedite expedited
        outpace outpaced outpaces quickened quickens
        """,
        """
        slower slowest slow slowed slows slowing decelerate decelerated later delayed delays
        delaying retard retarded postponed
        """,
    ),
    SIGN: ("positive positively", "negative negatively inverse inversely"),
    ESTIMATE: (
        """
        overestimate overestimates overestimated overvalue overvalued overrate overrated
        overrepresented overstate overstated overstates overpriced overreported overpredict
        overpredicts overpredicted exaggerate exaggerated exaggerates
        """,
        """
        underestimate underestimates underestimated undervalue undervalued underrate underrated
        underrepresented understate understated understates underpriced underreported underpredict
        underpredicts underpredicted
        """,
    ),
    EASE: (
        "ease eases eased facilitate facilitates facilitated simplify simplifies simplified",
        "hinder hinders hindered hamper hampers hampered impede impedes impeded complicated",
    ),
    MOOD: ("reassured", "worried"),
}
"""By scale: the words of its upper end, and those of its lower one."""

_BY_WORD: Final = {
    WORTH: ("helped helps", ""),
    LIKING: (
        """
        prefer prefers preferred preferring favour favours favoured favor favors favored welcome
        welcomed welcomes liked likes endorse endorsed endorses embrace embraced embraces attract
        attracts attracted adopt adopted adopts sought seek seeks admire admired
        """,
        """
        avoid avoids avoided avoiding shun shuns shunned oppose opposes opposed dislike dislikes
        disliked resist resists resisted repel repels repelled disapprove disapproved reject
        rejects rejected displace displaces displaced deter deters deterred
        """,
    ),
    KEEPING: (
        """
        persist persists persisted survive survives survived endure endures endured retain retains
        retained preserve preserves preserved
        """,
        """
        disappear disappears disappeared vanish vanishes vanished perish perished eliminate
        eliminates eliminated eradicate eradicated abolish abolished collapse collapsed
        """,
    ),
}
"""Scales of verbs whose nouns say nothing ("endorsement"), in the same way."""


def _polar() -> dict[str, tuple[tuple[str, int], ...]]:
    """By stem: the scales on which it stands, and at which end."""
    table: dict[str, dict[str, int]] = {}
    for scale, (upper, lower) in _SCALES.items():
        for sign, words in ((1, upper), (-1, lower)):
            for word in words.split():
                table.setdefault(stem(word), {})[scale] = sign
    for word, ends in compared().items():
        entry = table.setdefault(stem(word), {})
        for scale, sign in ends:
            entry.setdefault(scale, sign)
    return {word: tuple(ends.items()) for word, ends in table.items()}


POLAR: Final[Mapping[str, tuple[tuple[str, int], ...]]] = MappingProxyType(_polar())

_ONLY_BEFORE: Final = {
    "positive": "correlation association relation relationship effect impact influence trend change"
    " link correlations associations effects relationships",
    "positively": "correlated associated related linked influenced affected",
    "fall": "from by to below in of",
    "falls": "from by to below as with",
    "loss": "of in",
    "losses": "of in",
    "gain": "of in by",
    "gains": "of in by",
    "rise": "from by to above in of as with",
    "rises": "from by to above in of as with",
    "growth": "by",
    "felled": "",
    **dict.fromkeys(["maximum", "minimum", "minimal"], "in of at with after under"),
    "lost": "by about more confidence skill trust ground mass weight strength motivation interest"
    " power money much some most half accuracy quality speed stability skills value support",
    "speed": "up",
    "elevation": "of",
    "delay": "the in of by",
    "delays": "the in of by",
}
_ONLY_BEFORE["negative"] = _ONLY_BEFORE["inverse"] = _ONLY_BEFORE["positive"]
_ONLY_BEFORE["negatively"] = _ONLY_BEFORE["positively"]
ONLY_BEFORE: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {word: frozenset(following.split()) for word, following in _ONLY_BEFORE.items()}
)
"""What has to follow a word for it to say a direction."""
EXTRA: Final[Mapping[str, tuple[tuple[str, int], ...]]] = MappingProxyType(
    {
        **{
            word: ((scale, sign),)
            for scale, ends in _BY_WORD.items()
            for sign, words in zip((1, -1), ends, strict=True)
            for word in words.split()
            if not POLAR.get(stem(word))
        },
        **dict.fromkeys("few minority".split(), ((SHARE, -1),)),
        **dict.fromkeys("majority".split(), ((SHARE, 1),)),
        "fall": ((AMOUNT, -1),),
        "falls": ((AMOUNT, -1),),
        "loss": ((AMOUNT, -1),),
        "losses": ((AMOUNT, -1),),
        "gain": ((AMOUNT, 1),),
        "gains": ((AMOUNT, 1),),
        "growth": ((AMOUNT, 1),),
    }
)
"""Nouns that say a direction only before those words."""

MULTIPLIERS: Final[Mapping[str, int]] = MappingProxyType(
    {"more": 1, "less": -1, "fewer": -1, "most": 1, "least": -1}
)
"""What they turn an adjective into: its own end of a scale, or the other one."""
ADJECTIVES: Final[Mapping[str, tuple[tuple[str, int], ...]]] = STATES
