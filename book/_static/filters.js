// Lists with verdicts: a reader chooses what is listed by its badges and by its source, and puts
// errata in the order of their severity; the address says what is chosen.

// What the entries of each list are called, and what each of their badges says.
const LISTS = {
  "table.items": { noun: "items", badges: ["verdict"] },
  "table.ledger": { noun: "claims", badges: ["verdict"] },
  "dl.errata": { noun: "slips", badges: ["kind", "conclusion"] },
};

// A conclusion that changes is graver than any kind of slip.
const SEVERITY = ["conclusion", "mathematics", "experiment", "print"];

const element = (tag, values = {}, ...children) => {
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
  if (isTerm) row.append(element("span", { className: "entry-source", textContent: title }));
  const ranks = Object.values(traits).map(({ word }) => SEVERITY.indexOf(word)).filter((rank) => rank >= 0);
  const parts = isTerm ? [row, row.nextElementSibling] : [row];
  return { row, parts, traits, home: row.parentElement, rank: Math.min(...ranks) };
}

function choice(name, options) {
  const id = `choose-${name}`;
  const listed = options.map(([value, textContent]) => element("option", { value, textContent }));
  const select = element("select", { name, id }, ...listed);
  return { select, labelled: element("div", {}, element("label", { htmlFor: id, textContent: name }), select) };
}

// A select for each trait in which the entries differ.
function makeChoices(entries, badges) {
  return [...badges, "source"].flatMap((name) => {
    const words = new Map(entries.map(({ traits }) => [traits[name].word, traits[name].words]));
    return words.size > 1 ? [choice(name, [["", "all"], ...words])] : [];
  });
}

function addFilters(rows, { noun, badges }) {
  const entries = rows.map((row) => readEntry(row, badges));
  const choices = makeChoices(entries, badges);
  if (!choices.length) return;
  const order = choice("order", [["", "place in the source"], ["severity", "severity"]]);
  const controls = badges.includes("conclusion") ? [...choices, order] : choices;
  const sorted = element("dl", { className: "errata by-severity" });
  const count = element("output");
  const all = element("button", { type: "button", textContent: "Show all" });
  const bar = element("div", { className: "filters", role: "search", ariaLabel: `Choose among the ${noun}` },
    ...controls.map(({ labelled }) => labelled), element("p", {}, count, " ", all));
  const article = document.querySelector(".bd-article > section");
  const sections = [...article.querySelectorAll("section")].filter((each) => rows.some((row) => each.contains(row)));

  const matches = ({ traits }) =>
    choices.every(({ select: { name, value } }) => !value || traits[name].word === value);

  function arrange() {
    if (order.select.value) {
      sorted.append(...[...entries].sort((a, b) => a.rank - b.rank).flatMap(({ parts }) => parts));
      bar.after(sorted);
    } else if (sorted.isConnected) {
      entries.forEach(({ home, parts }) => home.append(...parts));
      sorted.remove();
    }
  }

  function update() {
    arrange();
    const shown = entries.filter(matches);
    entries.forEach((entry) => entry.parts.forEach((part) => (part.hidden = !shown.includes(entry))));
    sections.forEach((section) => {
      section.hidden = !shown.some(({ row }) => section.contains(row));
      const link = document.querySelector(`.page-toc a[href="#${section.id}"]`);
      if (link) link.parentElement.hidden = section.hidden;
    });
    count.textContent = `${shown.length} of ${entries.length} ${noun}`;
    all.hidden = controls.every(({ select }) => !select.value);
  }

  // Without the place that a link has led to: it may be out of the list now.
  function choose(place = "") {
    update();
    const chosen = controls.map(({ select: { name, value } }) => [name, value]).filter(([, value]) => value);
    const query = new URLSearchParams(chosen);
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${place}`);
  }

  function showAll(place) {
    controls.forEach(({ select }) => (select.value = ""));
    choose(place);
  }

  // A link into what is left out shows it.
  function reveal() {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place?.closest("[hidden]")) return;
    showAll(location.hash);
    place.scrollIntoView();
  }

  bar.addEventListener("change", () => choose());
  all.addEventListener("click", () => {
    showAll();
    controls[0].select.focus();
  });
  addEventListener("hashchange", reveal);
  const isOfAll = choices.some(({ select }) => select.name === "source");
  (isOfAll ? article.querySelector("section") : rows[0].closest("dl, .pst-scrollable-table-container")).before(bar);
  const asked = new URLSearchParams(location.search);
  controls.forEach(({ select }) => {
    select.value = asked.get(select.name) ?? "";
    if (select.selectedIndex < 0) select.value = ""; // the address asks for what there is not
  });
  update();
  reveal();
}

Object.entries(LISTS).forEach(([selector, list]) => {
  const rows = [...document.querySelectorAll(`${selector} :is(tr, dt):has(.badge-source)`)];
  if (rows.length) addFilters(rows, list);
});
