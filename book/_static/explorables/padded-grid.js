/* The heights on a padded grid: how many bins hold a record, and who is alone in one. The page brings
 * the heights. */
"use strict";

explorable("padded-grid", (panel) => {
  const { heights, counts } = explorableData("padded-grid"); // the different heights in cm, and how often each occurs
  const n = d3.sum(counts);
  const [low, high] = [heights[0], heights.at(-1)];
  const p = 0.9;
  const commas = d3.format(",");
  panel.prompt("How fine can the bins be if no record may be alone in a bin? Change the number of bins and the padding.");
  panel.guess({
    question: "How wide are the finest such bins?", options: ["about 2 cm", "about 5 cm", "about 15 cm"], right: 1,
    when: () => open() || now.alone.length === 0 && now.width < 1.1 * finest().width,
    because: () => `no record is alone in bins of ${finest().width.toFixed(2)} cm.`,
  });
  const bins = panel.slider({ label: "bins _K_", min: 5, max: 201, step: 1, start: 101 });
  const level = panel.rounded({ label: "padding for ε", low: 0.1, high: 8, start: 1 });
  const who = panel.slider({
    label: "a record (cm)", min: 0, max: heights.length - 1, step: 1, start: 0,
    value: (i) => heights[i], format: (height) => height.toFixed(1),
  });
  panel.legend([
    ["data", "bar", "records of a bin"], ["with", "bar", "bin of the chosen record"],
    ["exposed", "dot", "alone in its bin"], ["floor", "bar", "padding, where no record is"],
  ]);

  /* The grid of the chapter: its ends, the bin of each height, the records of each bin. */
  const gridOf = (K, epsilon) => {
    const pad = ((high - low) / epsilon) * -Math.log(2 - 2 * p);
    const [lower, upper] = [low - pad, high + pad];
    const places = heights.map((height) => Math.min(K - 1, Math.floor(((height - lower) / (upper - lower)) * K)));
    const records = new Array(K).fill(0);
    places.forEach((k, i) => { records[k] += counts[i]; });
    const alone = d3.range(K).filter((k) => records[k] === 1);
    return { lower, upper, places, records, alone, width: (upper - lower) / K };
  };
  let known = null;
  const finest = () => {
    if (!known) {
      const levels = explorableRound(0.1, 8);
      const all = levels.flatMap((epsilon) => d3.range(5, 202).map((K) => ({ K, epsilon, ...gridOf(K, epsilon) })));
      known = d3.greatest(all.filter(({ alone }) => !alone.length), ({ width }) => -width);
    }
    return known;
  };
  let now = null;
  const keep = panel.best({
    better: (a, b) => a.width < b.width,
    say: ({ K, epsilon, width }) => `nobody is alone in bins of ${width.toFixed(2)} cm (K = ${K}, ε = ${epsilon})`,
  });
  const open = panel.reveal("Show the finest grid", () => `Of all settings of the two sliders ${finest().K} bins with the ` +
    `padding for ε = ${finest().epsilon} are the finest in which nobody is alone: they are ${finest().width.toFixed(2)} cm ` +
    "wide. What matters is the width and where the edges fall, and the smallest and the largest record decide both.");

  let axis = null;
  panel.point((x, y) => { if (axis && y > 150) who.near(axis.invert(x)); });

  panel.draw("The heights on a padded grid, whole and enlarged", 380, (svg, width, height) => {
    const [K, epsilon, mine] = [bins(), level(), who.at()];
    now = { K, epsilon, ...gridOf(K, epsilon) };
    const { lower, upper, records, places, alone } = now;
    keep(alone.length ? null : now);
    const edge = (k) => lower + k * now.width;
    const held = d3.range(K).filter((k) => records[k]);
    const chosen = places[mine];
    const most = d3.max(records);

    const draw = (x, y, group) => {
      const [left, right] = x.range();
      const clip = (value) => Math.min(right, Math.max(left, x(value)));
      held.forEach((k) => group.append("rect").attr("class", `bar s-${k === chosen ? "with" : "data"}`)
        .attr("x", clip(edge(k)) + 0.5).attr("width", Math.max(1, clip(edge(k + 1)) - clip(edge(k)) - 1))
        .attr("y", y(records[k])).attr("height", y(0) - y(records[k])));
    };
    const whole = d3.scaleLinear([lower, upper], [48, width - 12]);
    const tall = d3.scaleLinear([0, most], [104, 26]);
    [[lower, low], [high, upper]].forEach(([from, to]) => svg.append("rect").attr("class", "bar s-floor")
      .attr("x", whole(from)).attr("width", whole(to) - whole(from)).attr("y", 26).attr("height", 78));
    draw(whole, tall, svg);
    explorableAxes(svg, whole, tall, { bottom: "", left: "records, whole grid", xTicks: width / 90, yTicks: 2 });

    axis = d3.scaleLinear([low - 6, high + 6], [48, width - 12]);
    const y = d3.scaleLinear([0, most], [height - 44, 166]);
    draw(axis, y, svg);
    explorableAxes(svg, axis, y, { bottom: "height (cm)", left: "records, where they are", xTicks: width / 80, yTicks: 4 });
    d3.range(K + 1).map(edge).filter((at) => at > low - 6 && at < high + 6).forEach((at) => svg.append("line")
      .attr("class", "guide").attr("x1", axis(at)).attr("x2", axis(at)).attr("y1", y(0)).attr("y2", y(0) - 14));
    alone.forEach((k) => svg.append("circle").attr("class", "dot s-exposed").attr("r", 5)
      .attr("cx", axis(heights[places.indexOf(k)])).attr("cy", y(1) - 8));
    svg.append("text").attr("class", "on-line").attr("text-anchor", "middle").attr("x", axis(heights[mine]))
      .attr("y", Math.min(y(records[chosen]) - 16, y(0) - 20)).text("▼");

    const others = records[chosen] - 1;
    const lonely = alone.length ? `In ${alone.length} of these there is one record only.` : "In none of these a record is alone.";
    const shared = others ? `shares its bin with ${commas(others)} of the ${commas(n - 1)} others` : "is alone in its bin";
    return `The interval from ${lower.toFixed(0)} to ${upper.toFixed(0)} cm has ${K} bins of ${now.width.toFixed(2)} cm, and ` +
      `${held.length} of them ${held.length === 1 ? "holds" : "hold"} records. ${lonely} ` +
      `The record of ${heights[mine].toFixed(1)} cm ${shared}.`;
  });
});
