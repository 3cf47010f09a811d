/* The truncated Laplace density V(mu, b, x) between its extremes v_min(b) and v_max(b). */
"use strict";

explorable("truncated-density", (panel) => {
  const location = panel.slider({
    label: "location μ", min: 0, max: 1, step: 0.01, start: 0.3, format: (v) => v.toFixed(2),
  });
  const scale = panel.slider({
    label: "scale b", min: -1, max: 1, step: 0.02, start: -0.7,
    value: (position) => 10 ** position, format: explorableNumber,
  });
  panel.legend([
    ["one", "", "density V(μ, b, x)"],
    ["two", "6 4", "v_max(b), for any μ and x"],
    ["three", "2 3", "v_min(b), for any μ and x"],
  ]);
  panel.draw("Truncated Laplace density on a logarithmic axis", 300, (svg, width, height) => {
    const [mu, b] = [location(), scale()];
    const inside = -0.5 * (Math.expm1(-mu / b) + Math.expm1((mu - 1) / b));
    const density = (x) => Math.exp(-Math.abs(x - mu) / b) / (2 * b * inside);
    const largest = 1 / b / -Math.expm1(-1 / b);
    const smallest = largest * Math.exp(-1 / b);

    const x = d3.scaleLinear([0, 1], [48, width - 12]);
    const y = d3.scaleLog([3e-4, 15], [height - 44, 26]);
    explorableAxes(svg, x, y, { bottom: "released value x", left: "density", yFormat: "~g" });
    for (const [level, style, dashes] of [[largest, "two", "6 4"], [smallest, "three", "2 3"]]) {
      svg.append("line").attr("class", `level ${style}`).style("stroke-dasharray", dashes)
        .attr("x1", x(0)).attr("x2", x(1)).attr("y1", y(level)).attr("y2", y(level));
    }
    const points = d3.union(d3.range(0, 1.0001, 0.02), [mu]);
    svg.append("path").attr("class", "curve one")
      .attr("d", d3.line((p) => x(p), (p) => y(density(p)))(d3.sort(points)));

    const far = mu <= 0.5 ? 1 : 0;
    const [low, high] = [density(far), density(mu)].map(explorableNumber);
    return `Here the density falls from ${high} at x = μ to ${low} at x = ${far}. ` +
      `At this b it lies between v_min = ${explorableNumber(smallest)} and ` +
      `v_max = ${explorableNumber(largest)} for every μ; ` +
      `their ratio is e^(1/b) = ${explorableNumber(Math.exp(1 / b))}.`;
  });
});
