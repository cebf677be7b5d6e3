// One pair: both texts side by side, every piece with its verdict, and why.

const KINDS = {
  sentence: ["Sentences of the summary", "against the source", "unsupported"],
  expected: ["Facts of the reference", "looked for in the summary", "missing"],
  stated: ["Facts of the summary", "compared with the reference", "not in the reference"],
};

/** Words without the marks of bold letters. */
const plain = (text) => text.replaceAll("**", "");

/** The words of a piece, read off its text where they are not given. */
const wordsOf = (piece, texts) => {
  if (piece.text) return piece.text;
  return (piece.at ?? []).map(([n, start, end]) => plain(texts[n].slice(start, end))).join(" … ");
};

/** The words of a piece; of a sentence that facts are cut out of, those that do not hold marked. */
const saidBy = (piece, view, tag) => {
  if (!piece.parts) return mark(words(wordsOf(piece, view.texts), tag), piece.disputed?.[0]);
  const [[number, start, end]] = piece.at;
  const text = view.texts[number];
  const said = make(tag);
  let after = start;
  const wrong = piece.parts.filter(({ state }) => state !== "good")
    .flatMap(({ at, state }) => at.map((span) => [...span, state]));
  for (const [, from, to, state] of wrong.sort((a, b) => a[1] - b[1])) {
    if (from < after) continue;
    said.append(plain(text.slice(after, from)), make("span", `sentence-${state}`, plain(text.slice(from, to))));
    after = to;
  }
  said.append(plain(text.slice(after, end)));
  return mark(said, piece.parts.flatMap(({ disputed }) => disputed?.[0] ?? []));
};

/** What a heading calls a piece. */
const titleOf = ({ kind, number, facet, parts }) =>
  parts
    ? `facts in sentence ${number} of the ${kind === "stated" ? "summary" : "reference"}`
    : facet ?? { sentence: `sentence ${number}`, expected: `fact ${number} of the reference`, stated: `fact ${number} of the summary` }[kind];

const listOf = (classes, items) => make("ul", classes, ...items.map((item) => make("li", "", item)));

/** Why a piece came to its verdict: the reason, the other side, and the source. */
const why = (piece, view) => {
  const box = make("div", `why ${piece.state}`);
  const heading = make("h5", "", sign(piece.state), ` ${titleOf(piece)}: `, make("b", "", piece.verdict));
  if (piece.facet) heading.classList.add("facet", piece.facet);
  box.append(heading);
  if (piece.kind !== "facet") box.append(saidBy(piece, view, "blockquote"));
  if (piece.parts) {
    const wrong = piece.parts.filter(({ state }) => state !== "good");
    box.append(...(wrong.length ? wrong : piece.parts).map((part) => why(part, view)));
    return box;
  }
  if (piece.reason) box.append(make("p", "reason", make("b", "", "Reason "), words(piece.reason)));
  if (piece.other?.length) {
    const side = piece.kind === "expected" ? "In the summary" : "In the reference";
    box.append(make("h6", "", side), listOf("quotes", piece.other.map((other) =>
      mark(words(typeof other === "number" ? wordsOf(view.pair.pieces[other], view.texts) : other), piece.disputed?.[1]))));
  }
  if (piece.source?.length) {
    const cited = piece.source.map((index) => {
      const text = view.paper?.source?.[index] ?? "(not in the record)";
      return make("span", "", make("code", "", `[${index + 1}]`), " ", mark(words(text), piece.disputed?.[1]));
    });
    box.append(make("h6", "", "In the source"), listOf("quotes", cited));
  } else if (piece.state === "bad") {
    box.append(make("p", "hint", "No sentence of the source shares a word with it."));
  }
  return box;
};

const badge = (outcome) => {
  const state = { passed: "✓", failed: "✗", error: "!" }[outcome];
  const mark = make("span", "", state);
  mark.setAttribute("aria-hidden", "true");
  return make("span", `badge ${outcome}`, mark, ` ${outcome}`);
};

const heading = (view) => {
  const { row, pair, paper } = view;
  const title = make("h3", "", badge(row.outcome), " ", words(row.title));
  const places = [row.key, pair.place, paper?.place].filter(Boolean);
  const box = make("header", "", title, make("p", "hint", ...places.flatMap((p) => [words(p), " · "]).slice(0, -1)));
  if (pair.misses?.length) box.append(listOf("shortfalls", pair.misses.map((text) => words(text))));
  const others = rows.filter((other) => other.paper === row.paper && other !== row).map((other) => {
    const link = make("a", "", words(other.system));
    link.href = hrefOf(other.key);
    return make("span", "", badge(other.outcome), " ", link);
  });
  if (others.length) box.append(make("p", "numbers others", "Other systems on this paper:", ...others));
  for (const note of pair.notes ?? []) box.append(make("p", "hint", words(note)));
  return box;
};

