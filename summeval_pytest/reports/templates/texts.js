"use strict";
// Texts and their marks. Other people's words only ever become text nodes, never markup.

const SIGNS = { good: "✓", bad: "✗", open: "?" };

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

/** Where a figure stands first in a text, as disputes.py looks for it; null where it does not. */
const placeOf = (text, figure) => {
  const escaped = figure.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const found = new RegExp(`(?<![\\p{L}\\p{N}_.,])${escaped}(?![\\p{L}\\p{N}_]|[.,]\\d)`, "iu").exec(text);
  return found && [found.index, found.index + found[0].length];
};

/** The places of some figures in a part of a text. */
const placesOf = (figures, text, start = 0, end = text.length) =>
  (figures ?? []).map((figure) => placeOf(text.slice(start, end), figure)).filter(Boolean)
    .map(([from, to]) => [start + from, start + to]);

/** A part of a text in which ranges have classes; a range without one is a figure, and marked. */
const withRanges = (tag, text, start, end, ranges) => {
  const cuts = ranges.flatMap(([from, to]) => [from, to]).filter((place) => start < place && place < end);
  const places = [...new Set([start, ...cuts, end])].sort((a, b) => a - b);
  const runs = places.slice(1).map((to, n) => {
    const here = ranges.filter(([a, b]) => a <= places[n] && to <= b);
    const run = text.slice(places[n], to);
    const marked = here.some(([, , classes]) => !classes) ? make("mark", "", run) : run;
    const classes = here.map((range) => range[2]).find(Boolean);
    return classes ? make("span", classes, marked) : marked;
  });
  return make(tag, "", ...runs);
};

/** Words of others in which figures are marked. */
const wordsWith = (figures, text, tag = "bdi") =>
  withRanges(tag, text, 0, text.length, placesOf(figures, text));

/** Every span of a piece: a text's number (0 the summary, from 1 the references), start and end. */
const spansOf = (piece) => [...(piece.at ?? []), ...(piece.there ?? [])];

/**
 * A text cut into runs at every place where a mark begins or ends. Each run knows the pieces that
 * stand there: facets colour it, an unsupported sentence is underlined.
 */
const markedText = (number, text, pieces) => {
  const cuts = new Set([0, text.length]);
  const figures = pieces.flatMap((piece) =>
    [[piece.at, piece.figures], [piece.there, piece.partners]].flatMap(([spans, found]) =>
      (spans ?? []).filter(([where]) => where === number)
        .flatMap(([, start, end]) => placesOf(found, text, start, end))));
  for (const place of figures.flat()) cuts.add(place);
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
    const said = text.slice(start, end);
    const isFigure = figures.some(([from, to]) => from <= start && end <= to);
    const run = make("span", "run", isFigure ? make("mark", "", said) : said);
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
  return { element, runs };
};

/** Whether a run lies within one of some spans. */
const isWithin = (run, spans) =>
  (spans ?? []).some(([n, start, end]) => n === run.number && start <= run.start && run.end <= end);
