"use strict";
// Asks the questions. Other people's words only ever become text nodes, never markup.

const data = JSON.parse(document.getElementById("data").textContent);
const { questions, texts } = data;
const FACETS = ["background", "method", "result", "conclusion"];
const COLUMNS = ["item", "annotator", ...FACETS, "faithful", "evidence", "error", "holds"];
const WORDS = { "-": "absent", y: "yes", n: "no" };
const SKIPPED = "s";
const main = document.getElementById("question");
const answers = {}; // by key: {value, evidence, error}; a value is the key of a choice, or SKIPPED
let place = 0;
let refresh = () => {}; // shows what was answered of the open question

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const button = (act, properties, ...children) =>
  make("button", { type: "button", onclick: act, ...properties }, ...children);
const stored = (key) => `summeval label ${data.annotator} ${key}`;
const answerTo = (question) => (answers[question.key] ??= { value: "", evidence: [], error: "" });
const valueOf = (question) => answers[question.key]?.value;
const isAnswered = (question) => Boolean(valueOf(question)) && valueOf(question) !== SKIPPED;
const cannotKeep = () => (document.getElementById("unkept").hidden = false);

const load = () => {
  try {
    for (const { key } of questions) {
      const text = localStorage.getItem(stored(key));
      if (text) answers[key] = JSON.parse(text);
    }
  } catch {
    cannotKeep();
  }
};

const keep = (question, change) => {
  Object.assign(answerTo(question), change);
  try {
    localStorage.setItem(stored(question.key), JSON.stringify(answers[question.key]));
  } catch {
    cannotKeep();
  }
  refresh();
  count();
};

const count = (note = "") => {
  const n = questions.filter(isAnswered).length;
  const skipped = questions.filter((question) => valueOf(question) === SKIPPED).length;
  Object.assign(document.getElementById("bar"), { max: questions.length, value: n });
  document.getElementById("count").textContent =
    `${n} of ${questions.length} answered${skipped ? `, ${skipped} skipped` : ""}${note}`;
};

const pressed = (elements, isPressed) =>
  elements.forEach((each, n) => each.setAttribute("aria-pressed", String(isPressed(each, n))));

const choose = (value) => {
  const question = questions[place];
  keep(question, { value });
  if (question.kind !== "sentence" || value === SKIPPED) go(place + 1);
};

const toggle = (question, index) => {
  const { evidence } = answerTo(question);
  const rest = evidence.filter((each) => each !== index);
  keep(question, { evidence: rest.length < evidence.length ? rest : [...rest, index] });
};

/** A kind of error is one word or a few, which no spreadsheet takes for a formula. */
const cleaned = (text) => text.trim().replace(/^(x_|[^\p{L}\p{N}])+/iu, "");

/** The kind of error, and what to click: only of sentences. */
const sentenceParts = (question) => {
  const kinds = data.errors.map(([name, meaning]) =>
    button(() => keep(question, { error: answerTo(question).error === name ? "" : name }), { name },
      make("b", {}, name), ` ${meaning}`));
  const own = make("input", { id: "own", autocomplete: "off", maxLength: 60 });
  own.oninput = () => keep(question, { error: cleaned(own.value) });
  const error = make("div", {}, make("p", { className: "asked" }, "What kind of error is it?"),
    make("div", { className: "kinds" }, ...kinds),
    make("label", { htmlFor: "own" }, "or in your own words"), own);
  const hint = make("p", { className: "asked" });
  const sentences = data.sources[question.source].map((text, index) =>
    button(() => toggle(question, index), { tabIndex: index ? -1 : 0 }, `[${index + 1}] ${text}`));
  const show = ({ value, evidence, error: name }) => {
    error.hidden = value !== "n";
    hint.textContent = value === "n"
      ? "Which source sentences say something else? Click them, if there are any."
      : "Which source sentences show it? Click them, the best one first.";
    pressed(kinds, (each) => each.name === name);
    if (document.activeElement !== own)
      own.value = data.errors.some(([each]) => each === name) ? "" : name;
    pressed(sentences, (_, index) => evidence.includes(index));
  };
  const list = make("ol", { className: "source" }, ...sentences.map((each) => make("li", {}, each)));
  list.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && sentences[sentences.indexOf(event.target) + step];
    if (step) event.preventDefault();
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
  return { error, source: [make("h3", {}, "Source"), hint, list], show };
};

/** A text, with the sentence marked where it stands in it only once. */
const passage = (text, sentence) => {
  const at = sentence ? text.indexOf(sentence) : -1;
  const isOnce = at >= 0 && at === text.lastIndexOf(sentence);
  const parts = isOnce
    ? [text.slice(0, at), make("mark", {}, sentence), text.slice(at + sentence.length)]
    : [text];
  return make("div", { className: "text", dir: "auto" }, ...parts);
};

