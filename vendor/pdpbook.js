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

function watchScrolling() {
  const observer = new ResizeObserver((entries) => {
    entries.forEach((entry) => markScrolling(entry.target));
  });
  document.querySelectorAll(SCROLLING).forEach((box) => observer.observe(box));
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
  });
}

repairRoles();
boxDrawings();
watchScrolling();
window.MathJax?.startup?.promise?.then(watchScrolling);
