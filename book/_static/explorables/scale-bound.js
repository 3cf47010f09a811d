/* The smallest safe scale against n: Theorem 1', the printed bounds, the careful proof.
 * The printed (10) lies on Theorem 1' for all but few records, so it is a ring and no curve. */
"use strict";

explorable("scale-bound", (panel) => {
  panel.prompt("Drag _n_ down until the ring of (10) leaves the curve of Theorem 1′. On which side does it lie? And how few records " +
    "are enough for a scale of 0.1 at ε = 1?");
  panel.guess({
    question: "On which side will it lie?", options: ["above the curve", "below the curve"], right: 0,
    when: () => count() <= 10,
    because: () => "(10) asks for a larger scale than the records need.",
  });
  const commas = d3.format(",");
  const count = panel.rounded({
    label: "records _n_", low: 3, high: 1e6, start: 1000, format: commas, whole: true,
  });
  const target = panel.rounded({ label: "target ε", low: 0.01, high: 10, start: 1 });
  panel.legend([
    ["tight", "line"], ["printed-10", "ring", "printed (10), here"],
    ["printed-11", "line", "printed (11), _K_ = 101"], ["careful", "line"],
  ]);

  const inverse = (growth) => 1 / Math.log1p(growth);
  /* 1/u with (e^u - 1)/u = growth, by bisection of the increasing function ln((e^u - 1)/u). */
  const careful = (growth) => {
    let [low, high] = [1e-12, 4 * Math.log(growth) + 4];
    for (let i = 0; i < 80; i += 1) {
      const u = (low + high) / 2;
      if (u + Math.log(-Math.expm1(-u) / u) < Math.log(growth)) low = u;
      else high = u;
    }
    return 2 / (low + high);
  };
  const bounds = [
    ["tight", (n, delta) => inverse(n * delta)],
    ["printed-10", (n, delta) => inverse((n - 1) * delta)],
    ["printed-11", (n, delta) => inverse(((n - 1) * delta) / 101)],
    ["careful", (n, delta) => careful(1 + n * delta)],
  ];

  /* The fewest records, two or more, with which a bound allows the scale of the second question. */
  const wanted = 0.1;
  const fewest = (bound, delta) => {
    let [low, high] = [1, 2 ** 40];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (bound(middle, delta) <= wanted) high = middle;
      else low = middle;
    }
    return high;
  };
  const keep = panel.best({
    better: (a, b) => a < b, label: "Fewest so far",
    say: (n) => `with ${commas(n)} records a scale of ${wanted} is enough at ε = 1`,
  });
  const shown = panel.reveal("Show the fewest records", () => {
    const [tight, ten, eleven] = bounds.map(([, bound]) => commas(fewest(bound, Math.expm1(target()))));
    return `At ε = ${explorableNumber(target())} a scale of ${wanted} is enough from ${tight} records on, by Theorem 1′. The printed (10) ` +
      `allows it from ${ten} on, and (11) from ${eleven} on.`;
  });

  let x = null;
  panel.point((at) => count.near(x.invert(at)));
  panel.draw("Smallest safe scale against the number of records, both axes logarithmic", 320,
    (svg, width, height) => {
      const [n, epsilon] = [count(), target()];
      const delta = Math.expm1(epsilon);
      x = d3.scaleLog([3, 1e6], [52, width - 16]);
      const y = d3.scaleLog([0.03, 30], [height - 44, 26]);
      explorableAxes(svg, x, y, {
        bottom: "records _n_", left: "scale _b_, in units of the padded interval",
        xTicks: 6, xFormat: "~s", yFormat: "~g",
      });
      svg.append("line").attr("class", "guide")
        .attr("x1", x(n)).attr("x2", x(n)).attr("y1", y.range()[0]).attr("y2", y.range()[1]);
      const grid = d3.range(0.48, 6.001, 0.02).map((power) => 10 ** power);
      for (const [name, bound] of bounds.filter(([one]) => one !== "printed-10")) {
        svg.append("path").attr("class", `line s-${name}`)
          .attr("d", d3.line((m) => x(m), (m) => y(bound(m, delta)))
            .defined((m) => bound(m, delta) <= 30)(grid));
      }
      for (const [[, bound], style, radius] of [
        [bounds[0], "dot s-tight", 4], [bounds[1], "hollow s-printed-10", 8],
      ]) {
        if (bound(n, delta) > 30) continue;
        svg.append("circle").attr("class", style).attr("r", radius)
          .attr("cx", x(n)).attr("cy", y(bound(n, delta)));
      }
      const [sharp, ten, eleven, proof] = bounds.map(([, bound]) => bound(n, delta));
      keep(epsilon === 1 && sharp <= wanted ? n : null);
      if (shown()) {
        const few = fewest(bounds[0][1], delta);
        svg.append("line").attr("class", "level").attr("x1", x(3)).attr("x2", x(1e6)).attr("y1", y(wanted)).attr("y2", y(wanted));
        if (few >= 3 && few <= 1e6) svg.append("circle").attr("class", "ring").attr("r", 9).attr("cx", x(few)).attr("cy", y(wanted));
      }
      return `With ${commas(n)} records and ε = ${explorableNumber(epsilon)}, everybody is private ` +
        `whatever the profile if every scale is at least ${explorableNumber(sharp)} (Theorem 1′). ` +
        `Printed: ${explorableNumber(ten)} in (10), ${explorableNumber(eleven)} in (11). ` +
        `The printed proof, done with care, would need ${explorableNumber(proof)}.`;
    });
});