const show = (question) => {
  const [asked, choices] = data.rubrics[question.kind];
  const isSentence = question.kind === "sentence";
  const about = texts[question.about[1]];
  const parts = isSentence ? sentenceParts(question) : null;
  const buttons = choices.map(([value, meaning]) =>
    button(() => choose(value), { value }, make("kbd", {}, value), ` ${meaning}`));
  const steps = [
    button(() => go(place - 1), { className: "quiet", disabled: !place }, "← Back"),
    button(() => choose(SKIPPED), { className: "quiet", value: SKIPPED }, "Not sure, skip"),
    button(() => go(place + 1), { className: "quiet" }, "Next →"),
  ];
  const title = data.titles[question.source];
  main.replaceChildren(
    make("section", {},
      make("h2", { tabIndex: -1 }, `Question ${place + 1} of ${questions.length}`),
      make("p", { className: "hint" }, `Summary ${question.summary} of ${questions.at(-1).summary}`,
        ...(title ? [", of the paper: ", make("bdi", {}, title)] : [])),
      make("h3", {}, question.about[0]),
      make("div", { className: "about" }, passage(about)),
      make("p", { className: "asked" }, asked),
      make("div", { className: "choices" }, ...buttons),
      ...(parts ? [parts.error] : [])),
    make("section", {},
      make("h3", {}, question.beside[0]), passage(texts[question.beside[1]], isSentence && about),
      ...(parts ? parts.source : [])),
    make("div", { className: "steps" }, ...steps),
  );
  refresh = () => {
    pressed([...buttons, steps[1]], (each) => each.value === valueOf(question));
    parts?.show(answerTo(question));
  };
};

const showEnd = () => {
  const open = questions.findIndex((question) => !isAnswered(question));
  refresh = () => {};
  main.replaceChildren(make("section", {},
    make("h2", { tabIndex: -1 }, open < 0 ? "All questions are answered" : "This is the end"),
    make("p", {}, `Save your answers, and send the file ${data.file} to whoever asked you.`),
    make("div", { className: "steps" },
      button(() => go(questions.length - 1), { className: "quiet" }, "← Back"),
      ...(open < 0 ? [] : [button(() => go(open), { className: "quiet" }, "Go to the first open question")]),
      button(save, { className: "quiet" }, "Save answers"))));
};

const go = (to) => {
  place = Math.min(Math.max(to, 0), questions.length);
  if (place < questions.length) show(questions[place]);
  else showEnd();
  refresh();
  document.getElementById("help").open = false;
  main.querySelector("h2").focus({ preventScroll: true });
  scrollTo(0, Math.min(scrollY, main.offsetTop));
};

const row = (question) => {
  const { value, evidence, error } = answerTo(question);
  const column = { sentence: "faithful" }[question.kind] ?? (FACETS.includes(question.kind) ? question.kind : "holds");
  const cells = { item: question.key, annotator: data.annotator, [column]: WORDS[value] ?? value };
  if (column === "faithful") cells.evidence = evidence.join(";");
  if (value === "n" && column === "faithful") cells.error = error;
  return COLUMNS.map((name) => cells[name] ?? "");
};

const save = () => {
  const rows = [COLUMNS, ...questions.filter(isAnswered).map(row)];
  const quoted = (cell) => `"${cell.replaceAll('"', '""')}"`;
  const text = rows.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
  const href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  make("a", { href, download: data.file }).click();
  count(`. Saved as ${data.file}, in your downloads.`);
};

document.addEventListener("keydown", (event) => {
  const isInput = event.target.matches("input");
  const isEnter = event.key === "Enter" && !event.target.closest("button, summary");
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || (isInput && !isEnter)) return;
  const question = questions[place];
  const key = event.key.toLowerCase();
  const isChoice = question && data.rubrics[question.kind][1].some(([value]) => value === key);
  if (key === "u") go(place - 1);
  else if (isEnter) go(place + 1);
  else if (question && (isChoice || key === SKIPPED)) choose(key);
  else return;
  event.preventDefault();
});
document.getElementById("save").onclick = save;
addEventListener("storage", () => { load(); refresh(); count(); });
addEventListener("beforeunload", (event) => {
  if (!document.getElementById("unkept").hidden) event.preventDefault();
});

load();
document.getElementById("help").open = !Object.keys(answers).length;
const first = questions.findIndex((question) => !valueOf(question));
count();
place = first < 0 ? questions.length : first;
if (place < questions.length) show(questions[place]);
else showEnd();
refresh();
