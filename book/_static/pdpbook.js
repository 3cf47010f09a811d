// Small repairs of the built pages, so that a keyboard and a screen reader reach everything.

const SCROLLING = [
  "pre",
  "mjx-container[display=true]",
  ".output",
  ".pst-scrollable-table-container",
  "dl.py > dt",
].join(", ");

// A box that scrolls can be reached with the Tab key; one that does not needs no stop. What goes on
// beyond the right edge fades there, below the caption of a table.
const measureBox = (box) => ({
  scrolls: box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight,
  goesOn: box.scrollWidth - box.clientWidth - box.scrollLeft > 1,
  caption: box.querySelector(":scope > table > caption")?.offsetHeight ?? 0,
});

function markScrolling(box, { scrolls, goesOn, caption }) {
  box.classList.toggle("more", goesOn);
  if (goesOn && caption) box.style.setProperty("--caption", `${caption}px`);
  if (scrolls) {
    box.tabIndex = 0;
  } else if (box.matches("mjx-container, dt")) {
    box.removeAttribute("tabindex");
  }
}

// A formula within a line scrolls only where it is wider than the line.
const isWide = (box) =>
  box.firstElementChild.getBoundingClientRect().width > box.clientWidth + 1;

function markFormula(box, wide) {
  box.classList.toggle("wide", wide);
  if (wide) {
    box.tabIndex = 0;
  } else {
    box.removeAttribute("tabindex");
  }
}

// Measure all boxes before the first is changed: otherwise each would be laid out anew.
function watch(selector, measure, mark) {
  const observer = new ResizeObserver((entries) => {
    const boxes = entries.map((entry) => entry.target);
    const measured = boxes.map(measure);
    boxes.forEach((box, i) => mark(box, measured[i]));
  });
  document.querySelectorAll(selector).forEach((box) => observer.observe(box));
}

function watchScrolling() {
  watch(SCROLLING, measureBox, markScrolling);
  watch("span.math > mjx-container", isWide, markFormula);
  const faded = (event) => {
    const box = event.target;
    if (box.matches?.(SCROLLING)) markScrolling(box, measureBox(box));
  };
  document.addEventListener("scroll", faded, { capture: true, passive: true });
}

function repairRoles() {
  // The side bar holds the title, the search and the contents: a landmark with a name.
  const sidebar = document.querySelector("#pst-primary-sidebar");
  sidebar?.setAttribute("role", "region");
  sidebar?.setAttribute("aria-label", "Book");
  // The arrow that unfolds the pages below an entry has no name of its own.
  document.querySelectorAll("nav li > details > summary").forEach((arrow) => {
    const entry = arrow.closest("li").querySelector("a").textContent.trim();
    arrow.setAttribute("aria-label", `Pages of ${entry}`);
  });
  // docutils gives the entries of a list of citations a role that ARIA has withdrawn.
  document.querySelectorAll("[role=doc-biblioentry]").forEach((entry) => {
    entry.setAttribute("role", "listitem");
  });
  // The empty corner of a table heads nothing.
  const isEmpty = (cell) => !cell.textContent.trim() && !cell.querySelector("img, svg");
  [...document.querySelectorAll("th")].filter(isEmpty).forEach((corner) => {
    const cell = document.createElement("td");
    [cell.rowSpan, cell.colSpan] = [corner.rowSpan, corner.colSpan];
    corner.replaceWith(cell);
  });
  document.querySelector("a.btn-notebook")?.setAttribute("download", "");
  // An icon is a letter of a font of its own, which nobody can read out.
  document.querySelectorAll("i[class*=fa-]").forEach((icon) => {
    icon.setAttribute("aria-hidden", "true");
  });
}

// A long name in a side bar breaks where one of its words ends.
function breakNames() {
  document.querySelectorAll("#pst-primary-sidebar nav a, .bd-toc-nav a").forEach((link) => {
    const walker = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    texts.filter((text) => /\w[._]\w/.test(text.data)).forEach((text) => {
      const parts = text.data.split(/(?<=\w[._])(?=\w)/);
      text.replaceWith(...parts.flatMap((part, i) =>
        i ? [document.createElement("wbr"), part] : [part]));
    });
  });
}

// What is folded opens where a link or a search leads into it, and on paper; code that makes a
// figure is printed only if the reader has opened it.
function openAround(place) {
  for (let fold = place?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
  }
}

function reveal() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  openAround(place);
  place?.scrollIntoView();
}

function openFolds() {
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
  document.querySelectorAll("details span.highlighted").forEach(openAround);
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("article details:not([open], .hide)")];
    closed.forEach((fold) => (fold.open = true));
  });
  addEventListener("afterprint", () => closed.forEach((fold) => (fold.open = false)));
}

repairRoles();
breakNames();
openFolds();
watchScrolling();
