// Small repairs of the theme's pages, so that a keyboard and a screen reader reach everything.

const all = (selector) => [...document.querySelectorAll(selector)];

function nameParts() {
  const sidebar = document.querySelector("#pst-primary-sidebar");
  sidebar?.setAttribute("role", "region");
  sidebar?.setAttribute("aria-label", "Book");
  // The arrow that unfolds the pages below an entry says nothing.
  all("nav li > details > summary").forEach((arrow) => {
    arrow.setAttribute("aria-label", `Pages of ${arrow.closest("li").querySelector("a").textContent.trim()}`);
  });
  // ARIA has withdrawn the role of the entries of a bibliography.
  all("[role=doc-biblioentry]").forEach((entry) => entry.setAttribute("role", "listitem"));
}

// A formula that scrolls is a stop of the Tab key.
async function reachFormulas() {
  await window.MathJax?.startup.promise;
  all("mjx-container[display=true], span.math").filter((box) => box.scrollWidth > box.clientWidth)
    .forEach((box) => (box.tabIndex = 0));
}

// What is folded opens where a link leads into it.
function reveal() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = place; box; box = box.parentElement) if (box.matches("details")) box.open = true;
  place?.scrollIntoView();
}

nameParts();
["load", "resize"].forEach((change) => addEventListener(change, reachFormulas));
addEventListener("hashchange", reveal);
if (location.hash) addEventListener("load", reveal);