/** What changed on this paper against the baseline. */
const changes = ({ baseline, numbers, facets, claims }) => {
  const box = make("section", "changes", make("h4", "", "Since ", words(baseline)));
  if (numbers?.length) box.append(make("p", "", numbers.join("; ")));
  for (const facet of facets ?? []) {
    const name = facet.title.split(" ")[0];
    const said = (text) => words(text || "(nothing)");
    box.append(
      make("h5", `facet ${name}`, facet.title),
      make("p", "reason", words(facet.reason)),
      make("p", "", make("b", "", "Before "), said(facet.before)),
      make("p", "", make("b", "", "Now "), said(facet.after)),
    );
  }
  for (const [title, state, found] of claims ?? []) {
    const items = found.map(([text, reason, figures]) =>
      make("span", "", sign(state), " ", mark(words(text), figures), reason && make("small", "", " ", words(reason))));
    box.append(make("h5", "", title), listOf("quotes", items));
  }
  if (box.children.length === 1) box.append(make("p", "", "Nothing changed."));
  return box;
};

/** A piece as a button that shows why; `view.buttons` remembers it. */
const pieceButton = (piece, view) => {
  const button = make("button", `piece ${piece.state}`);
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  if (piece.facet) {
    button.classList.add("facet", piece.facet);
    const rated = make("span", "verdict", piece.verdict.replace("rated ", ""));
    button.append(make("span", "", sign(piece.state), " ", make("b", "", piece.facet), " ", rated));
    button.append(make("span", "reason", words(piece.reason)));
  } else {
    button.append(sign(piece.state), " ", saidBy(piece, view, "bdi"), " ", make("span", "verdict", piece.verdict));
  }
  view.buttons.set(button, piece);
  return button;
};

const pieceList = (kind, view) => {
  const pieces = view.pair.pieces.filter((piece) => piece.kind === kind);
  if (!pieces.length) return "";
  const [title, against, missed] = KINDS[kind];
  const counted = pieces.flatMap((piece) => piece.parts ?? piece);
  const bad = counted.filter(({ state }) => state === "bad" || state === "extra").length;
  const counts = make("small", "", ` ${against}: ${bad} of ${counted.length} ${missed}`);
  return make("section", `pieces ${kind}`, make("h4", "", title, counts), listOf("", pieces.map((piece) => pieceButton(piece, view))));
};

const textColumn = (title, number, view) => {
  const { element, runs } = markedText(number, view.texts[number], view.pair.pieces);
  view.runs.push(...runs);
  if (!view.texts[number].trim()) element.append(make("p", "hint", "(nothing)"));
  return make("section", "", make("h4", "", title), element);
};

/** The sentences of the paper that the run record has, in their order, folded. */
const paperText = ({ source = {}, n_sentences: count } = {}) => {
  const rows = Object.entries(source)
    .map(([place, text]) => make("li", "", make("code", "", `[${+place + 1}]`), " ", words(text)));
  const some = rows.length === count ? "" : `: the ${rows.length} of ${count} sentences that a verdict names`;
  const text = make("ol", "", ...rows);
  text.tabIndex = 0; // it scrolls
  return rows.length && make("details", "paper", make("summary", "", `The paper${some}`), text);
};

/** Everything of a pair but why: that is shown in a panel on a screen, and in full on paper. */
const pairView = (row, pair, paper) => {
  pair.pieces ??= [];
  const references = paper?.references ?? [];
  const view = { row, pair, paper, texts: [pair.summary ?? "", ...references], runs: [], buttons: new Map() };
  const facets = pair.pieces.filter((piece) => piece.kind === "facet");
  const left = make("div", "side");
  references.forEach((_, n) =>
    left.append(textColumn(references.length > 1 ? `Reference ${n + 1}` : "Reference", n + 1, view)));
  left.append(...[paperText(paper ?? {}), pieceList("expected", view)].filter(Boolean));
  const right = make("div", "side", textColumn("Summary", 0, view));
  right.append(pieceList("sentence", view), pieceList("stated", view));
  view.content = [
    heading(view),
    pair.change ? changes(pair.change) : "",
    facets.length ? listOf("facets", facets.map((piece) => pieceButton(piece, view))) : "",
    make("div", "sides", left, right),
  ].filter(Boolean);
  return view;
};

/** A pair whose texts the page leaves out: what its row says, and how to see them. */
const bareView = (row) => {
  const parts = [...row.link.querySelectorAll(".numbers, .misses, .waived"), document.getElementById("left-out")];
  const said = parts.map((part) => part.cloneNode(true));
  said.at(-1).removeAttribute("id");
  const pair = { pieces: [] };
  return { row, pair, texts: [], buttons: new Map(), content: [heading({ row, pair }), ...said] };
};

const MOST_EXPLAINED = 8;
const EXPLAINED_FIRST = ["facet", "sentence", "stated", "expected"];

/** A pair for paper: nothing to press, and why beside the worst that is not good. */
const printedPair = (view) => {
  const rank = ({ kind }) => EXPLAINED_FIRST.indexOf(kind);
  const told = view.pair.pieces.filter(({ state }) => state !== "good" && state !== "extra").sort((a, b) => rank(a) - rank(b));
  const left = told.length - MOST_EXPLAINED;
  const reasons = told.slice(0, MOST_EXPLAINED).map((piece) => why(piece, view));
  const note = left > 0 ? make("p", "hint", `${left} more are marked above.`) : "";
  const found = make("section", "found", make("h4", "", "What is wrong"), ...reasons, note);
  return make("article", "printed", ...view.content, told.length ? found : "");
};
