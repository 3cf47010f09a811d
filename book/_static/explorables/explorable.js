/* What every explorable is made of: a question, perhaps a guess, native controls, a legend, a drawing,
 * a line of text, the best setting so far, and a button that shows the answer.
 *
 * A script calls explorable(name, build). build(panel) makes the parts and ends in
 * panel.draw(function), which is called now, after every move of a control and when the width
 * changes. The drawing is an image with a text of its own; the readout says the same in words and
 * is announced by screen readers. The address keeps where the controls stand, behind the name of the
 * figure, so that a link leads to a setting.
 *
 * What is drawn has a name, and with it the colour, dashes and label of every figure of the book:
 * the class s-<name> and explorableLabels, both written by book/_ext/explorable.py. In texts,
 * _x_ is a letter of a formula, x~y~ has an index and x^y^ an exponent.
 */
"use strict";

class ExplorablePanel {
  constructor(body, name) {
    this.name = name;
    this.body = d3.select(body).html("");
    this.question = this.body.append("p").attr("class", "explorable-prompt");
    this.guesses = this.body.append("div");
    this.controls = this.body.append("div").attr("class", "explorable-controls");
    this.controls.attr("role", "group").attr("aria-label", "Controls of this figure");
    this.legends = this.body.append("div");
    this.view = this.body.append("div").attr("class", "explorable-view");
    this.below = this.body.append("div").attr("class", "explorable-below");
    this.buttons = this.below.append("p").attr("class", "explorable-buttons");
    this.count = 0;
    this.restart = []; // what the reset button does
    this.states = []; // where the controls stand: what the address keeps
    this.afterwards = []; // what is done after each drawing
  }

  /* The question to try, above everything else. */
  prompt(text) {
    explorableText(this.question, text);
  }

  /* A guess before the first move. `options` are answers, `right` is the number of the right one.
   * When `when()` is true the guess is compared with it, and `because()` says what is seen. */
  guess({ question, options, right, when, because }) {
    const box = this.guesses.attr("class", "explorable-guess").attr("role", "group");
    const id = `explorable-${this.name}-guess`;
    explorableText(box.attr("aria-labelledby", id).append("span").attr("id", id), question);
    let chosen = null;
    const show = () => {
      buttons.forEach((button, i) => button.attr("aria-pressed", i === chosen));
      const said = chosen === null ? "" : `You guessed “${options[chosen]}”`;
      const seen = chosen !== null && when();
      explorableText(verdict, seen ? `${said}, and that is ${chosen === right ? "right" : "wrong"}: ${because()}`
        : said && `${said}. Now try it.`);
    };
    const buttons = options.map((option, i) => this.button(option, () => {
      chosen = i;
      show();
    }, box));
    const verdict = box.append("p").attr("class", "explorable-verdict").attr("role", "status");
    this.afterwards.push(show);
    this.restart.push(() => { chosen = null; });
  }

  /* A slider; returns a function that gives its value. `value` maps the position to the value.
   * limit(max) of that function moves the right end, go(position) the slider, and near(value) the
   * slider to the position whose value is the nearest by `distance`. */
  slider({
    label, min, max, step, start, value = (position) => position, format = String,
    distance = (a, b) => Math.abs(a - b),
  }) {
    const id = `explorable-${this.name}-${(this.count += 1)}`;
    explorableText(this.controls.append("label").attr("for", id), label);
    const input = this.controls.append("input")
      .attr("type", "range").attr("id", id)
      .attr("min", min).attr("max", max).attr("step", step).property("value", start);
    input.attr("value", start);
    const output = this.controls.append("output").attr("for", id).attr("aria-live", "off");
    const at = () => +input.property("value");
    const read = () => value(at());
    const show = () => {
      output.text(format(read()));
      input.attr("aria-valuetext", format(read()));
    };
    input.on("input", () => { show(); this.moved(); });
    show();
    const go = (position) => { input.property("value", position); show(); };
    const limit = (last) => { input.attr("max", last); show(); };
    const last = () => +input.attr("max");
    const near = (wanted) => {
      const places = d3.range(Math.round((last() - min) / step) + 1).map((i) => min + i * step);
      const far = places.map((place) => distance(value(place), wanted));
      go(places[far.indexOf(d3.min(far))]);
    };
    this.restart.push(() => go(start));
    this.states.push({ at, go });
    return Object.assign(read, { at, go, limit, near, first: min, last });
  }

