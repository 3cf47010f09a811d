/* The truncated Laplace density V(mu, b, x) between its extremes v_min(b) and v_max(b). */
"use strict";

explorable("truncated-density", (panel) => {
  panel.guess({
    question: "By what factor do the largest and the smallest density differ at _b_ = 1?",
    options: ["1.4 times", "2.7 times", "10 times"], right: 1,
    when: () => scale() === 1, because: () => "the ratio is exp(1/_b_) = _e_.",
  });
  const location = panel.slider({
    label: "location _μ_", min: 0, max: 1, step: 0.01, start: 0.3, format: (v) => v.toFixed(2),
  });
  const scale = panel.rounded({ label: "scale _b_", low: 0.1, high: 10, start: 0.2 });
  panel.prompt("From which _b_ on is no density more than twice as large as another, wherever you drag the peak?");
  panel.controls.classed("inline", true);

  const density = (x, mu, b) => {
    const inside = -0.5 * (Math.expm1(-mu / b) + Math.expm1((mu - 1) / b));
    return Math.exp(-Math.abs(x - mu) / b) / (2 * b * inside);
  };
  const largest = (b) => 1 / b / -Math.expm1(-1 / b);
  const smallest = (b) => largest(b) * Math.exp(-1 / b);
  const keep = panel.best({
    better: (a, b) => a < b,
    say: (b) => `_b_ = ${b}, where the largest density is ${explorableNumber(largest(b) / smallest(b))} times the smallest`,
  });
  const shown = panel.reveal("Show the smallest b", () => "The ratio of the largest to the smallest density is exp(1/_b_), which is at " +
    `most 2 from _b_ = 1/ln 2 = ${explorableNumber(1 / Math.LN2)} on. The peak at _μ_ = 0 (dotted) reaches both extremes: at this _b_ the density ` +
    `falls from ${explorableNumber(largest(scale()))} at _x_ = 0 to ${explorableNumber(smallest(scale()))} at _x_ = 1.`);
  let x = null;
  panel.point((at) => location.near(x.invert(at)));
  panel.draw("Truncated Laplace density on a logarithmic axis", 300, (svg, width, height) => {
    const [mu, b] = [location(), scale()];
    const extremes = [[largest(b), "ceiling", "largest", -7], [smallest(b), "ground", "smallest", 16]];
    keep(largest(b) <= 2 * smallest(b) ? b : null);

    x = d3.scaleLinear([0, 1], [48, width - 12]);
    // The band fills the drawing at every b, and is narrow only where the extremes are close.
    const y = d3.scaleLog([Math.min(0.3, smallest(b) / 3), Math.max(3, 2 * largest(b))], [height - 44, 26]);
    explorableAxes(svg, x, y, { bottom: "released value _x_", left: "density _V_(_μ_, _b_, _x_)", yFormat: "~g" });
    for (const [level, name, word, away] of extremes) {
      svg.append("line").attr("class", `line s-${name}`)
        .attr("x1", x(0)).attr("x2", x(1)).attr("y1", y(level)).attr("y2", y(level));
      const label = svg.append("text").attr("text-anchor", "end").attr("x", x(1) - 4).attr("y", y(level) + away);
      explorableText(label, `${word} for any _μ_ and _x_`);
    }
    const curve = (peak) => d3.line((p) => x(p), (p) => y(density(p, peak, b)))(
      d3.sort(d3.union(d3.range(0, 1.0001, 0.02), [peak])));
    if (shown()) svg.append("path").attr("class", "guide").attr("fill", "none").attr("d", curve(0));
    svg.append("path").attr("class", "line solid s-laplace").attr("d", curve(mu));

    const far = mu <= 0.5 ? 1 : 0;
    const [low, high] = [density(far, mu, b), density(mu, mu, b)].map(explorableNumber);
    return `The density falls from ${high} at _x_ = _μ_ to ${low} at _x_ = ${far}, and for every _μ_ it lies between ` +
      `_v_~min~ = ${explorableNumber(smallest(b))} and _v_~max~ = ${explorableNumber(largest(b))}, whose ratio is ` +
      `exp(1/_b_) = ${explorableNumber(Math.exp(1 / b))}.`;
  });
});
