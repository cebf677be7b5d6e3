// The list of pairs: its rows are in the page already; here they are filtered and stepped through.

const filters = document.getElementById("filters");

const rows = JSON.parse(document.getElementById("index").textContent).map((entry, number) => {
  const [key, system, outcome, lost, paper, searched, title] = entry;
  const item = document.getElementById(`r${number}`);
  return { number, key, system, outcome, lost, paper, searched, title, item, link: item.firstChild };
});

const shownRows = () => rows.filter((row) => !row.item.hidden);

/** Shows the rows that the filters let through, and says how many. */
const applyFilters = () => {
  const { system, verdict, lost, search } = Object.fromEntries(new FormData(filters));
  const sought = search.trim().toLowerCase();
  let count = 0;
  for (const row of rows) {
    const fits =
      (!system || row.system === system) &&
      (!verdict || row.outcome === verdict) &&
      (!lost || row.lost.includes(lost)) &&
      row.searched.includes(sought);
    row.item.hidden = !fits;
    count += fits;
  }
  const all = `${rows.length.toLocaleString("en")} pair${rows.length === 1 ? "" : "s"}`;
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

/** The shown row that stands so many steps from another; the first where there is no other. */
const rowAt = (row, steps) => {
  const shown = shownRows();
  const place = shown.indexOf(row);
  return place < 0 ? shown[0] : shown[Math.min(shown.length - 1, Math.max(0, place + steps))];
};
