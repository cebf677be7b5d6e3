"""Pairs of English words that exclude each other where they are said of the same thing.

All of it is general English; nothing is keyed to a field.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_PAIRS: Final = """
    all=none always=never present=absent presence=absence accept=reject accepted=rejected
    succeed=fail succeeded=failed success=failure successful=unsuccessful confirm=refute
    confirmed=refuted support=contradict supported=contradicted supports=contradicts
    open=closed include=exclude included=excluded includes=excludes inside=outside minimum=maximum
    minimal=maximal majority=minority allow=prevent allowed=prevented
    allows=prevents enable=prevent enabled=prevented safe=unsafe safe=dangerous likely=unlikely
    easier=harder easy=difficult easily=hardly strong=weak strongly=weakly warm=cold
    hot=cold wet=dry wetter=drier fast=slow rich=poor richer=poorer active=passive
    active=inactive upstream=downstream north=south northern=southern east=west eastern=western
    winter=summer start=stop started=stopped began=ended often=rarely
    often=seldom frequently=rarely frequent=rare frequent=infrequent common=rare simple=complex
    direct=indirect directly=indirectly attract=repel attracted=repelled absorb=emit
    absorbed=emitted expand=contract expanded=contracted appeared=disappeared towards=away
    toward=away approach=avoid approached=avoided won=lost win=lose public=private urban=rural
    mandatory=voluntary compulsory=voluntary compulsory=optional mandatory=optional
    blinded=unblinded agreed=disagreed agree=disagree trust=distrust similar=different
    similar=dissimilar same=different identical=different equal=unequal approved=rejected
    passed=failed correct=incorrect correctly=incorrectly valid=invalid reliable=unreliable
    stable=unstable certain=uncertain able=unable sufficient=insufficient adequate=inadequate
    necessary=unnecessary complete=incomplete consistent=inconsistent effective=ineffective
    efficient=inefficient possible=impossible known=unknown related=unrelated affected=unaffected
    changed=unchanged dependent=independent depends=independent before=after above=below
    older=younger thick=thin deep=shallow
    heavy=light sparse=dense coarse=fine permitted=forbidden permitted=banned allowed=banned
    legal=illegal temporary=permanent lasting=temporary brief=lasting reversible=irreversible
    sensitive=insensitive soluble=insoluble visible=invisible healthy=sick healthy=ill
    ignored=considered
    underestimate=overestimate underestimated=overestimated underestimates=overestimates
    undervalued=overvalued advantage=disadvantage encouraged=discouraged
    encourage=discourage encourages=discourages protect=damage protects=damages
    protected=damaged retained=removed kept=removed higher-order=lower-order
    predicted=unpredicted import=export homogeneous=heterogeneous linear=nonlinear
    random=nonrandom upper=lower advanced=retreated advance=retreat advances=retreats
    inward=outward inwards=outwards seaward=landward clockwise=anticlockwise forward=backward
    forwards=backwards ascending=descending ascended=descended arrive=depart
    arrived=departed gather=scatter gathered=scattered gathered=washed accumulated=released
    stored=released store=release absorb=release absorbed=released built=destroyed
    created=destroyed create=destroy formed=dissolved form=dissolve opened=closed opens=closes
    push=pull pushed=pulled bought=sold buy=sell lend=borrow lent=borrowed love=hate loved=hated
    hired=dismissed hired=fired praised=criticised praised=criticized praise=criticise
    favour=against favour=opposed heated=cooled heating=cooling
    warmed=cooled warming=cooling wetted=dried froze=thawed freeze=thaw freezes=thaws
    hardened=softened tightened=loosened tighten=loosen sharpened=blunted
    filled=emptied rural=urban indoor=outdoor indoors=outdoors
    daytime=night-time earliest=latest oldest=youngest
       internal=external inner=outer inland=coastal
    nearest=farthest nearer=farther closer=farther near=far distant=nearby largest=smallest
    positive=negative male=female native=foreign native=alien
    domestic=foreign elderly=young adult=juvenile seniors=juniors novice=expert
    novices=experts expensive=cheap costly=cheap optimistic=pessimistic optimism=pessimism
    hope=despair trust=mistrust pride=shame comfort=discomfort order=disorder ability=inability
    stability=instability certainty=uncertainty equality=inequality literate=illiterate
    underestimates=exaggerates voluntary=forced manual=automatic manually=automatically
    deliberate=accidental intentional=accidental natural=artificial synthetic=natural
    organic=inorganic continuous=intermittent gradual=abrupt gradually=abruptly
    gradually=suddenly sudden=gradual unique=common widespread=isolated local=global
    symmetric=asymmetric regular=irregular smooth=rough polished=rough tame=wild
    acidic=alkaline saline=fresh opaque=transparent convex=concave vertical=horizontal
    parallel=perpendicular alive=dead live=dead survived=died surviving=dying
    permitted=prohibited allowed=prohibited allowed=forbidden permit=prohibit permit=forbid
    legalised=banned required=forbidden granted=refused granted=denied accepted=refused
    accept=refuse consented=refused included=omitted include=omit keep=discard kept=discarded
    retained=discarded retain=discard remember=forget remembered=forgotten
    remembered=forgot noticed=overlooked detected=missed found=missed
    obeyed=violated satisfied=violated solved=unsolved resolved=unresolved
    willing=unwilling ready=unready aware=unaware familiar=unfamiliar fair=unfair
    clear=unclear clear=ambiguous important=unimportant relevant=irrelevant useful=useless
    harmless=harmful painless=painful sharp=blurred precise=vague exact=approximate
    proved=disproved proven=disproven verified=falsified agreed=denied admitted=denied
    affirmed=denied confirmed=contradicted confirms=contradicts confirm=contradict
    supports=undermines supported=undermined support=undermine consistent=contradictory
    compatible=incompatible comparable=incomparable plausible=implausible tolerable=intolerable
    bearable=unbearable acceptable=unacceptable desirable=undesirable favourable=unfavourable
    favorable=unfavorable
"""
"""Pairs that exclude each other where they are said of the same thing."""


def _opposed() -> dict[str, frozenset[str]]:
    """By word: the words that exclude it."""
    table: dict[str, set[str]] = {}
    for pair in _PAIRS.split():
        one, _, other = pair.partition("=")
        table.setdefault(one, set()).add(other)
        table.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in table.items()}


OPPOSED: Final[Mapping[str, frozenset[str]]] = MappingProxyType(_opposed())
"""By lower-cased word, those that exclude it."""