  /* A slider over round numbers from `low` to `high`, and others that matter, `stops`. */
  rounded({ label, low, high, start, format = explorableNumber, zero = false, whole = false, stops = [] }) {
    const round = explorableRound(low, high).filter((number) => !whole || Number.isInteger(number));
    const places = [...(zero ? [0] : []), ...d3.sort(d3.union(round, stops))];
    const distance = (a, b) => Math.abs(Math.log(Math.max(a, low / 2)) - Math.log(Math.max(b, low / 2)));
    return this.slider({
      label, min: 0, max: places.length - 1, step: 1, start: places.indexOf(start),
      value: (position) => places[position], format, distance,
    });
  }

  /* One of several words, as radio buttons; returns a function that gives the number of the chosen
   * one. go(number) of it chooses. `parent` is where they stand, if not among the controls; `inline`
   * puts the label before them, not above. */
  choice({ label, options, start, parent = this.controls, inline = false }) {
    const group = `explorable-${this.name}-${(this.count += 1)}`;
    const set = parent.append("div").attr("class", "explorable-choice")
      .attr("role", "radiogroup").attr("aria-labelledby", group).classed("inline", inline);
    explorableText(set.append("span").attr("id", group), label);
    const inputs = options.map((option, i) => {
      const line = set.append("label");
      const input = line.append("input").attr("type", "radio").attr("name", group)
        .attr("value", i).property("checked", i === start).attr("checked", i === start ? "" : null);
      line.append("span").text(option);
      return input.on("change", () => this.moved());
    });
    const read = () => inputs.findIndex((input) => input.property("checked"));
    const go = (number) => inputs[number]?.property("checked", true);
    this.restart.push(() => go(start));
    this.states.push({ at: read, go });
    return Object.assign(read, { go });
  }

  button(label, act, parent = this.controls) {
    return parent.append("button").attr("type", "button").attr("class", "explorable-button")
      .text(label).on("click", act);
  }

  /* A button that does a step again and again, until `done()`; `again()` goes back to the start. */
  repeat({ label, step, done, again, pause }) {
    let timer = null;
    const button = this.button("", () => {
      if (timer) { stop(); return; }
      if (done()) { again(); this.moved(); }
      button.text("❚❚ pause");
      timer = d3.interval(() => {
        if (!done()) step();
        this.moved();
        if (done()) stop();
      }, pause);
    });
    const stop = () => { timer?.stop(); timer = null; button.text(`▶ ${label}`); };
    this.restart.unshift(stop);
    stop();
  }

  /* A button that moves a slider to its right end, step by step. */
  player(slider, label, pause = 900) {
    this.repeat({
      label, pause,
      step: () => slider.go(slider() + 1),
      done: () => slider() >= slider.last(),
      again: () => slider.go(slider.first),
    });
  }

  /* The best that the reader has found so far: keep(result) with every result, null for one that
   * does not count. `better(a, b)` compares two, `say(result)` puts one into words. */
  best({ better, say, label = "Best so far" }) {
    const line = this.below.append("p").attr("class", "explorable-best");
    let found = null;
    this.restart.push(() => { found = null; });
    return (result) => {
      if (result !== null && (found === null || better(result, found))) found = result;
      explorableText(line, found === null ? "" : `${label}: ${say(found)}.`);
    };
  }

