/* What every explorable is made of: native sliders, a drawing, a legend, a line of text.
 *
 * A script calls explorable(name, build). build(panel) makes the parts and ends in
 * panel.draw(function), which is called now, after every move of a slider and when the width
 * changes. The drawing is an image with a text of its own; the readout says the same in words and
 * is announced by screen readers.
 */
"use strict";

class ExplorablePanel {
  constructor(body, name) {
    this.name = name;
    this.body = d3.select(body).html("");
    this.controls = this.body.append("div").attr("class", "explorable-controls");
    this.controls.attr("role", "group").attr("aria-label", "Sliders of this figure");
    this.sliders = 0;
  }

  /* A slider; returns a function that gives its value. `value` maps the position to the value.
   * limit(max) of that function moves the right end, and go(position) the slider. */
  slider({ label, min, max, step, start, value = (position) => position, format = String }) {
    const id = `explorable-${this.name}-${(this.sliders += 1)}`;
    this.controls.append("label").attr("for", id).text(label);
    const input = this.controls.append("input")
      .attr("type", "range").attr("id", id)
      .attr("min", min).attr("max", max).attr("step", step).property("value", start);
    input.attr("value", start);
    const output = this.controls.append("output").attr("for", id).attr("aria-live", "off");
    const read = () => value(+input.property("value"));
    const show = () => {
      output.text(format(read()));
      input.attr("aria-valuetext", format(read()));
    };
    input.on("input", () => { show(); this.update(); });
    show();
    const go = (position) => { input.property("value", position); show(); };
    const limit = (last) => { input.attr("max", last); show(); };
    return Object.assign(read, { go, limit, first: min, last: () => +input.attr("max") });
  }

  /* A button that moves a slider to its right end, step by step. */
  player(slider, label, pause = 900) {
    const button = this.controls.append("button").attr("type", "button").attr("class", "explorable-play");
    let timer = null;
    const stop = () => { timer?.stop(); timer = null; button.text(`▶ ${label}`); };
    const step = () => {
      if (slider() < slider.last()) slider.go(slider() + 1);
      this.update();
      if (slider() >= slider.last()) stop();
    };
    button.on("click", () => {
      if (timer) { stop(); return; }
      if (slider() >= slider.last()) { slider.go(slider.first); this.update(); }
      button.text("⏸ pause");
      timer = d3.interval(step, pause);
    });
    stop();
  }

  /* A legend; entries are [class, dashes, text]. */
  legend(entries) {
    const items = this.body.append("ul").attr("class", "explorable-legend")
      .selectAll("li").data(entries).join("li");
    items.append("svg").attr("viewBox", "0 0 34 12").attr("aria-hidden", "true")
      .append("line").attr("class", (d) => d[0]).attr("stroke-width", 3)
      .attr("stroke-dasharray", (d) => d[1])
      .attr("x1", 0).attr("x2", 34).attr("y1", 6).attr("y2", 6);
    items.append("span").text((d) => d[2]);
  }

  /* Keep drawing: `paint(svg, width, height)` returns the sentence of the readout. */
  draw(label, height, paint) {
    this.svg = this.body.append("svg").attr("role", "img").attr("aria-label", label);
    this.readout = this.body.append("p").attr("class", "explorable-readout").attr("role", "status");
    this.update = () => {
      const width = Math.max(280, this.body.node().clientWidth);
      this.svg.attr("viewBox", `0 0 ${width} ${height}`).selectAll("*").remove();
      this.readout.text(paint(this.svg, width, height));
    };
    this.update();
    new ResizeObserver(() => this.update()).observe(this.body.node());
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
  svg.append("text").attr("x", (start + end) / 2).attr("y", base + 36)
    .attr("text-anchor", "middle").text(bottom);
  svg.append("text").attr("x", 0).attr("y", top - 12).text(left);
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

function explorable(name, build) {
  document.addEventListener("DOMContentLoaded", () => {
    for (const body of document.querySelectorAll(`[data-explorable="${name}"]`)) {
      build(new ExplorablePanel(body, name));
    }
  });
}
