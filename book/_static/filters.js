// Lists with verdicts: a button for each, that leaves the entries of its kind. On a phone what is
// said of a verdict is folded.

const LISTS = "table.items, table.ledger, dl.errata";

// An entry of a list: a row of a table, or a term with its definition.
function entryOf(badge) {
  const row = badge.closest("tr, dt");
  return row.matches("dt") ? [row, row.nextElementSibling] : [row];
}

function kindsIn(lists) {
  const kinds = new Map();
  lists.forEach((list) => {
    list.querySelectorAll(".badge-source").forEach((badge) => {
      const word = badge.textContent;
      if (!kinds.has(word)) kinds.set(word, { badge, entries: [] });
      kinds.get(word).entries.push(entryOf(badge));
    });
  });
  return kinds;
}

function button(word, count, className) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.setAttribute("aria-pressed", "false");
  made.textContent = `${word} (${count})`;
  return made;
}

function addFilters(lists) {
  const kinds = kindsIn(lists);
  if (kinds.size < 2) return;
  const all = new Set([...kinds.values()].flatMap(({ entries }) => entries));
  const bar = document.createElement("div");
  bar.className = "filters";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Show only");
  const buttons = [...kinds].map(([word, { badge, entries }]) => {
    const made = button(word, entries.length, badge.className);
    made.addEventListener("click", () => {
      const pressed = made.getAttribute("aria-pressed") === "false";
      buttons.forEach((each) => each.setAttribute("aria-pressed", "false"));
      made.setAttribute("aria-pressed", String(pressed));
      const kept = new Set(entries.flat());
      [...all].flat().forEach((part) => (part.hidden = pressed && !kept.has(part)));
    });
    return made;
  });
  bar.append(...buttons);
  const first = lists[0].closest(".pst-scrollable-table-container") ?? lists[0];
  const section = first.closest("article > section");
  const top = lists.length > 1 ? section.querySelector(":scope > section") : first;
  (top ?? first).before(bar);
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

const lists = [...document.querySelectorAll(LISTS)];
if (lists.length) {
  addFilters(lists);
  foldVerdicts();
}
