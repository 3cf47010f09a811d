// The search page, in place of Sphinx's script of this name: MiniSearch finds places of the book, this
// ranks their pages and quotes them. The text is in searchindex.js, which book/_ext/search.py writes.

const GREEK = new Map(Object.entries({ α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon",
  λ: "lambda", μ: "mu", π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", ω: "omega", ℓ: "l",
  eps: "epsilon", varepsilon: "epsilon", ell: "l" }));
const BACK = /^book\/(notation|glossary|errata|checks|sources|bibliography)$/;
const TOKEN = /[\p{L}\p{N}]+(?:[_^*][\p{L}\p{N}*]*)*/gu;
const STATEMENT = /^\p{Lu}\p{Ll}+ [\d.]+(?: \((.*)\))?$/u; // Definition 2.1 (Laplace mechanism)
const WORD = /((?:\\\(.*?\\\)|\S)+)/; // of a quotation: no formula is cut
const [BEFORE, FROM] = [12, 32]; // words that are quoted before a hit, and from there on

// The words of a text; those of a formula are v_min and b*, where TeX has v_{\min} and b^*.
const tokens = (text) => text.replace(/\\[()]/g, " ").replace(/[\\{}]|\^(?=\*)/g, "").match(TOKEN) ?? [];

// What the forms of a word have in common, also the British and the American one; null if it says nothing.
const stems = new Map();
function stemOf(token) {
  if (!stems.has(token)) {
    let word = token.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    word = GREEK.get(word) ?? word;
    word = word.replace(/(?<=...)is(?=(e[drs]*|ing|ations?)$)/, "iz").replace(/(?<=...)our(?=(s|ed|ing)?$)/, "or");
    const stem = /^[a-z]+$/.test(word) ? new Stemmer().stemWord(word) : word; // Sphinx's, as are the stopwords
    stems.set(token, stopwords.includes(word) ? null : stem);
  }
  return stems.get(token);
}

const stemmed = (text) => tokens(text).map(stemOf).filter(Boolean).join(" ");

// Every place of the book, and an index of them; "Nash equilibrium and regret" is a place of two names.
function read(text) {
  const places = Object.entries(text).flatMap(([page, entries]) =>
    entries.map(([anchor, title, said], i) => {
      const name = title.replace(STATEMENT, "$1").replace(/\s★$| of this book$/, "");
      const names = [name, ...name.split(/: | and /)].map(stemmed);
      return { id: `${page}#${anchor}`, page, anchor, title, said, names, isFirst: i === 0 };
    }));
  const index = new MiniSearch({ fields: ["title", "said"], tokenize: tokens, processTerm: stemOf });
  index.addAll(places);
  return { places: new Map(places.map((place) => [place.id, place])), index };
}

// Chapters first, in them what defines; the table of symbols for a symbol; the package's reference last.
function weightOf({ page, anchor, title, names, isFirst }, query) {
  const isSymbol = /^\S$|^\S+[_*^]\S*$/u.test(query) || [...GREEK.values()].includes(query);
  const isCode = /^\S*([._]|[a-z][A-Z]|[A-Z]{2})\S*$/.test(query);
  const ofKind = page.startsWith("book/reference") ? 0.001 : BACK.test(page) ? 0.15 : 1;
  const ofPage = page === "book/notation" && isSymbol ? 20 : ofKind;
  const exact = anchor === title && isCode && `.${title}`.endsWith(`.${query}`) ? 1e5 : 1;
  return ofPage * exact * (isFirst ? 2 : 1) * (STATEMENT.test(title) ? 1.5 : 1) * (names.includes(stemmed(query)) ? 6 : 1);
}

// The query with words of the book in place of those that it does not have.
function corrected({ index }, query) {
  return query.replace(TOKEN, (word) => {
    const [stem, asIs, counts] = [stemOf(word), { processTerm: (term) => term }, new Map()];
    if (!stem || index.search(stem, { ...asIs, prefix: true }).length) return word;
    const near = index.search(stem, { ...asIs, fuzzy: stem.length > 7 ? 2 : 1 }).flatMap(({ terms }) => terms);
    near.forEach((term) => counts.set(term, (counts.get(term) ?? 0) + 1));
    return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? word;
  });
}

// The pages that hold all words of the query, the best first, each with its best places.
function rank({ places, index }, query) {
  const wanted = new Set(stemmed(query).split(" "));
  const pages = new Map();
  const boostDocument = (id) => weightOf(places.get(id), query);
  const options = { prefix: (stem) => stem.length > 3, boost: { title: 3 }, boostDocument };
  for (const { id, score, queryTerms, terms } of index.search(query, options)) {
    const { page } = places.get(id);
    const found = pages.get(page) ?? { page, score: 0, words: new Set(), places: [] };
    queryTerms.forEach((term) => found.words.add(term));
    found.places.push({ ...places.get(id), terms });
    found.score = Math.max(found.score, score * queryTerms.length);
    pages.set(page, found);
  }
  return [...pages.values()].filter(({ words }) => words.size === wanted.size).sort((a, b) => b.score - a.score);
}

function make(tag, values, ...children) {
  const made = Object.assign(document.createElement(tag), values);
  made.append(...children);
  return made;
}

const link = (page, anchor, text) => make("a", { href: `${page}.html${anchor && `#${anchor}`}` }, text);

// The words around the first hit, with every hit marked.
function quotation({ page, anchor, title, said, terms }) {
  const isHit = (word) => tokens(word).some((token) => terms.includes(stemOf(token)));
  const words = said.split(WORD).filter((word) => word.trim());
  const at = Math.max(0, words.findIndex(isHit) - BEFORE);
  const quoted = words.slice(at, at + BEFORE + FROM).flatMap((word) => [isHit(word) ? make("mark", {}, word) : word, " "]);
  const cut = at + BEFORE + FROM < words.length ? "…" : "";
  return make("p", { className: "context" }, link(page, anchor, title), at ? ": … " : ": ", ...quoted, cut);
}

addEventListener("load", async () => {
  const query = (new URLSearchParams(location.search).get("q") ?? "").trim();
  document.querySelectorAll(".bd-search input").forEach((input) => (input.value = query));
  if (!query) return;
  const book = read(searchText);
  const meant = corrected(book, query);
  const items = rank(book, meant).map(({ page, places }) => {
    const [best] = places;
    const isObject = best.anchor === best.title;
    const heading = isObject ? link(page, best.anchor, best.title) : link(page, "", searchText[page][0][1]);
    const quoted = places.filter(({ said }) => said).slice(0, isObject ? 1 : 2).map(quotation);
    return make("li", {}, heading, ...quoted);
  });
  const near = meant === query ? "" : `The book does not say “${query}”, but it says words like it. `;
  const found = items.length ? `Pages found: ${items.length}.` : "No page holds all of these words.";
  const list = make("ul", { className: "search tex2jax_process" }, ...items);
  document.getElementById("search-results").append(make("p", { role: "status" }, near + found), list);
  await MathJax.startup.promise;
  await MathJax.typesetPromise([list]);
});
