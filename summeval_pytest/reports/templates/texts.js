"use strict";
// Texts and their marks. Other people's words only ever become text nodes, never markup.

const SIGNS = { good: "✓", bad: "✗", open: "?", extra: "+" };

/** An element with classes and children; strings among them become text nodes. */
const make = (tag, classes = "", ...children) => {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  element.append(...children.filter((child) => child || child === 0));
  return element;
};

/** Words of others, kept from turning the direction of what stands beside them. */
const words = (text, tag = "bdi") => make(tag, "", text);

const sign = (state) => {
  const element = make("span", `sign ${state}`, SIGNS[state]);
  element.setAttribute("aria-hidden", "true");
  return element;
};

const quietButton = (text, act) => {
  const button = make("button", "quiet", text);
  button.type = "button";
  button.onclick = act;
  return button;
};

/** Marks each figure where it stands first in an element, as page_pair.py looks for it. */
const mark = (element, figures) => {
  for (const figure of figures ?? []) {
    const escaped = figure.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    const sought = new RegExp(`(?<![\\p{L}\\p{N}_.,])${escaped}(?![\\p{L}\\p{N}_]|[.,]\\d)`, "u");
    const nodes = [element, ...element.querySelectorAll("*")].flatMap((each) => [...each.childNodes]);
    const node = nodes.find((each) => each.nodeType === Node.TEXT_NODE && sought.test(each.data));
    if (!node || node.parentNode.localName === "mark") continue; // another piece has marked it
    const after = node.splitText(sought.exec(node.data).index);
    after.data = after.data.slice(figure.length);
    after.before(make("mark", "", figure));
  }
  return element;
};

/** Every span of a piece: a text's number (0 the summary, from 1 the references), start and end. */
const spansOf = (piece) => [...(piece.at ?? []), ...(piece.there ?? [])];

/**
 * A text cut into runs at every place where a mark begins or ends. Each run knows the pieces that
 * stand there: facets colour it, an unsupported sentence is underlined.
 */
const markedText = (number, text, pieces) => {
  const cuts = new Set([0, text.length]);
  for (const piece of pieces) {
    for (const [where, start, end] of spansOf(piece)) {
      if (where === number) cuts.add(start).add(end);
    }
  }
  const places = [...cuts].filter((place) => place <= text.length).sort((a, b) => a - b);
  const element = make("div", "text");
  const runs = [];
  let before = [];
  for (let i = 0; i + 1 < places.length; i += 1) {
    const [start, end] = [places[i], places[i + 1]];
    const here = (spans) =>
      (spans ?? []).some(([where, from, to]) => where === number && from <= start && end <= to);
    const facets = pieces.filter((p) => p.kind === "facet" && (here(p.at) || here(p.there)));
    const standing = pieces.filter((p) => here(p.at) || (p.kind === "facet" && here(p.there)));
    const run = make("span", "run", text.slice(start, end));
    if (facets.length) {
      run.classList.add("facet", facets[0].facet);
      if (!before.includes(facets[0])) run.dataset.label = facets.map((p) => p.facet).join(" + ");
    }
    const sentence = standing.find((p) => p.kind === "sentence");
    if (sentence && sentence.state !== "good") {
      run.classList.add(`sentence-${sentence.state}`);
      if (!before.includes(sentence)) element.append(sign(sentence.state));
    }
    before = [...facets, ...(sentence ? [sentence] : [])];
    runs.push({ element: run, number, start, end, standing });
    element.append(run);
  }
  for (const { at, there, disputed: [figures, partners] = [] } of pieces) {
    for (const run of runs) mark(run.element, isWithin(run, at) ? figures : isWithin(run, there) ? partners : []);
  }
  return { element, runs };
};

/** Whether a run lies within one of some spans. */
const isWithin = (run, spans) =>
  (spans ?? []).some(([n, start, end]) => n === run.number && start <= run.start && run.end <= end);
