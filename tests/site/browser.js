// What tests/site/test_browser.py asks of a page in Chromium.
globalThis.page = {
  // All folds are open, nothing moves, and of each kind of token of code the first is left.
  prepare() {
    const still = "* { transition: none !important; animation: none !important }";
    document.head.append(Object.assign(document.createElement("style"), { textContent: still }));
    document.querySelectorAll("article details").forEach((fold) => { fold.open = true; });
    const seen = new Set();
    for (const token of document.querySelectorAll("article pre span[class]")) {
      if (seen.has(token.className)) token.replaceWith(...token.childNodes);
      seen.add(token.className);
    }
  },

  formulas: () => [
    ...[...document.querySelectorAll(".math")].filter((box) => !box.querySelector("mjx-container"))
      .map((box) => `formula is not set: ${box.textContent}`),
    ...[...document.querySelectorAll("mjx-merror, [data-mjx-error]")]
      .map((box) => `formula with an error: ${box.textContent}`),
  ],

  // What ends beyond the screen, and in no box of its own that scrolls.
  wide() {
    const boxed = (box) => box.parentElement !== document.body
      && (getComputedStyle(box.parentElement).overflowX !== "visible" || boxed(box.parentElement));
    const wide = (box) => box.getBoundingClientRect().right > innerWidth && !boxed(box);
    return document.scrollingElement.scrollWidth <= innerWidth ? [] : ["wider than the screen: "
      + [...document.querySelectorAll("main *")].filter(wide).map((box) => box.outerHTML)
        .slice(0, 3).map((html) => html.slice(0, 99))];
  },

  // What a laptop shows only to those who scroll: a formula would be read as another one.
  cut: () => [...document.querySelectorAll(
    "article mjx-container[display=true], article .cell_output :is(.output, pre)")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => `${box.scrollWidth} px in ${box.clientWidth} px: ${box.textContent.slice(0, 60)}`),

  // Glyphs of formulas come from style sheets: axe sees none, and would look at all of their boxes.
  glyphs: (shown) => document.querySelectorAll("mjx-container").forEach((box) => {
    box.glyphs ??= [...box.childNodes];
    box.replaceChildren(...(shown ? box.glyphs : []));
  }),

  // Contrasts take axe most of its time. Of all texts with the same looks on the same ground, in both
  // modes, it gets the first, with what is around it, and none whose looks it has `seen`. The boxes
  // of the others stay, empty: a style sheet may count them. Returns the looks.
  thin(seen) {
    const boxes = [...document.body.querySelectorAll("*")], looks = new Map(), kinds = new Map();
    for (const mode of ["dark", "light"]) {
      document.documentElement.dataset.theme = mode;
      const grounds = new Map();
      for (const box of boxes) {
        const style = getComputedStyle(box), of = (...keys) => keys.map((key) => style[key]).join();
        const own = of("backgroundColor", "backgroundImage", "opacity", "clip");
        const around = grounds.get(box.parentElement) ?? "";
        grounds.set(box, own === "rgba(0, 0, 0, 0),none,1,auto" ? around : around + own);
        const font = of("color", "fontSize", "fontWeight", "textDecorationLine");
        looks.set(box, [looks.get(box), font, grounds.get(box)].join());
      }
    }
    const said = (box) => [...box.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((text) => text.data).join("").trim();
    for (const box of boxes.filter((each) => each.checkVisibility())) {
      if (!said(box) && !box.matches("input, select")) continue;
      const link = box.closest("a"), around = link?.parentElement;
      const inText = link && said(around).length > link.textContent.length;
      const kind = [box.tagName, ...[box, link, around].map((each) => looks.get(each)), inText].join();
      if (!kinds.has(kind) && !seen.includes(kind)) kinds.set(kind, box);
    }
    const kept = new Set(), away = document.createElement("div");
    for (let box of kinds.values()) for (; box; box = box.parentElement) kept.add(box);
    for (const box of boxes) {
      if (!kept.has(box) && kept.has(box.parentElement)) away.append(...box.childNodes);
    }
    return [...kinds.keys()];
  },

  // What axe says of the colours in a mode, or of all else. Without preload: axe would fetch the style
  // sheets, which file:// does not allow.
  async violations(mode) {
    document.documentElement.dataset.theme = mode ?? "light";
    const colours = ["color-contrast", "link-in-text-block"];
    const rules = Object.fromEntries(colours.map((rule) => [rule, { enabled: false }]));
    const options = { preload: false, resultTypes: ["violations"] };
    const found = await axe.run({ ...options, ...(mode ? { runOnly: colours } : { rules }) });
    return found.violations.map(({ id, help, nodes }) =>
      `${id} (${help}): ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join("; ")}`);
  },
};
