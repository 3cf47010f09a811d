// The search page: MiniSearch finds places of the book, this ranks their pages and quotes what they say.
// Everything is in searchtext.js, since file:// does not let a page fetch another.

const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", λ: "lambda", μ: "mu" };
Object.assign(GREEK, { π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", ω: "omega", ℓ: "l" });
// British spellings and American ones are one word, and so are their forms.
const AMERICAN = [
  [/is(e|ed|es|er|ers|ing|ation|ations)$/, "iz$1"],
  [/our(s|ed|ing|able)?$/, "or$1"],
  [/tre(s|d)?$/, "ter$1"],
  [/ll(ed|ing|er)$/, "l$1"],
  [/ogue(s)?$/, "og$1"],
];
const WEIGHTS = { notation: 0.4, glossary: 0.2, errata: 0.3, checks: 0.3, sources: 0.3, bibliography: 0.2 };
const NAMED = 6; // a title that says what was asked for, and nothing else
const SAID = 1.5; // a place that says it word for word
const EXCERPT = 240;
const QUOTED = 2; // places of a page that are quoted

const stemmer = new Stemmer(); // Porter's and the words to leave out, from Sphinx's language_data.js
const forms = new Map(); // how often a stem stands in the book, by form

const tokens = (text) => text.match(/[\p{L}\p{N}]+(?:[_^*][\p{L}\p{N}*]*)*/gu) ?? [];

const remembered = new Map();
function stemOf(token) {
  if (!remembered.has(token)) remembered.set(token, newStem(token));
  return remembered.get(token);
}

function newStem(token) {
  let word = token.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  word = word.replace(/[α-ωℓ]/gu, (letter) => GREEK[letter] ?? letter);
  if (stopwords.includes(word)) return null;
  if (word.length > 4) for (const [british, american] of AMERICAN) word = word.replace(british, american);
  return /^[a-z]+$/.test(word) ? stemmer.stemWord(word) : word;
}

function learn(token) {
  const stem = stemOf(token);
  if (stem) {
    const known = forms.get(stem) ?? new Map();
    known.set(token.toLowerCase(), (known.get(token.toLowerCase()) ?? 0) + 1);
    forms.set(stem, known);
  }
  return stem;
}

const commonest = (counts) => [...counts].sort((a, b) => b[1] - a[1])[0][0];
const stemmed = (text) => tokens(text).map(stemOf).filter(Boolean).join(" ");

// Every place of the book, and an index of them.
function read(searchText) {
  const places = Object.entries(searchText).flatMap(([page, entries]) =>
    entries.map(([kind, anchor, title, text], i) => {
      return { page, kind, anchor, title, text, first: i === 0, stems: ` ${stemmed(text)} ` };
    }),
  );
  const index = new MiniSearch({ fields: ["title", "text"], tokenize: tokens, processTerm: learn });
  index.addAll(places.map((place, id) => ({ id, ...place })));
  return { places, index };
}

// "Definition 2.1 (Laplace mechanism)" is named by what stands in brackets, a page by its title without
// the star, and "Nash equilibrium and regret" has two names.
function isNamed(title, asked) {
  const name = title.replace(/^\p{Lu}\p{Ll}+ [\d.]+ \((.*)\)$/u, "$1").replace(/\s*★$| of this book$/g, "");
  return [name, ...name.split(/: | and /)].some((part) => stemmed(part) === asked);
}

const isSymbol = (query) => /^\S$|^\S+[_*^]\S*$/u.test(query) || Object.values(GREEK).includes(query);

const isCode = (query) => /^\S*([._]|[a-z][A-Z]|[A-Z]{2})\S*$/.test(query);

// Chapters first, in them what defines; the table of symbols for a symbol; the package's reference last.
function weightOf({ page, kind, title, stems, first }, query) {
  const name = page.split("/").at(-1);
  const objects = page.startsWith("book/reference") ? 0.001 : 1;
  let weight = page === "book/notation" && isSymbol(query) ? 20 : (WEIGHTS[name] ?? objects);
  if (kind === "statement") weight *= title.startsWith("Definition") ? 2 : title === "Proof" ? 0.5 : 1.2;
  if (first) weight *= 2;
  const asked = stemmed(query);
  if (isNamed(title, asked)) weight *= NAMED;
  if (stems.includes(` ${asked} `)) weight *= SAID;
  if (kind === "object" && isCode(query) && `.${title}`.endsWith(`.${query}`)) weight *= 1e5;
  return weight;
}

// The query with words of the book in place of those that it does not have.
function corrected({ index }, query) {
  const asIs = { processTerm: (stem) => stem };
  return query.replace(/[\p{L}\p{N}]+(?:[_^*][\p{L}\p{N}*]*)*/gu, (word) => {
    const stem = stemOf(word);
    if (!stem || index.search(stem, { ...asIs, prefix: true }).length) return word;
    const near = new Map();
    for (const { terms } of index.search(stem, { ...asIs, fuzzy: stem.length > 7 ? 2 : 1 })) {
      for (const term of terms) near.set(term, (near.get(term) ?? 0) + 1);
    }
    return near.size ? commonest(forms.get(commonest(near))) : word;
  });
}

// The pages that hold all words of the query, the best first, each with its best places.
function rank({ places, index }, query) {
  const wanted = new Set(tokens(query).map(stemOf).filter(Boolean));
  const pages = new Map();
  const options = {
    processTerm: stemOf,
    prefix: (stem) => stem.length > 3,
    boost: { title: 3 },
    boostDocument: (id) => weightOf(places[id], query),
  };
  for (const { id, score, queryTerms, terms } of index.search(query, options)) {
    const place = { ...places[id], score, terms: new Set(terms) };
    const page = pages.get(place.page) ?? { page: place.page, score: 0, found: new Set(), places: [] };
    queryTerms.forEach((term) => page.found.add(term));
    page.places.push(place);
    page.score = Math.max(page.score, score * queryTerms.length ** 2);
    pages.set(place.page, page);
  }
  const whole = [...pages.values()].filter((page) => page.found.size === wanted.size);
  return whole.sort((a, b) => b.score - a.score || a.page.localeCompare(b.page));
}

// The words around the first hit, with every hit marked.
function excerpt(text, terms) {
  const words = [...text.matchAll(/[\p{L}\p{N}]+(?:[_^*][\p{L}\p{N}*]*)*/gu)];
  const marked = words.filter((word) => terms.has(stemOf(word[0])));
  const at = Math.max(0, (marked[0]?.index ?? 0) - EXCERPT / 3);
  const start = at === 0 ? 0 : text.indexOf(" ", at) + 1;
  const end = start + EXCERPT < text.length ? text.lastIndexOf(" ", start + EXCERPT) : text.length;
  const quote = document.createElement("span");
  let from = start;
  quote.append(start > 0 ? "… " : "");
  for (const hit of marked.filter((word) => word.index >= start && word.index + word[0].length <= end)) {
    const mark = document.createElement("mark");
    mark.textContent = hit[0];
    quote.append(text.slice(from, hit.index), mark);
    from = hit.index + hit[0].length;
  }
  quote.append(text.slice(from, end), end < text.length ? " …" : "");
  return quote;
}

function link(page, anchor, text) {
  const a = document.createElement("a");
  a.href = `${page}${DOCUMENTATION_OPTIONS.LINK_SUFFIX}${anchor && `#${anchor}`}`;
  a.textContent = text;
  return a;
}

function listed({ page, places }, titles) {
  const item = document.createElement("li");
  const [best] = places;
  const isObject = best.kind === "object";
  item.append(isObject ? link(page, best.anchor, best.title) : link(page, "", titles.get(page)));
  for (const place of places.filter(({ text }) => text).slice(0, isObject ? 1 : QUOTED)) {
    const quote = document.createElement("p");
    quote.className = "context";
    quote.append(link(page, place.anchor, place.title), ": ", excerpt(place.text, place.terms));
    item.append(quote);
  }
  return item;
}

function answer(query, summary) {
  const book = read(window.searchText);
  const titles = new Map(book.places.filter(({ first }) => first).map(({ page, title }) => [page, title]));
  const meant = corrected(book, query);
  const pages = rank(book, meant);
  const list = document.createElement("ul");
  list.className = "search";
  list.append(...pages.map((page) => listed(page, titles)));
  const found = pages.length === 1 ? "one page" : `${pages.length} pages`;
  summary.textContent = pages.length
    ? `Search finished, found ${found}.`
    : "No page holds all of these words.";
  if (meant !== query && pages.length) {
    summary.prepend(`The book does not say “${query}”. Did you mean “${meant}”? `);
  }
  summary.after(list);
}

const query = (new URLSearchParams(location.search).get("q") ?? "").trim();
if (query) {
  document.querySelectorAll(".bd-search input").forEach((input) => (input.value = query));
  const summary = document.createElement("p");
  summary.className = "search-summary";
  summary.setAttribute("role", "status");
  summary.textContent = "Searching …";
  document.getElementById("search-results").append(summary);
  // Only somebody who looks for something waits for the text of the book.
  const script = document.createElement("script");
  script.src = "searchtext.js";
  script.onload = () => answer(query, summary);
  document.body.append(script);
}
