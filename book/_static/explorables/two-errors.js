/* Two densities, a threshold between them, the two error rates, and the pairs of them that ε-DP allows. */
"use strict";

explorable("two-errors", (panel) => {
  const [absent, present] = [132, 133]; // the exact count without Jacob and with Jacob
  const percent = d3.format(".1%");
  const rate = (share) => percent(share).replace("%", "\u00a0%");
  panel.prompt("Drag the threshold. Can the attacker make both kinds of error rare?");
  panel.guess({
    question: "How small can the sum of the two error rates become at ε = 1?",
    options: ["about 10 %", "about 60 %", "about 90 %"], right: 1,
    when: () => level() === 1 && Math.abs(cut() - 132.5) < 0.3,
    because: () => `the sum is ${rate(Math.exp(-0.5))} at the threshold 132.5, and larger everywhere else.`,
  });
  const cut = panel.slider({
    label: "threshold _t_", min: 128, max: 137, step: 0.1, start: 135, format: (t) => t.toFixed(1),
  });
  const level = panel.rounded({ label: "ε", low: 0.1, high: 5, start: 1 });
  panel.legend([
    ["with", "line", "density with Jacob"], ["without", "line", "density without Jacob"],
    ["laplace", "line", "all thresholds"], ["floor", "bar", "impossible for an ε‑DP release"],
  ]);

  /* Laplace noise of scale 1/ε: how often it exceeds x, its density, and where it exceeds with a probability. */
  const above = (x, epsilon) => (x > 0 ? 0.5 * Math.exp(-epsilon * x) : 1 - 0.5 * Math.exp(epsilon * x));
  const density = (x, epsilon) => 0.5 * epsilon * Math.exp(-epsilon * Math.abs(x));
  const exceeded = (p, epsilon) => (p < 0.5 ? -Math.log(2 * p) : Math.log(2 * (1 - p))) / epsilon;
  const errors = (t, epsilon) => [above(t - absent, epsilon), 1 - above(t - present, epsilon)];
  const least = (alpha, epsilon) => Math.max(0, 1 - Math.exp(epsilon) * alpha, Math.exp(-epsilon) * (1 - alpha));

  const best = panel.reveal("Show the best threshold", () => `The threshold 132.5, halfway between the two counts, has ` +
    `the smallest sum, exp(−ε/2) = ${rate(Math.exp(-level() / 2))}. No test of any ε‑DP release has a sum below ` +
    `2/(1 + exp(ε)) = ${rate(2 / (1 + Math.exp(level())))}, where the two straight edges of the grey area meet.`);

  let places = null;
  panel.point((x, y) => {
    const { values, rates, beside } = places;
    const epsilon = level();
    if (beside ? x < beside : y < 195) cut.near(values.invert(x));
    else cut.near(absent + exceeded(Math.min(0.999, Math.max(0.001, rates.invert(x - beside))), epsilon));
  });

  panel.draw("Two densities and a threshold; the false-negative rate against the false-positive rate",
    (width) => (width < 600 ? 465 : 300), (svg, width, height) => {
      const [t, epsilon] = [cut(), level()];
      const [positives, negatives] = errors(t, epsilon);
      const wide = width >= 600;
      const half = wide ? width / 2 : 0; // where the second drawing begins

      const x = d3.scaleLinear([128, 137], [40, (wide ? half - 14 : width - 12)]);
      const y = d3.scaleLinear([0, Math.max(0.3, 0.6 * epsilon)], [wide ? height - 44 : 150, 26]);
      const grid = d3.sort(d3.union(d3.range(128, 137.001, 0.05), [t]));
      const curve = (centre) => (value) => density(value - centre, epsilon);
      const area = (name, height_, from, to) => {
        const inside = grid.filter((value) => value >= from && value <= to);
        if (inside.length < 2) return;
        const path = [[inside[0], 0], ...inside.map((value) => [value, height_(value)]), [inside.at(-1), 0]];
        svg.append("path").attr("class", `area s-${name}`).attr("d", d3.line((d) => x(d[0]), (d) => y(d[1]))(path));
      };
      area("without", curve(absent), t, 137);
      area("with", curve(present), 128, t);
      explorableAxes(svg, x, y, { bottom: "released value", left: "density", xTicks: 9, yTicks: 4, xFormat: "d" });
      for (const [name, centre] of [["without", absent], ["with", present]]) {
        svg.append("path").attr("class", `line s-${name}`)
          .attr("d", d3.line((value) => x(value), (value) => y(curve(centre)(value)))(grid));
      }
      svg.append("line").attr("class", "level").attr("x1", x(t)).attr("x2", x(t))
        .attr("y1", y.range()[0]).attr("y2", y.range()[1] - 4);
      const right = t <= 132.5;
      svg.append("text").attr("class", "on-line").attr("x", x(t) + (right ? 5 : -5)).attr("y", y.range()[1] + 4)
        .attr("text-anchor", right ? "start" : "end").text(right ? "says “in” →" : "← says “out”");

      const second = svg.append("g").attr("transform", `translate(${half},0)`);
      const side = wide ? half : width;
      const top = wide ? 26 : 230;
      const a = d3.scaleLinear([0, 1], [40, side - 12]);
      const b = d3.scaleLinear([0, 1], [height - 44, top]);
      const along = d3.sort(d3.union(d3.range(0, 1.0001, 0.01), [1 / (1 + Math.exp(epsilon))]));
      const floor = [[0, 0], ...along.map((alpha) => [alpha, least(alpha, epsilon)])];
      const spot = d3.line((d) => a(d[0]), (d) => b(d[1]));
      const ceiling = [[1, 1], ...along.map((alpha) => [1 - alpha, 1 - least(alpha, epsilon)])];
      for (const edge of [floor, ceiling]) {
        second.append("path").attr("class", "area s-floor").attr("d", `${spot(edge)}Z`);
      }
      explorableAxes(second, a, b, { bottom: "false-positive rate", left: "false-negative rate", xFormat: ".0%", yFormat: ".0%" });
      const all = [...d3.range(0, 1.001, 0.01)].map((p) => Math.min(1 - 1e-9, Math.max(1e-9, p)))
        .map((p) => errors(absent + exceeded(p, epsilon), epsilon));
      second.append("path").attr("class", "line s-laplace").attr("d", spot(all));
      if (best()) {
        const [p, q] = errors(132.5, epsilon);
        second.append("circle").attr("class", "ring").attr("r", 9).attr("cx", a(p)).attr("cy", b(q));
      }
      second.append("circle").attr("class", "dot s-laplace").attr("r", 6).attr("cx", a(positives)).attr("cy", b(negatives));
      places = { values: x, rates: a, beside: half };

      return `An attacker who says “in” above ${t.toFixed(1)} has a false-positive rate of ${rate(positives)} and a ` +
        `false-negative rate of ${rate(negatives)}. Their sum is ${rate(positives + negatives)}. At this false-positive ` +
        `rate no test of an ε‑DP release has a false-negative rate below ${rate(least(positives, epsilon))}.`;
    });
});
