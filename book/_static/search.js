// The search page: Sphinx finds the pages, this ranks them and quotes what they say.
// Sphinx's own summary fetches each page, which file:// does not allow; searchtext.js holds them all.

const GREEK = { epsilon: "ε", delta: "δ", lambda: "λ", sigma: "σ", tau: "τ", gamma: "γ", rho: "ρ" };
const KINDS = { section: 0, statement: 25, term: 60 };
const EXCERPT = 240;
const QUOTED = 2; // places of a page that are quoted

// Chapters first; the reference of the package last.
function weightOf(page) {
  if (page.startsWith("book/reference")) return 0;
  return /^book\/\w+\/|^book\/(glossary|notation)/.test(page) ? 200 : 100;
}

// Every form of the words: "noise" finds "noisy", as it does in Sphinx's index.
function patternOf(words) {
  const forms = [...words].flatMap((word) => [word, GREEK[word] ?? word]);
  const escaped = forms.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})[\\p{L}]*`, "giu");
}

const hits = (text, pattern) => text.match(pattern)?.length ?? 0;

function rankPlaces(page, pattern) {
  return (window.searchText[page] ?? [])
    .map(([kind, anchor, title, text]) => {
      const named = hits(title, pattern) > 0;
      const said = hits(text, pattern);
      const score = said + named ? KINDS[kind] * named + 30 * named + Math.min(said, 10) : 0;
      return { kind, anchor, title, text, said, score };
    })
    .filter((place) => place.said > 0 || (place.score > 0 && place.kind === "term"))
    .sort((a, b) => b.score - a.score);
}

function rankPages(pages, pattern) {
  const titles = new Map(Search._index.docnames.map((page, i) => [page, Search._index.titles[i]]));
  return pages
    .map((page) => {
      const title = titles.get(page);
      const places = rankPlaces(page, pattern);
      const best = places[0]?.score ?? 0;
      const score = weightOf(page) + 60 * (hits(title, pattern) > 0) + best;
      return { page, title, places: places.filter((place) => place.said), score };
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

function show(query) {
  const parsed = Search._parseQuery(query);
  const [, stems, , words] = parsed;
  const pattern = patternOf(new Set([...stems, ...words]));
  const found = Search._performSearch(...parsed).reverse();
  for (const word of words) {
    if (GREEK[word]) found.push(...Search._performSearch(...Search._parseQuery(GREEK[word])));
  }
  const objects = found.filter(([, , , description]) => description);
  const pages = new Set(found.filter((result) => !result[3]).map(([page]) => page));
  Search.output.append(
    ...rankPages([...pages], pattern).map((page) => showPage(page, pattern)),
    ...objects.map(showObject),
  );
  _finishSearch(pages.size + objects.length);
}

// Only somebody who looks for something waits for the text of the book.
Search.query = (query) => {
  const script = document.createElement("script");
  script.src = `${document.documentElement.dataset.content_root}searchtext.js`;
  script.onload = () => show(query);
  document.body.append(script);
};
