/* Pairs of noise by gradual release or with fresh noise, and what both copies together cost. */
"use strict";

explorable("gradual-release", (panel) => {
  const power = { value: (p) => 10 ** p, format: explorableNumber };
  const first = panel.slider({ label: "ε of the noisy copy", min: -1, max: 0.5, step: 0.05, start: -0.3, ...power });
  const second = panel.slider({ label: "ε of the quiet copy", min: -1, max: 0.5, step: 0.05, start: 0, ...power });
  const way = panel.slider({
    label: "way of release", min: 0, max: 1, step: 1, start: 1, format: (v) => (v ? "gradual" : "fresh"),
  });
  panel.legend([["one", "", "copies differ"], ["two", "6 4", "copies equal"]]);

  /* The same 600 seeds at every position of the sliders, so that only the law moves. */
  const uniform = d3.randomLcg(0.19);
  const seeds = d3.range(600).map(() => [uniform(), uniform(), uniform()]);
  const laplace = (u) => (u < 0.5 ? Math.log(2 * u) : -Math.log(2 * (1 - u)));

  panel.draw("Scatter of the noise of the quiet copy against that of the noisy copy", 340, (svg, width, height) => {
    const [low, high] = [Math.min(first(), second()), Math.max(first(), second())];
    const stay = way() ? (low / high) ** 2 : 0;
    const pairs = seeds.map(([a, b, c]) => {
      const quiet = laplace(a) / high;
      const jump = laplace(b) / low;
      if (c < stay) return [quiet, quiet, true];
      return [way() ? quiet + jump : jump, quiet, false];
    });
    const reach = 4 / low;
    const x = d3.scaleLinear([-reach, reach], [48, width - 12]).clamp(true);
    const y = d3.scaleLinear([-reach, reach], [height - 44, 26]).clamp(true);
    explorableAxes(svg, x, y, { bottom: "noise of the noisy copy", left: "noise of the quiet copy" });
    svg.append("g").selectAll("circle").data(pairs).join("circle")
      .attr("class", (d) => (d[2] ? "two" : "one")).attr("r", (d) => (d[2] ? 3 : 2))
      .attr("cx", (d) => x(d[0])).attr("cy", (d) => y(d[1]));

    const cost = way() ? high : low + high;
    const error = way() ? Math.SQRT2 / high : Math.SQRT2 / Math.hypot(low, high);
    return `Levels ${explorableNumber(low)} and ${explorableNumber(high)}: ` +
      `${way() ? "gradual release" : "fresh noise"} costs ε = ${explorableNumber(cost)} for both copies together, ` +
      `they are equal with probability ${explorableNumber(stay)}, and the best linear estimate from both has ` +
      `RMSE ${explorableNumber(error)}.`;
  });
});