  /* A button that shows what the question asks for; returns a function that says whether it is
   * shown, so that it can be drawn as well. `say()` gives the words. */
  reveal(label, say) {
    const text = this.below.append("p").attr("role", "status");
    const button = this.button("", () => { open = !open; this.update(); }, this.buttons);
    let open = false;
    this.afterwards.push(() => {
      button.text(open ? "Hide the answer" : label).attr("aria-expanded", open);
      explorableText(text, open ? say() : "");
    });
    this.restart.push(() => { open = false; });
    return () => open;
  }

  /* A mouse or a finger on the drawing: `follow(x, y)` gets the place, in units of the drawing;
   * without `drag`, only where it is put down. */
  point(follow, { drag = true } = {}) {
    [this.follow, this.drag] = [follow, drag];
  }

  /* A legend; entries are [name, "bar" | "line" | "solid" | "dot" | "ring", text], the text only where it differs. */
  legend(entries) {
    const list = this.legends.append("ul").attr("class", "explorable-legend");
    const items = list.selectAll("li").data(entries).join("li");
    const round = (kind) => kind === "dot" || kind === "ring";
    const keys = items.append("svg").attr("aria-hidden", "true")
      .attr("viewBox", (d) => (round(d[1]) ? "10 0 14 14" : "0 0 34 14"))
      .attr("class", (d) => `key-${d[1]}`);
    keys.each(function key([name, kind]) {
      const one = d3.select(this);
      if (kind === "bar") {
        one.append("rect").attr("class", `bar s-${name}`).attr("x", 10).attr("y", 1)
          .attr("width", 14).attr("height", 12);
      } else if (kind === "dot") {
        one.append("circle").attr("class", `dot s-${name}`).attr("cx", 17).attr("cy", 7).attr("r", 6);
      } else if (kind === "ring") {
        one.append("circle").attr("class", `hollow s-${name}`).attr("cx", 17).attr("cy", 7).attr("r", 5);
      } else {
        one.append("line").attr("class", `line ${kind === "solid" ? "solid " : ""}s-${name}`)
          .attr("x1", 0).attr("x2", 34).attr("y1", 7).attr("y2", 7);
      }
    });
    items.append("span").each(function label([name, , text]) {
      explorableText(d3.select(this), text ?? explorableLabels[name]);
    });
    return list;
  }

  /* Keep drawing: `paint(svg, width, height)` returns the sentence of the readout. The height is a
   * number, or a function of the width. Room is kept for the text `longest`, if there is one, so that
   * a readout that grows does not move the drawing. */
  draw(label, tall, paint, { longest = "" } = {}) {
    this.button("Reset", () => {
      this.restart.forEach((again) => again());
      this.moved();
    }, this.buttons).classed("explorable-reset", true);
    this.svg = this.view.append("svg").attr("role", "img").attr("aria-label", label);
    this.readout = this.view.append("p").attr("class", "explorable-readout").attr("role", "status");
    this.update = () => {
      const width = Math.max(280, this.body.node().clientWidth);
      const height = typeof tall === "function" ? tall(width) : tall;
      this.svg.attr("viewBox", `0 0 ${width} ${height}`).selectAll("*").remove();
      explorableText(this.readout, paint(this.svg, width, height));
      this.afterwards.forEach((act) => act());
    };
    const reserve = () => {
      const copy = this.view.append("p").attr("class", "explorable-readout").attr("aria-hidden", true);
      explorableText(copy, longest);
      this.readout.style("min-height", `${copy.node().offsetHeight}px`);
      copy.remove();
    };
    if (this.follow) this.listen();
    this.hold();
    this.restore();
    this.update();
    addEventListener("hashchange", () => { this.restore(); this.update(); });
    new ResizeObserver(() => { if (longest) reserve(); this.update(); }).observe(this.body.node());
    new ResizeObserver(() => {
      this.body.style("--view", `${this.view.node().offsetHeight}px`);
      this.uncover(true);
    }).observe(this.view.node());
  }

