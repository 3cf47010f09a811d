// Point at a link, or reach it with the Tab key, and see the definition, theorem, figure, formula or
// term that it leads to. Escape takes it away. A finger has no pointer to rest: it follows the link.

const root = new URL(document.documentElement.dataset.content_root, location.href).href;
const requests = new Map(); // page -> promise of its parts
const answers = new Map(); // page -> who waits for them
const box = document.createElement("div");
box.id = "preview";
box.setAttribute("role", "tooltip");
box.hidden = true;
let shown = null; // the link that the box belongs to
let timer = 0;

// Called by previews/<page>.js, which works over file:// where fetch does not.
window.previewed = (page, parts) => answers.get(page)?.(parts);

function partsOf(page) {
  if (!requests.has(page)) {
    const answer = (resolve) => {
      const script = document.createElement("script");
      answers.set(page, resolve);
      script.onerror = () => resolve({});
      script.src = `${root}previews/${page}.js`;
      document.head.append(script);
    };
    requests.set(page, new Promise(answer));
  }
  return requests.get(page);
}

function loadFormulas() {
  if (box.querySelector("mjx-container") && !document.querySelector("link[href*='mathjax.css']")) {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = `${root}_static/mathjax.css`;
    document.head.append(link);
  }
}

function place(link) {
  const { left, top, bottom } = link.getClientRects()[0];
  const width = Math.min(560, innerWidth - 32);
  box.style.width = `${width}px`;
  box.style.left = `${Math.max(16, Math.min(left, innerWidth - width - 16)) + scrollX}px`;
  const below = bottom + box.offsetHeight + 8 < innerHeight || top < box.offsetHeight + 8;
  box.style.top = `${(below ? bottom + 6 : top - box.offsetHeight - 6) + scrollY}px`;
}

function hide() {
  clearTimeout(timer);
  box.hidden = true;
  shown?.removeAttribute("aria-describedby");
  shown = null;
}

async function show(link) {
  const target = new URL(link.href);
  const page = target.href.split("#")[0].slice(root.length).replace(/\.html$/, "");
  shown = link;
  const part = (await partsOf(page))[decodeURIComponent(target.hash.slice(1))];
  if (!part || shown !== link) return;
  box.innerHTML = part;
  box.querySelectorAll(".headerlink, script").forEach((each) => each.remove());
  box.querySelectorAll("[id]").forEach((each) => each.removeAttribute("id"));
  box.querySelectorAll("a, [tabindex]").forEach((each) => (each.tabIndex = -1));
  box.querySelectorAll("img").forEach((image) => {
    image.src = new URL(image.getAttribute("src"), target).href;
  });
  loadFormulas();
  box.hidden = false;
  link.setAttribute("aria-describedby", box.id);
  place(link);
}

const wait = (action, time) => {
  clearTimeout(timer);
  timer = setTimeout(action, time);
};

document.querySelectorAll("article a.internal[href*='#']").forEach((link) => {
  if (!link.href.startsWith(root) || link.closest("nav, h1, h2, h3")) return;
  link.addEventListener("pointerenter", (event) => {
    if (event.pointerType === "mouse") wait(() => show(link), 200);
  });
  link.addEventListener("pointerleave", () => wait(hide, 250));
  link.addEventListener("focus", () => link.matches(":focus-visible") && show(link));
  link.addEventListener("blur", hide);
});
box.addEventListener("pointerenter", () => clearTimeout(timer));
box.addEventListener("pointerleave", () => wait(hide, 250));
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
(document.querySelector("main") ?? document.body).append(box);
