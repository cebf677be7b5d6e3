// The panel beside an open pair: why the piece under the pointer or the focus came to its verdict.

const MOST_AT_ONCE = 6;
const LIST_SEEN = 220; // pixels of the list that a panel under it leaves, where there is room
const panel = document.querySelector(".panel");
const wide = matchMedia("(min-width: 64rem)");

/** Keeps the panel within the window and, where it lies over the page, off what it explains. */
const place = (element) => {
  const { top, bottom } = element.getBoundingClientRect();
  const ends = [top, innerHeight - bottom];
  const around = panel.parentElement.getBoundingClientRect();
  const column = Math.min(innerHeight, around.bottom) - Math.max(0, around.top);
  const room = wide.matches ? column : Math.max(...ends);
  panel.classList.toggle("above", ends[0] > ends[1]);
  panel.style.setProperty("--room", `${Math.max(room, 96) - 16}px`);
  panel.style.setProperty("--lead", `${Math.min(LIST_SEEN, Math.max(0, column - LIST_SEEN))}px`);
};

/** Wires a pair's pieces and texts in `body` to the panel; `view.release` lets go of it. */
const explaining = (view, body) => {
  let shown = [];
  let held = false;
  let element = null; // what the panel explains
  let rests = false; // the pointer, since the panel over it was put away

  const show = (pieces, hold) => {
    [shown, held] = [pieces, hold];
    const told = pieces.slice(0, MOST_AT_ONCE).map((piece) => why(piece, view));
    if (held && wide.matches) told.push(make("p", "hint", "Held; press Esc to let go."));
    panel.lastChild.replaceChildren(...told);
    panel.hidden = !told.length;
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
    const run = target.closest(".run");
    const standing = view.runs.find((one) => one.element === run)?.standing ?? [];
    return [...standing].sort((a, b) => (a.state === "good") - (b.state === "good"));
  };

  const on = (kind, act) =>
    body.addEventListener(kind, (event) => {
      const pieces = piecesAt(event.target);
      if (!pieces.length) return;
      if (!held || kind !== "mouseover") element = event.target.closest("button.piece, .run");
      act(pieces);
      place(element);
    });
  on("mouseover", (pieces) => held || rests || show(pieces, false));
  body.addEventListener("mousemove", () => { rests = false; });
  on("focusin", (pieces) => show(pieces, false));
  on("click", (pieces) => show(pieces, !(held && pieces[0] === shown[0])));
  view.place = () => place(element ?? body);

  view.release = () => {
    const had = wide.matches ? held : !panel.hidden;
    if (panel.contains(document.activeElement)) (element?.closest("button") ?? detail).focus();
    rests = had && !wide.matches;
    if (had) show(wide.matches ? shown : [], false);
    return had;
  };
  panel.firstChild.onclick = view.release;
  const first = view.pair.pieces[view.pair.first ?? 0];
  show(first && wide.matches ? [first] : [], false);
  view.place();
};
addEventListener("scroll", () => open?.place?.(), { passive: true });