  /* The drawing stays in sight while a control is held, and only then: from the first touch of one,
   * or a link to a setting, until hand or focus goes elsewhere or the figure leaves the screen. A hand
   * holds a control when it has done something, not when it is put down: a button that moved away
   * under a finger would not be pressed. */
  hold() {
    const body = this.body.node();
    let [pressed, taken, seen] = [false, false, false];
    const take = ({ target }) => {
      const control = target.closest(".explorable-controls, .explorable-guess")
        && target.closest("input, button, label");
      if (!control) return;
      this.held = control;
      this.pin(true);
      this.uncover(pressed);
      taken = pressed;
    };
    const leave = ({ target }) => { if (!body.contains(target)) this.pin(false); };
    body.addEventListener("focusin", (event) => { if (!pressed) take(event); });
    body.addEventListener("input", take);
    body.addEventListener("click", take);
    addEventListener("pointerdown", (event) => { pressed = true; leave(event); }, true);
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => {
        if (taken) this.uncover();
        [pressed, taken] = [false, false];
      }, true);
    }
    document.addEventListener("focusin", leave);
    new IntersectionObserver(([{ isIntersecting }]) => {
      document.documentElement.classList.toggle("explorable-in-sight", isIntersecting);
      if (seen && !isIntersecting) this.pin(false);
      seen = isIntersecting;
    }).observe(body);
  }

  pin(held) {
    if (!held) this.held = null;
    this.body.classed("explorable-held", held);
  }

  /* Scroll until the drawing hides nothing of what is held: all controls and the legend if the screen
   * is large enough, or else the group of the control, or the control itself. While a hand is on the
   * control, or if the readout grows, the page moves for the control `only`. */
  uncover(only = false) {
    if (!this.held?.isConnected) return;
    const box = (part) => part.getBoundingClientRect();
    const view = box(this.view.node());
    const top = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const group = this.held.closest(".explorable-choice, .explorable-guess") ?? this.held;
    const parts = (only ? [] : [
      { first: Math.min(box(this.controls.node()).top, box(this.held).top), by: box(this.below.node()).top - innerHeight },
      { first: box(group).top, by: box(group).bottom + 8 - view.top },
    ]).filter(({ first, by }) => first - by >= top);
    const one = box(this.held);
    const hidden = one.bottom > view.top && one.top < view.bottom;
    const by = parts.length ? parts[0].by : hidden && one.bottom + 8 - view.top;
    if (by > 0) scrollBy({ top: by, behavior: "instant" });
  }

  /* What a hand does: draw, and say in the address where the controls stand. */
  moved() {
    this.update();
    clearTimeout(this.noting);
    this.noting = setTimeout(() => {
      if (window.parent !== window) return; // a figure within a notebook has no address
      const state = this.states.map(({ at }) => at()).join(",");
      history.replaceState(null, "", `#explorable-${this.name}:${state}`);
    }, 300);
  }

  /* Put the controls where the address says. */
  restore() {
    const [name, state] = location.hash.slice(1).split(":");
    if (name !== `explorable-${this.name}` || !state) return;
    const places = state.split(",").map(Number);
    if (places.length !== this.states.length || places.some((place) => !Number.isFinite(place))) return;
    places.forEach((place, i) => this.states[i].go(place));
    const figure = this.body.node().closest("figure");
    for (let fold = figure.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    this.pin(true);
    figure.scrollIntoView();
  }

  listen() {
    const svg = this.svg.attr("class", "explorable-touched").node();
    const follow = ({ clientX, clientY }) => {
      const place = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
      this.follow(place.x, place.y);
      this.moved();
    };
    if (!this.drag) { this.svg.on("click", follow); return; }
    /* A mouse follows at once. A finger may be about to scroll the page, so it acts when it taps or
     * has moved sideways; the browser cancels it when it scrolls. */
    let [from, dragging] = [null, false];
    this.svg.on("pointerdown", (event) => {
      [from, dragging] = [event, event.pointerType !== "touch"];
      if (!dragging) return;
      svg.setPointerCapture(event.pointerId);
      follow(event);
    });
    this.svg.on("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const [across, down] = [event.clientX - from.clientX, event.clientY - from.clientY].map(Math.abs);
      if (!dragging && across > 10 && across > 2 * down) {
        dragging = true;
        svg.setPointerCapture(event.pointerId);
      }
      if (dragging) follow(event);
    });
    this.svg.on("pointercancel", () => { from = null; });
    this.svg.on("click", (event) => { if (from && !dragging) follow(event); });
  }
}

