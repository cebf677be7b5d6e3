// The panel beside an open pair: why the piece under the pointer or the focus came to its verdict.

const MOST_AT_ONCE = 6;

/** Wires a pair's pieces and texts in `body` to a new panel; `view.release` lets go of a held one. */
const explaining = (view, body) => {
  const panel = make("aside", "panel");
  panel.setAttribute("aria-live", "polite");
  panel.setAttribute("aria-label", "Why");
  let shown = [];
  let held = false;

  const show = (pieces, hold) => {
    [shown, held] = [pieces, hold];
    panel.replaceChildren(...pieces.slice(0, MOST_AT_ONCE).map((piece) => why(piece, view)));
    if (held) panel.append(make("p", "hint", "Held; press Esc to let go."));
    for (const run of view.runs) {
      run.element.classList.toggle("lit", pieces.some((piece) => isWithin(run, piece.at)));
      run.element.classList.toggle("lit-there", pieces.some((piece) => isWithin(run, piece.there)));
    }
    for (const [button, piece] of view.buttons) {
      button.classList.toggle("lit", pieces.includes(piece));
      button.setAttribute("aria-pressed", String(held && pieces.includes(piece)));
    }
  };

  /** The pieces that an element of the pair stands for; the bad ones first. */
  const piecesAt = (target) => {
    const button = target.closest("button.piece");
    if (button) return [view.buttons.get(button)];
    const element = target.closest(".run");
    const standing = view.runs.find((run) => run.element === element)?.standing ?? [];
    return [...standing].sort((a, b) => (a.state === "good") - (b.state === "good"));
  };

  const on = (kind, act) =>
    body.addEventListener(kind, (event) => {
      const pieces = piecesAt(event.target);
      if (pieces.length) act(pieces);
    });
  on("mouseover", (pieces) => held || show(pieces, false));
  on("focusin", (pieces) => show(pieces, false));
  on("click", (pieces) => show(pieces, !(held && pieces[0] === shown[0])));

  view.release = () => {
    const had = held;
    if (had) show(shown, false);
    return had;
  };
  const first = view.pair.pieces[view.pair.first ?? 0];
  if (first) show([first], false);
  else panel.append(make("p", "hint", "Nothing was measured."));
  return panel;
};
