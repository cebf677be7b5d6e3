// The list of pairs: a batch of its rows is in the page already, all of them where the page is of a
// whole run; here the others are made, and all are filtered and stepped through.

const filters = document.getElementById("filters");
const list = document.getElementById("list");
const items = [...list.children];
const BATCH = items.length;

/** The data of a block of the page; null until it has been read. */
const dataOf = (id) => {
  const block = document.getElementById(id);
  return block ? JSON.parse(block.textContent) : null;
};

const { systems = [], papers = [], losses, scales, metrics, n_with_texts: nWithTexts } = dataOf("index");
const rows = dataOf("rows").map(([whose, paper, outcome, isAlarming, lacking, ...shown], number) => {
  const [system, [id, title]] = [systems[whose], papers[paper]];
  const lost = lacking.map((place) => losses[place]);
  return {
    number, system, paper, outcome, isAlarming, lost, id, title, shown,
    key: `${system}/${id}`,
    searched: `${id}\n${title}`.toLowerCase(),
    get item() {
      return (items[number] ??= madeItem(this));
    },
    get link() {
      return this.item.firstChild;
    },
  };
});
let fitting = rows; // what the filters let through
let first = 0; // the place among them of the first row in the list

const hrefOf = (key) => `#pair=${encodeURIComponent(key).replaceAll("%2F", "/")}`;

/** A row as page.html writes those of the first batch. */
const madeItem = ({ number, key, system, outcome, id, title, shown }) => {
  const [ratings, values, misses, waived, trend] = shown;
  const facets = Object.entries(scales).map(([facet, scale], n) => {
    if (!ratings[n]) return "";
    const rated = make("span", `facet ${facet}`, `${facet[0].toUpperCase()}${ratings[n]}`);
    rated.classList.toggle("lost", ratings[n] < scale);
    return rated;
  });
  const measured = metrics.map((metric, n) => values[n] && make("span", "", `${metric} `, make("b", "", values[n])));
  const missed = misses.flatMap((text, n) => [make("span", "", n + 1 < misses.length ? `${text};` : text), " "]);
  const link = make(
    "a",
    "",
    badge(outcome),
    " ",
    make("span", "title", words(title)),
    make("span", "who", words(system), " · ", words(id), trend && " · ", trend && make("span", "trend", trend)),
    make("span", "numbers", ...facets, ...measured),
    missed.length ? make("span", "misses", ...missed) : "",
    waived && make("span", "waived", `waived: ${waived}`),
  );
  link.href = hrefOf(key);
  const item = make("li", "", link);
  item.id = `r${number}`;
  return item;
};

/** The way to another batch: to the row that the eye comes to next. */
const turn = (text, place) => make("li", "turn", quietButton(text, () => visit(fitting[place])));

/** Shows the batch that has the row at a place. */
const showBatch = (place) => {
  first = place - (place % BATCH || 0);
  const after = Math.min(first + BATCH, fitting.length);
  const more = fitting.length - after;
  list.replaceChildren(
    ...(first ? [turn(`↑ ${first.toLocaleString("en")} before`, first - 1)] : []),
    ...fitting.slice(first, after).map((row) => row.item),
    ...(more ? [turn(`↓ ${more.toLocaleString("en")} more`, after)] : []),
  );
};

/** Sees to it that a row is in the list, where the filters let it through. */
const reveal = (row) => {
  const place = fitting.indexOf(row);
  if (place >= 0 && !row.item.isConnected) showBatch(place);
};

const visit = (row) => {
  reveal(row);
  row.link.focus();
};

/** Shows the rows that the filters let through, and says how many. */
const applyFilters = () => {
  const { system, verdict, lost, search } = Object.fromEntries(new FormData(filters));
  const sought = search.trim().toLowerCase();
  fitting = rows.filter((row) =>
    (!system || row.system === system) &&
    (!verdict || row.outcome === verdict || (verdict === "to read" && row.isAlarming)) &&
    (!lost || row.lost.includes(lost)) &&
    row.searched.includes(sought));
  showBatch(0);
  const all = `${rows.length.toLocaleString("en")} pair${rows.length === 1 ? "" : "s"}`;
  const count = fitting.length;
  const some = count === rows.length ? all : `${count.toLocaleString("en")} of ${all} shown`;
  document.getElementById("count").textContent = `${some}, the worst first.`;
};

/** The filters as the part of the address behind #. */
const filtersAsHash = () => {
  const chosen = [...new FormData(filters)].filter(([, value]) => value);
  return chosen.length ? `#${new URLSearchParams(chosen)}` : "#pairs";
};

/** Sets the filters from the address; false where it names none. */
const filtersFrom = (params) => {
  const fields = ["system", "verdict", "lost", "search"];
  if (!fields.some((field) => params.has(field))) return false;
  for (const field of fields) filters.elements[field].value = params.get(field) ?? "";
  applyFilters();
  return true;
};

/** The fitting row that stands so many steps from another; the first shown where there is none. */
const rowAt = (row, steps) => {
  const place = fitting.indexOf(row);
  return fitting[place < 0 ? first : Math.min(fitting.length - 1, Math.max(0, place + steps))];
};
