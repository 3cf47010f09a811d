// Small repairs of the built pages, so that a keyboard and a screen reader reach everything.

const SCROLLING = [
  "pre",
  "mjx-container[display=true]",
  ".output",
  ".figure-box",
  ".pst-scrollable-table-container",
  "dl.py > dt",
].join(", ");

// A box that scrolls can be reached with the Tab key; one that does not needs no stop.
function markScrolling(box) {
  const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
  if (scrolls) {
    box.tabIndex = 0;
  } else if (box.matches("mjx-container, dt")) {
    box.removeAttribute("tabindex");
  }
}

// A formula within a line scrolls only where it is wider than the line.
function markFormula(box) {
  const formula = box.querySelector("mjx-math");
  const wide = formula && formula.getBoundingClientRect().width > box.clientWidth + 1;
  box.classList.toggle("wide", wide);
  if (wide) {
    box.tabIndex = 0;
  } else {
    box.removeAttribute("tabindex");
  }
}

function watch(selector, mark) {
  const observer = new ResizeObserver((entries) => {
    entries.forEach((entry) => mark(entry.target));
  });
  document.querySelectorAll(selector).forEach((box) => observer.observe(box));
}

function watchScrolling() {
  watch(SCROLLING, markScrolling);
  watch("span.math", markFormula);
}

function repairRoles() {
  // The side bar holds the title, the search and the contents: a landmark with a name.
  const sidebar = document.querySelector("#pst-primary-sidebar");
  sidebar?.setAttribute("role", "region");
  sidebar?.setAttribute("aria-label", "Book");
  // docutils gives the entries of a list of citations a role that ARIA has withdrawn.
  document.querySelectorAll("[role=doc-biblioentry]").forEach((entry) => {
    entry.setAttribute("role", "listitem");
  });
  // The empty corner of a table heads nothing.
  const isEmpty = (cell) => !cell.textContent.trim() && !cell.querySelector("img, svg");
  [...document.querySelectorAll("th")].filter(isEmpty).forEach((corner) => {
    corner.replaceWith(document.createElement("td"));
  });
  document.querySelector("a.btn-notebook")?.setAttribute("download", "");
}

// On a phone a drawing keeps its letters readable and scrolls in a box of its own.
function boxDrawings() {
  document.querySelectorAll("figure > img[src$='.svg']").forEach((drawing) => {
    const box = document.createElement("div");
    box.className = "figure-box";
    drawing.replaceWith(box);
    box.append(drawing);
    // Its right edge fades as long as there is more to see.
    const mark = () => {
      box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    };
    box.addEventListener("scroll", mark);
    new ResizeObserver(mark).observe(drawing);
  });
}

repairRoles();
boxDrawings();
watchScrolling();
window.MathJax?.startup?.promise?.then(watchScrolling);
