// Wires the page: addresses, keys and paper.

const detail = document.getElementById("detail");
const desk = detail.parentElement;
let open = null; // the view of the open pair
let isPreview = false; // opened by the page, not by its reader

const navButton = (text, label, act) => {
  const button = quietButton(text, act);
  button.setAttribute("aria-label", label);
  return button;
};

const viewOf = (row) =>
  row.number < nWithTexts
    ? pairView(row, dataOf(`pair-${row.number}`), dataOf(`paper-${row.paper}`))
    : bareView(row);

const close = () => {
  open?.row.link.removeAttribute("aria-current");
  open = null;
  detail.hidden = panel.hidden = true;
  detail.replaceChildren();
  desk.classList.remove("open");
};

const openPair = (row) => {
  close();
  open = viewOf(row);
  const body = make("div", "pair", ...open.content);
  const bar = make(
    "p",
    "bar",
    navButton("↑ previous", "previous pair", () => step(-1)),
    navButton("↓ next", "next pair", () => step(1)),
    navButton("✕ close", "close the pair", leave),
  );
  body.querySelector("h3").id = "detail-title";
  detail.replaceChildren(bar, body);
  if (open.texts.length) explaining(open, body);
  detail.hidden = false;
  desk.classList.add("open");
  row.link.setAttribute("aria-current", "true");
};

/** Leaves the open pair for the list, at its row. */
const leave = () => {
  const row = open?.row;
  close();
  history.replaceState(null, "", filtersAsHash());
  if (row) visit(row);
};

/** Goes on in the list; where a pair is open, the next one opens. */
const step = (steps) => {
  const focused = rows[document.activeElement.closest("#list li")?.id.slice(1)];
  const next = rowAt(open && !isPreview ? open.row : focused, steps);
  if (!next) return;
  if (open && !isPreview) {
    history.replaceState(null, "", next.link.hash);
    follow();
  } else {
    visit(next);
  }
};

/** Does what the address says: opens a pair, or filters the list. */
const follow = () => {
  const params = new URLSearchParams(location.hash.slice(1));
  if (params.has("pair")) {
    const row = rows.find((one) => one.key === params.get("pair"));
    if (!row) return;
    isPreview = false;
    openPair(row);
    reveal(row);
    row.item.scrollIntoView({ block: "nearest" });
    detail.focus({ preventScroll: true });
    (wide.matches ? desk : detail).scrollIntoView();
  } else if (filtersFrom(params)) {
    close();
    document.getElementById("pairs").scrollIntoView();
  } else if (["", "#pairs"].includes(location.hash) && !isPreview) {
    close();
  }
};

const stepWithin = (buttons, steps) => {
  const place = buttons.indexOf(document.activeElement);
  if (place < 0) return false;
  buttons[Math.min(buttons.length - 1, Math.max(0, place + steps))].focus();
  return true;
};

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => arrow(1),
  ArrowUp: () => arrow(-1),
  "/": () => filters.elements.search.focus(),
  Escape: () => open?.release?.() || (open && leave()),
};

/** Arrows move within the list or among the pieces of a pair; elsewhere they scroll. */
const arrow = (steps) => {
  if (open && stepWithin([...open.buttons.keys()], steps)) return true;
  if (!document.activeElement.closest("#list")) return false;
  step(steps);
  return true;
};

document.addEventListener("keydown", (event) => {
  const isField = event.target.closest("input, select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  if (isField && event.key === "Escape") {
    event.target.blur();
    return;
  }
  if (!isField && KEYS[event.key]() !== false) event.preventDefault();
});

filters.hidden = false;
filters.addEventListener("submit", (event) => event.preventDefault());
const refilter = () => {
  applyFilters();
  if (!open || isPreview) history.replaceState(null, "", filtersAsHash());
};
filters.addEventListener("input", refilter);
filters.addEventListener("change", refilter);
addEventListener("hashchange", follow);

const MOST_PRINTED = 200;
const sheets = document.getElementById("print");
addEventListener("beforeprint", () => {
  const failing = fitting.filter((row) => row.outcome !== "passed");
  const chosen = open && !isPreview ? [open.row] : failing.slice(0, MOST_PRINTED);
  const left = failing.length - chosen.length;
  const note = left > 0 && chosen.length === MOST_PRINTED
    ? make("p", "warning", `The worst ${MOST_PRINTED} are printed; ${left} more fail. Filter the list to print them.`)
    : "";
  sheets.replaceChildren(note, ...chosen.map((row) => printedPair(viewOf(row))));
});
addEventListener("afterprint", () => sheets.replaceChildren());

if (rows.length > BATCH) showBatch(0);
document.documentElement.classList.add("scripted");
performance.mark("list-usable");
// The blocks of the pairs follow this script; the list can be used while they are read.
document.addEventListener("DOMContentLoaded", () => {
  follow();
  const worst = rows[0];
  if (!open && wide.matches && !location.hash && worst && worst.outcome !== "passed") {
    isPreview = true;
    openPair(worst);
  }
});
