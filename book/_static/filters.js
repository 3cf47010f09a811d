// Lists with verdicts: a reader chooses what is listed by its badges and by its source, and puts
// errata in the order of their severity; the address says what is chosen. On a phone what is said
// of a verdict is folded.

// What the entries of each list are called, and what each of their badges says.
const LISTS = {
  "table.items": { noun: "items", badges: ["verdict"] },
  "table.ledger": { noun: "claims", badges: ["verdict"] },
  "dl.errata": { noun: "slips", badges: ["kind", "conclusion"] },
};

// The gravest kind first; a conclusion that changes is graver than any kind.
const SEVERITY = ["mathematics", "experiment", "print"];

const make = (tag, values = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), values);
  made.append(...children);
  return made;
};

// An entry is a row of a table, or a term with its definition. Its traits are what can be chosen,
// each with the word of the address and the words for the reader.
function readEntry(row, badges) {
  const traits = {};
  row.querySelectorAll(".badge-source").forEach((badge, i) => {
    const word = [...badge.classList].find((name) => name !== "badge-source");
    traits[badges[i]] = { word: word.replace("badge-", ""), words: badge.textContent };
  });
  const section = row.closest(".bd-article > section > section");
  const title = section.querySelector("h2").firstChild.textContent;
  traits.source = { word: section.id, words: title };
  const isTerm = row.matches("dt");
  if (isTerm) row.append(make("span", { className: "entry-source", textContent: title }));
  const parts = isTerm ? [row, row.nextElementSibling] : [row];
  return { row, parts, traits, home: row.parentElement };
}

function severity({ traits: { kind, conclusion } }) {
  const changes = conclusion.word === "conclusion";
  return SEVERITY.indexOf(kind.word) - (changes ? SEVERITY.length : 0);
}

function choice(name, options) {
  const listed = options.map(([value, textContent]) => make("option", { value, textContent }));
  return make("select", { name }, ...listed);
}

// A select for each trait in which the entries differ.
function makeChoices(entries, badges) {
  return [...badges, "source"].flatMap((name) => {
    const words = new Map(entries.map(({ traits }) => [traits[name].word, traits[name].words]));
    return words.size > 1 ? [choice(name, [["", "all"], ...words])] : [];
  });
}

// The sections that hold entries, the article's own not among them.
function sectionsAround(entries) {
  const found = new Set();
  entries.forEach(({ row }) => {
    const top = row.closest(".bd-article > section");
    for (let at = row.closest("section"); at && at !== top; at = at.parentElement.closest("section")) {
      found.add(at);
    }
  });
  return found;
}

function addFilters(rows, { noun, badges }) {
  const entries = rows.map((row) => readEntry(row, badges));
  const sections = [...sectionsAround(entries)];
  const choices = makeChoices(entries, badges);
  if (!choices.length) return;
  const order = choice("order", [["", "place in the source"], ["severity", "severity"]]);
  const controls = badges.includes("conclusion") ? [...choices, order] : choices;
  const sorted = make("dl", { className: "errata by-severity" });
  const count = make("output");
  const all = make("button", { type: "button", textContent: "Show all" });

  const matches = ({ traits }, but) => choices.every(({ name, value }) =>
    name === but || !value || traits[name].word === value);

  // Each option says how many entries it would leave, and cannot be chosen if that is none.
  function countOptions({ name, value, options }) {
    const others = entries.filter((entry) => matches(entry, name));
    [...options].forEach((option) => {
      option.words ??= option.textContent;
      const left = others.filter(({ traits }) => [traits[name].word, ""].includes(option.value));
      option.textContent = `${option.words} (${left.length})`;
      option.disabled = !left.length && option.value !== value;
    });
  }

  function arrange() {
    if (order.value) {
      const ranked = [...entries].sort((a, b) => severity(a) - severity(b));
      sorted.append(...ranked.flatMap(({ parts }) => parts));
      bar.after(sorted);
    } else if (sorted.isConnected) {
      entries.forEach(({ home, parts }) => home.append(...parts));
      sorted.remove();
    }
  }

  function update() {
    arrange();
    entries.forEach((entry) => entry.parts.forEach((part) => (part.hidden = !matches(entry))));
    const shown = entries.filter((entry) => matches(entry));
    const around = sectionsAround(shown);
    sections.forEach((section) => {
      section.hidden = !around.has(section);
      const link = document.querySelector(`.page-toc a[href="#${section.id}"]`);
      if (link) link.parentElement.hidden = section.hidden;
    });
    choices.forEach(countOptions);
    const ranked = order.value ? ", changed conclusions first" : "";
    count.textContent = `${shown.length} of ${entries.length} ${noun}${ranked}`;
    all.hidden = controls.every(({ value }) => !value);
    bar.classList.toggle("chosen", !all.hidden);
  }

  function readAddress() {
    const query = new URLSearchParams(location.search);
    controls.forEach((control) => {
      const asked = query.get(control.name);
      control.value = [...control.options].some(({ value }) => value === asked) ? asked : "";
    });
  }

  // Without the place that a link has led to: it may be out of the list now.
  function writeAddress(place = "") {
    const query = new URLSearchParams(location.search);
    controls.forEach(({ name, value }) => (value ? query.set(name, value) : query.delete(name)));
    const asked = String(query) ? `?${query}` : "";
    history.replaceState(null, "", `${location.pathname}${asked}${place}`);
  }

  function showAll(place) {
    controls.forEach((control) => (control.value = ""));
    update();
    writeAddress(place);
  }

  // A link into what is left out shows it.
  function reveal() {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place?.closest("[hidden]")) return;
    showAll(location.hash);
    place.scrollIntoView();
  }

  const named = controls.map((control) => {
    control.id = `choose-${control.name}`;
    const label = make("label", { htmlFor: control.id, textContent: control.name });
    return make("div", {}, label, control);
  });
  const bar = make("div", { className: "filters" }, ...named, make("p", {}, count, " ", all));
  bar.setAttribute("role", "search");
  bar.setAttribute("aria-label", `Choose among the ${noun}`);
  const [list] = entries.map(({ row }) => row.closest("dl, .pst-scrollable-table-container"));
  const top = list.closest(".bd-article > section");
  (choices.some(({ name }) => name === "source") ? top.querySelector("section") : list).before(bar);
  bar.addEventListener("change", () => {
    update();
    writeAddress();
  });
  all.addEventListener("click", () => {
    showAll();
    controls[0].focus();
  });
  addEventListener("hashchange", reveal);
  readAddress();
  update();
  reveal();
}

function foldVerdicts() {
  document.querySelectorAll("table.ledger tbody tr").forEach((row) => {
    const badge = row.querySelector(".badge-source");
    const reason = document.createElement("span");
    reason.className = "reason";
    while (badge.nextSibling) reason.append(badge.nextSibling);
    const more = document.createElement("button");
    more.type = "button";
    more.className = "more";
    more.textContent = "more";
    more.setAttribute("aria-expanded", "false");
    more.addEventListener("click", () => {
      more.setAttribute("aria-expanded", String(row.classList.toggle("open")));
    });
    badge.after(" ", more, reason);
  });
}

Object.entries(LISTS).forEach(([selector, list]) => {
  const rows = [...document.querySelectorAll(`${selector} :is(tr, dt):has(.badge-source)`)];
  if (rows.length) addFilters(rows, list);
});
foldVerdicts();
