"""English adjectives and adverbs that stand at one end of a scale, with their degrees.

"Sparse", "sparser", "sparsest", "more sparse" and "sparsely" all point to the lower end of an
amount. All of it is general English; nothing is keyed to a field.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

AMOUNT: Final = "amount"
WORTH: Final = "worth"
SPEED: Final = "speed"
EASE: Final = "ease"
MOOD: Final = "mood"
SURENESS: Final = "sureness"
LIKENESS: Final = "likeness"
DISTANCE: Final = "distance"
FORCE: Final = "force"

_ENDS: Final = {
    AMOUNT: (
        """
        high large great big long wide broad thick deep tall heavy dense strong loud bright warm
        hot rich abundant plentiful frequent common often widespread numerous ample copious
        extensive intense steep severe prevalent massive vast considerable substantial fat
        dear expensive costly marked pronounced concentrated crowded prolific wealthy busy
        talkative dusty wet permeable porous sensitive acidic salty noisy active productive
        generous lengthy likely probable prone
        """,
        """
        low small little short narrow thin shallow light sparse weak quiet faint dim dark cool cold
        poor scarce rare rarely seldom infrequent uncommon few meagre slight mild tiny minor
        limited negligible cheap modest insensitive dilute impermeable dry silent unlikely
        improbable mean lean feeble
        """,
    ),
    WORTH: (
        """
        good effective accurate precise useful helpful beneficial reliable robust fine healthy
        safe sound successful valuable favourable favorable clean clear fluent skilful skillful
        efficient superior sturdy durable stable fit fair sharp smooth advantageous competent
        correct excellent satisfactory productive
        """,
        """
        bad harmful dangerous poor ineffective inaccurate imprecise useless unhelpful detrimental
        unreliable fragile ill sick risky unsafe unsuccessful unfavourable unfavorable dirty buggy
        faulty coarse blurred blurry inefficient inferior flimsy unstable unfit unfair
        incompetent wrong incorrect toxic hazardous vulnerable error-prone unskilful
        """,
    ),
    SPEED: (
        "fast quick rapid swift speedy brisk prompt quickly rapidly swiftly promptly hastily",
        "slow gradual sluggish slowly gradually sluggishly leisurely",
    ),
    EASE: (
        "easy simple effortless straightforward easily simply readily",
        "hard difficult laborious tedious tough complicated complex demanding arduous tricky",
    ),
    MOOD: (
        """
        happy content calm satisfied relaxed lenient mild gentle bold optimistic confident trustful
        trusting cheerful friendly willing keen eager generous
        """,
        """
        unhappy sad lonely anxious dissatisfied discontented tense harsh severe strict cautious
        pessimistic distrustful worried stressed gloomy hostile unwilling reluctant timid
        """,
    ),
    SURENESS: (
        "certain sure likely probable confident plausible believable",
        "uncertain unsure unlikely improbable doubtful implausible questionable",
    ),
    LIKENESS: (
        "similar alike close uniform homogeneous consistent",
        "different dissimilar unlike diverse varied variable heterogeneous inconsistent",
    ),
    DISTANCE: ("near close nearby", "far remote distant"),
    FORCE: (
        "ductile tough strong firm hard tight rigid sturdy resistant strongly firmly tightly",
        "brittle weak soft loose flexible flimsy weakly loosely fragile",
    ),
}
"""By scale: the words of its upper end, and those of its lower one."""

GOODS: Final = frozenset(
    """
    accuracy quality skill survival health precision success safety efficiency confidence trust
    performance reliability robustness recall agreement benefit benefits resolution yield yields
    satisfaction comprehension profit profits
    """.split()
)
"""Nouns of what one wants more of."""
ILLS: Final = frozenset(
    """
    error errors fault faults defect defects bug bugs death deaths damage failure failures pain
    crime infection infections complication complications disease mortality relapse relapses
    mistake mistakes accident accidents bias loss losses harm harms complaint complaints risk
    symptoms anxiety noise
    """.split()
)
"""Nouns of what one wants less of."""

ATTRIBUTES: Final = frozenset(
    "mean light sound new fine fair clear close kind little dear sharp good mild young old hard"
    " soft firm minor major simple busy".split()
)
"""Adjectives that have other meanings, so only their degrees count."""
_IRREGULAR: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "good": ("better", "best"),
        "bad": ("worse", "worst"),
        "far": ("farther", "farthest"),
        **dict.fromkeys("little light few ill mean minor alike unlike nearby often".split(), ()),
    }
)
_VOWELS: Final = "aeiou"
_MOST: Final = 6
"""A longer adjective is compared by "more", unless it ends in "y"."""


def degrees(word: str) -> tuple[str, ...]:
    """The comparative and the superlative of an adjective; none where it takes "more"."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("y"):
        is_adverb = word.endswith("ly") and word not in {"lonely", "friendly"}
        return () if is_adverb else (word[:-1] + "ier", word[:-1] + "iest")
    if len(word) > _MOST or word.endswith(("ful", "ous", "ic", "ed", "id", "ent", "ant", "om")):
        return ()
    if word.endswith("e"):
        return (word + "r", word + "st")
    if word[-1] in "bdgmnt" and word[-2] in _VOWELS and word[-3] not in _VOWELS:
        word += word[-1]
    return (word + "er", word + "est")


def adverb(word: str) -> str:
    """The adverb of an adjective."""
    if word.endswith("le"):
        return word[:-1] + "y"
    return (word[:-1] + "ily") if word.endswith("y") else word + "ly"


def _states() -> dict[str, tuple[tuple[str, int], ...]]:
    table: dict[str, dict[str, int]] = {}
    for scale, ends in _ENDS.items():
        for sign, words in zip((1, -1), ends, strict=True):
            for word in words.split():
                table.setdefault(word, {})[scale] = sign
                if not word.endswith("ly"):
                    table.setdefault(adverb(word), {}).setdefault(scale, sign)
    for other in ("hardly", "highly", "largely", "newly", "shortly", "fairly", "closely", "lowly"):
        table.pop(other, None)
    return {word: tuple(ends.items()) for word, ends in table.items()}


STATES: Final[Mapping[str, tuple[tuple[str, int], ...]]] = MappingProxyType(_states())
"""By adjective or adverb: the scales on which it stands, and at which end."""

PREDICATES: Final = frozenset(STATES) - ATTRIBUTES
"""Those that say a state where they stand behind a form of "to be"."""

LINKING: Final = frozenset(
    """
    is are was were be been being became become becomes remained remains stayed stays seemed
    seems proved appeared very quite too so rather particularly especially grew grow got get
    getting turned made makes too
    """.split()
)
"""Behind these an adjective says a state, and does not only describe a thing."""


def compared() -> dict[str, tuple[tuple[str, int], ...]]:
    """Every comparative and superlative that these adjectives form, with its ends."""
    return {degree: ends for word, ends in STATES.items() for degree in degrees(word)}