/* Set a text: _x_ in italics, in HTML and in SVG; x~y~ with an index and x^y^ with an exponent, in HTML. */
function explorableText(place, text) {
  place.text("");
  const drawn = place.node().namespaceURI.endsWith("svg");
  for (const part of text.split(/(\^[^^]+\^|_[^_]+_|~[^~]+~)/)) {
    const inner = part.slice(1, -1);
    if (/^_[^_]+_$/.test(part)) {
      if (drawn) place.append("tspan").attr("class", "letter").text(inner);
      else place.append("i").text(inner);
    } else if (/^~[^~]+~$/.test(part) && !drawn) place.append("sub").text(inner);
    else if (/^\^[^^]+\^$/.test(part) && !drawn) explorableText(place.append("sup"), inner);
    else if (drawn) place.append("tspan").text(part);
    else place.node().append(part);
  }
}

/* The two axes of a drawing with the given scales, and their names. */
function explorableAxes(svg, x, y, { bottom, left, xTicks = 5, yTicks = 5, xFormat, yFormat }) {
  const [top, base] = [Math.min(...y.range()), Math.max(...y.range())];
  const [start, end] = [Math.min(...x.range()), Math.max(...x.range())];
  svg.append("g").attr("transform", `translate(0,${base})`)
    .call(d3.axisBottom(x).ticks(xTicks, xFormat).tickSizeOuter(0));
  svg.append("g").attr("transform", `translate(${start},0)`)
    .call(d3.axisLeft(y).ticks(yTicks, yFormat).tickSizeOuter(0));
  explorableText(svg.append("text").attr("x", (start + end) / 2).attr("y", base + 36)
    .attr("text-anchor", "middle"), bottom);
  explorableText(svg.append("text").attr("x", 0).attr("y", top - 12), left);
}

/* A row of the truncated kernel: where a record of bin k ends with Laplace noise of scale b. */
function explorableKernelRow(bins, k, b) {
  if (b === 0) return d3.range(bins).map((x) => +(x === k));
  const rate = 1 / (bins * b);
  const mass = d3.range(bins).map((x) => (x === k
    ? -Math.expm1(-rate / 2)
    : -0.5 * Math.expm1(-rate) * Math.exp(-rate * (Math.abs(x - k) - 0.5))));
  const total = d3.sum(mass);
  return mass.map((m) => m / total);
}

/* Round numbers, ten to a decade. */
function explorableRound(low, high) {
  const powers = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
  const all = powers.flatMap((p) => [10, 12, 15, 20, 25, 30, 40, 50, 60, 80]
    .map((digits) => +`${digits}e${p - 1}`));
  return all.filter((number) => number >= low && number <= high);
}

/* Three significant digits, as one reads them. */
function explorableNumber(value) {
  if (!Number.isFinite(value)) return "∞";
  if (value !== 0 && (value < 0.001 || value >= 1e5)) {
    const [digits, power] = value.toExponential(1).split("e");
    const raised = [...power.replace("+", "")].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("");
    return `${digits}·10${raised}`;
  }
  return String(+value.toPrecision(3));
}

/* What a cell of the page has computed for an explorable. */
function explorableData(name) {
  return JSON.parse(document.querySelector(`script[data-for="${name}"]`).textContent);
}

function explorable(name, build) {
  for (const body of document.querySelectorAll(`[data-explorable="${name}"]`)) {
    build(new ExplorablePanel(body, name));
  }
}
