// The search page: Sphinx finds the pages, this ranks them and quotes what they say.
// Sphinx's own summary fetches each page, which file:// does not allow; searchtext.js holds them all.

const GREEK = { epsilon: "ε", delta: "δ", lambda: "λ", sigma: "σ", tau: "τ", gamma: "γ", rho: "ρ" };
const KINDS = { section: 0, statement: 25, term: 60 };
const GLOSSARY = "book/glossary";
const NOTATION = "book/notation";
const EXACT = 150; // a title that says what was asked for, and nothing else
const PHRASE = 40; // a title that says it among other words
const EXCERPT = 240;
const QUOTED = 2; // places of a page that are quoted

// Chapters first, then the glossary; the table of symbols for a symbol; the package's reference last.
function weightOf(page, query) {
  if (page === NOTATION && isSymbol(query)) return 500;
  if (page.startsWith("book/reference")) return 0;
  if (page === GLOSSARY || page === NOTATION) return 150;
  return /^book\/\w+\//.test(page) ? 200 : 100;
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// What was asked for as it stands: "laplace mechanism", "v_min", "b*".
const phraseOf = (query) =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(query)}(?![\\p{L}\\p{N}_*])`, "giu");

// A sign of a formula is no word: Sphinx would look for the letters in it.
const isSymbol = (query) => /^[^\s()]+$/u.test(query) && /[_*^]|^\p{L}$/u.test(query);

// "The Laplace mechanism" and "Definition 2.1 (Laplace mechanism)" name the same; "Theorem 6.1 (Noise
// that is enough: Theorem 1′ of this book)" has two names. A prime is no part of what is asked for.
const nameOf = (text) =>
  text.replace(/^(the|an?) |\s*★$| of this book$/gi, "").replace(/[′'’]/g, "").trim().toLowerCase();

function namesIn(title) {
  const inBrackets = title.match(/^\p{Lu}\p{Ll}+ [\d.]+ \((.*)\)$/u);
  const name = inBrackets ? inBrackets[1] : title;
  return [name, ...name.split(": ")].map(nameOf);
}

// How well a title answers: it is what was asked for, or says it.
function fits(title, query) {
  if (namesIn(title).includes(nameOf(query))) return EXACT;
  return phraseOf(query).test(title) ? PHRASE : 0;
}

// Every form of the words: "noise" finds "noisy", as it does in Sphinx's index.
function patternOf(words) {
  const forms = [...words].flatMap((word) => [word, GREEK[word] ?? word]);
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms.map(escaped).join("|")})[\\p{L}]*`, "giu");
}

const hits = (text, pattern) => text.match(pattern)?.length ?? 0;

function rankPlaces(page, pattern, query) {
  return (window.searchText[page] ?? [])
    .map(([kind, anchor, title, text]) => {
      const named = hits(title, pattern) > 0;
      const said = hits(text, pattern);
      const exact = named ? fits(title, query) : 0;
      const phrase = phraseOf(query).test(text) ? PHRASE / 4 : 0;
      const score =
        said + named ? (KINDS[kind] + 30) * named + exact + phrase + Math.min(said, 10) : 0;
      const shown = said > 0 || exact === EXACT; // a statement need not say its own name
      return { kind, anchor, title, text, shown, score };
    })
    .filter((place) => place.shown || (place.score > 0 && place.kind === "term"))
    .sort((a, b) => b.score - a.score);
}

function rankPages(pages, pattern, query) {
  const words = query.split(/\s+/).length;
  const titles = new Map(Search._index.docnames.map((page, i) => [page, Search._index.titles[i]]));
  return pages
    .map((page) => {
      const title = titles.get(page);
      const places = rankPlaces(page, pattern, query);
      const best = places[0]?.score ?? 0;
      const named = 100 * Math.min(1, hits(title, pattern) / words);
      const score = weightOf(page, query) + named + fits(title, query) + best;
      return { page, title, places: places.filter((place) => place.shown), score };
    })
    .sort((a, b) => b.score - a.score || a.page.localeCompare(b.page));
}

// The words around the first hit, with every hit marked.
function excerpt(text, pattern) {
  const at = Math.max(0, text.search(pattern) - EXCERPT / 3);
  const start = at === 0 ? 0 : text.indexOf(" ", at) + 1;
  const end = start + EXCERPT < text.length ? text.lastIndexOf(" ", start + EXCERPT) : text.length;
  const part = text.slice(start, end);
  const quote = document.createElement("span");
  let from = 0;
  quote.append(start > 0 ? "… " : "");
  for (const hit of part.matchAll(pattern)) {
    const mark = document.createElement("mark");
    mark.textContent = hit[0];
    quote.append(part.slice(from, hit.index), mark);
    from = hit.index + hit[0].length;
  }
  quote.append(part.slice(from), end < text.length ? " …" : "");
  return quote;
}

function link(page, anchor, html) {
  const a = document.createElement("a");
  a.href = `${page}${DOCUMENTATION_OPTIONS.LINK_SUFFIX}${anchor}`;
  a.innerHTML = html;
  return a;
}

function showPage({ page, title, places }, pattern) {
  const item = document.createElement("li");
  item.append(link(page, "", title));
  for (const place of places.slice(0, QUOTED)) {
    const quote = document.createElement("p");
    quote.className = "context";
    const where = document.createElement("span");
    where.textContent = place.title;
    quote.append(link(page, place.anchor && `#${place.anchor}`, where.innerHTML), ": ");
    quote.append(excerpt(place.text, pattern));
    item.append(quote);
  }
  return item;
}

function showObject([page, title, anchor, description]) {
  const item = document.createElement("li");
  const said = document.createElement("span");
  said.innerHTML = ` (${description})`;
  item.append(link(page, anchor, title), said);
  return item;
}

// Pages that say what was asked for, as Sphinx knows words and no formulas.
function pagesThatSay(phrase) {
  const says = ([, , title, text]) => title.match(phrase) || text.match(phrase);
  return Object.keys(window.searchText).filter((page) => window.searchText[page].some(says));
}

function show(query) {
  const parsed = Search._parseQuery(query);
  const [, stems, , words] = parsed;
  const found = Search._performSearch(...parsed).reverse();
  for (const word of words) {
    if (GREEK[word]) found.push(...Search._performSearch(...Search._parseQuery(GREEK[word])));
  }
  const literal = pagesThatSay(phraseOf(query));
  const isSign = isSymbol(query) && literal.length > 0;
  const pattern = isSign ? phraseOf(query) : patternOf(new Set([...stems, ...words]));
  const asked = query.toLowerCase().split(".").at(-1);
  const isAsked = ([, title, , description]) =>
    /class|function|module/.test(description) && title.toLowerCase().split(".").at(-1) === asked;
  const objects = found.filter(([, , , description]) => description);
  const exact = objects.filter(isAsked);
  const others = isSign ? [] : objects.filter((object) => !isAsked(object));
  const known = found.filter((result) => !result[3]).map(([page]) => page);
  const pages = new Set(isSign ? literal : [...known, ...literal]);
  Search.output.append(
    ...exact.map(showObject),
    ...rankPages([...pages], pattern, query).map((page) => showPage(page, pattern)),
    ...others.map(showObject),
  );
  _finishSearch(pages.size + exact.length + others.length);
}

// Only somebody who looks for something waits for the text of the book.
Search.query = (query) => {
  const script = document.createElement("script");
  script.src = `${document.documentElement.dataset.content_root}searchtext.js`;
  script.onload = () => show(query.trim());
  document.body.append(script);
};
