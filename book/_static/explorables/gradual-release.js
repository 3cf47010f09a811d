/* Pairs of noise by gradual release or with fresh noise, and what both copies together cost. */
"use strict";

explorable("gradual-release", (panel) => {
  panel.prompt("Bring the two levels together. What happens to the share of equal copies, and to the price? Then choose fresh noise: " +
    "how small can the RMSE become if both copies together may cost ε = 1?");
  panel.guess({
    question: "Two copies at ε = 1: how does the price of gradual release compare with that of fresh noise?",
    options: ["half of it", "the same", "twice as much"], right: 0,
    when: () => first() === 1 && second() === 1,
    because: () => "gradual release costs 1 and fresh noise 2, but both copies of gradual release are the same.",
  });
  const [lowest, highest] = [0.1, 3];
  const first = panel.rounded({ label: "ε of the noisy copy", low: lowest, high: highest, start: 0.5 });
  const second = panel.rounded({ label: "ε of the accurate copy", low: lowest, high: highest, start: 1 });
  const way = panel.choice({ label: "way of release", options: ["fresh", "gradual"], start: 1, inline: true });
  panel.legend([["differ", "dot"], ["equal", "dot"]]);

  /* The same 600 seeds at every position of the sliders, so that only the distribution moves. */
  const uniform = d3.randomLcg(0.19);
  const seeds = d3.range(600).map(() => [uniform(), uniform(), uniform()]);
  const laplace = (u) => (u < 0.5 ? Math.log(2 * u) : -Math.log(2 * (1 - u)));

  /* Both copies together: what they cost, and the RMSE of the best linear estimate from them. */
  const together = (low, high, gradual) => ({
    low, high, cost: gradual ? high : low + high, error: Math.SQRT2 / (gradual ? high : Math.hypot(low, high)),
  });
  const budget = 1;
  const better = (a, b) => a.error < b.error;
  const best = (gradual) => {
    const levels = explorableRound(lowest, highest);
    return levels.flatMap((high) => levels.filter((low) => low <= high).map((low) => together(low, high, gradual)))
      .filter(({ cost }) => cost <= budget).reduce((a, b) => (better(b, a) ? b : a));
  };
  const said = ({ low, high }) => `the levels ${low} and ${high}`;
  const keep = panel.best({
    better, label: "Best with fresh noise so far",
    say: (one) => `RMSE ${explorableNumber(one.error)} for ε = ${explorableNumber(one.cost)}, with ${said(one)}`,
  });
  panel.reveal("Show the smallest RMSE", () => {
    const [fresh, gradual] = [best(false), best(true)];
    return `For ε = ${budget} fresh noise comes down to an RMSE of ${explorableNumber(fresh.error)}, with ${said(fresh)}, and with two equal copies ` +
      `to ${explorableNumber(together(budget / 2, budget / 2, false).error)} only. Gradual release has ${explorableNumber(gradual.error)} ` +
      `whatever the noisy copy is. This is √2/ε, the RMSE of a single copy, because the noisy copy adds nothing to the accurate one.`;
  });

  panel.draw("Scatter of the noise of the accurate copy against that of the noisy copy", 340, (svg, width, height) => {
    const [low, high] = [Math.min(first(), second()), Math.max(first(), second())];
    const stay = way() ? (low / high) ** 2 : 0;
    const { cost, error } = together(low, high, way() === 1);
    keep(way() === 0 && cost <= budget ? together(low, high, false) : null);
    const pairs = seeds.map(([a, b, c]) => {
      const accurate = laplace(a) / high;
      const jump = laplace(b) / low;
      if (c < stay) return [accurate, accurate, true];
      return [way() ? accurate + jump : jump, accurate, false];
    });
    const reach = 5 / low;
    const x = d3.scaleLinear([-reach, reach], [48, width - 12]);
    const y = d3.scaleLinear([-reach, reach], [height - 44, 26]);
    const seen = pairs.filter((d) => Math.max(Math.abs(d[0]), Math.abs(d[1])) <= reach);
    explorableAxes(svg, x, y, { bottom: "noise of the noisy copy", left: "noise of the accurate copy" });
    svg.append("g").selectAll("circle").data(seen).join("circle")
      .attr("class", (d) => (d[2] ? "dot s-equal" : "dot s-differ")).attr("r", (d) => (d[2] ? 3 : 2))
      .attr("cx", (d) => x(d[0])).attr("cy", (d) => y(d[1]));

    return `Levels ${explorableNumber(low)} and ${explorableNumber(high)}: ` +
      `${way() ? "gradual release" : "fresh noise"} costs ε = ${explorableNumber(cost)} for both copies together, ` +
      `they are equal with probability ${explorableNumber(stay)}, and the best linear estimate from both has ` +
      `RMSE ${explorableNumber(error)}.`;
  });
});
