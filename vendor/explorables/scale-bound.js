/* The smallest safe scale against n: Theorem 1', the printed bounds, the careful proof. */
"use strict";

explorable("scale-bound", (panel) => {
  const count = panel.slider({
    label: "records n", min: 0.5, max: 6, step: 0.05, start: 3.1,
    value: (position) => Math.round(10 ** position), format: (n) => d3.format(",")(n),
  });
  const target = panel.slider({
    label: "target ε", min: -2, max: 1, step: 0.05, start: 0,
    value: (position) => 10 ** position, format: explorableNumber,
  });
  panel.legend([
    ["one", "", "Theorem 1′"],
    ["two", "7 4", "printed (10)"],
    ["three", "2 3", "printed (11), K = 101"],
    ["four", "9 3 2 3", "what the printed proof needs"],
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
    ["one", "", (n, delta) => inverse(n * delta)],
    ["two", "7 4", (n, delta) => inverse((n - 1) * delta)],
    ["three", "2 3", (n, delta) => inverse(((n - 1) * delta) / 101)],
    ["four", "9 3 2 3", (n, delta) => careful(1 + n * delta)],
  ];

  panel.draw("Smallest safe scale against the number of records, both axes logarithmic", 320,
    (svg, width, height) => {
      const [n, epsilon] = [count(), target()];
      const delta = Math.expm1(epsilon);
      const x = d3.scaleLog([3, 1e6], [52, width - 16]);
      const y = d3.scaleLog([0.03, 30], [height - 44, 26]);
      explorableAxes(svg, x, y, {
        bottom: "records n", left: "scale b, in units of the padded interval",
        xTicks: 6, xFormat: "~s", yFormat: "~g",
      });
      svg.append("line").attr("class", "guide")
        .attr("x1", x(n)).attr("x2", x(n)).attr("y1", y.range()[0]).attr("y2", y.range()[1]);
      const grid = d3.range(0.48, 6.001, 0.02).map((power) => 10 ** power);
      for (const [style, dashes, bound] of bounds) {
        svg.append("path").attr("class", `curve ${style}`).attr("stroke-dasharray", dashes)
          .attr("d", d3.line((m) => x(m), (m) => y(bound(m, delta)))
            .defined((m) => bound(m, delta) <= 30)(grid));
      }
      const safe = bounds[0][2](n, delta);
      if (safe <= 30) {
        svg.append("circle").attr("class", "one").attr("r", 5).attr("cx", x(n)).attr("cy", y(safe));
      }
      const [tight, ten, eleven, proof] = bounds.map((b) => explorableNumber(b[2](n, delta)));
      return `With ${d3.format(",")(n)} records and ε = ${explorableNumber(epsilon)}, everybody is private ` +
        `whatever the profile if every scale is at least ${tight} (Theorem 1′). ` +
        `Printed: ${ten} in (10), ${eleven} in (11). The printed proof, done with care, would need ${proof}.`;
    });
});
