/* A count with Laplace noise, with a record and without it, and an attacker who guesses by a threshold. */
"use strict";

explorable("threshold", (panel) => {
  const [without, present] = [10, 11]; // the count
  panel.prompt("Drag the threshold. How small can both error rates of the attacker be at the same time?");
  panel.guess({
    question: "At ε = 1, can both be below 0.25?", options: ["yes", "no"], right: 1,
    when: () => level() === 1 && Math.abs(cut() - 10.5) <= 0.11,
    because: () => `an ε-DP release keeps at least one of them at ${(1 / (1 + Math.E)).toFixed(2)} or above.`,
  });
  const level = panel.rounded({ label: "ε", low: 0.1, high: 2, start: 1 });
  const cut = panel.slider({
    label: "threshold", min: 6, max: 15, step: 0.1, start: 13, format: (t) => t.toFixed(1),
  });
  const keep = panel.best({
    better: (a, b) => a.sum < b.sum - 1e-9,
    say: ({ epsilon, sum }) => `at ε = ${explorableNumber(epsilon)} the two rates sum to ${sum.toFixed(2)}`,
    label: "Smallest so far",
  });
  const shown = panel.reveal("Show what ε-DP allows", () => `No ε-DP release lets the two rates sum to less than ` +
    `2/(1 + exp(ε)) = ${(2 / (1 + Math.exp(level()))).toFixed(2)}. With Laplace noise the smallest sum is ` +
    `exp(−ε/2) = ${Math.exp(-level() / 2).toFixed(2)}, for every threshold from 10 to 11.`);
  panel.legend([["with", "line"], ["without", "line"], ["laplace", "line", "thresholds on Laplace noise"]]);

  /* P(noise > u), and the errors of a threshold. */
  const tail = (u) => (u > 0 ? Math.exp(-level() * u) / 2 : 1 - Math.exp(level() * u) / 2);
  const errors = (t) => [tail(t - without), 1 - tail(t - present)];
  let x = null;
  panel.point((at) => { if (at < x.range()[1] + 8) cut.near(x.invert(at)); });

  const beside = (width) => width >= 560;
  panel.draw("The two densities with the threshold, and false negatives against false positives",
    (width) => (beside(width) ? 280 : 470), (svg, width, height) => {
      const [epsilon, t] = [level(), cut()];
      const [alpha, beta] = errors(t);
      keep({ epsilon, sum: alpha + beta });
      const left = beside(width) ? width * 0.6 - 24 : width - 8;
      const base = beside(width) ? height - 44 : 190;
      x = d3.scaleLinear([4, 17], [40, left]);
      const y = d3.scaleLinear([0, 1], [base, 26]);
      explorableAxes(svg, x, y, { bottom: "released count", left: "density", yTicks: 4 });
      const density = (at, centre) => (epsilon / 2) * Math.exp(-epsilon * Math.abs(at - centre));
      const line = d3.line(([at]) => x(at), ([, p]) => y(p));
      for (const [name, centre, wrong] of [
        ["without", without, (at) => at >= t], ["with", present, (at) => at <= t],
      ]) {
        const points = d3.sort(d3.union(d3.range(4, 17.001, 0.05), [centre, t])).map((at) => [at, density(at, centre)]);
        const under = points.filter(([at]) => wrong(at));
        svg.append("path").attr("class", `area s-${name}`)
          .attr("d", line([[under[0][0], 0], ...under, [under.at(-1)[0], 0]]));
        svg.append("path").attr("class", `line s-${name}`).attr("d", line(points));
      }
      svg.append("line").attr("class", "level").attr("x1", x(t)).attr("x2", x(t)).attr("y1", base).attr("y2", 30);
      for (const [side, text] of [[-1, "◀ “out”"], [1, "“in” ▶"]]) {
        svg.append("text").attr("x", x(t) + 6 * side).attr("y", 38)
          .attr("text-anchor", side < 0 ? "end" : "start").text(text);
      }

      const [from, top, low] = beside(width) ? [width * 0.6 + 34, 26, height - 44] : [44, 262, height - 44];
      const to = Math.min(width - 8, from + (low - top) * 1.1);
      const a = d3.scaleLinear([0, 1], [from, to]);
      const b = d3.scaleLinear([0, 1], [low, top]);
      svg.append("g").attr("transform", `translate(0,${low})`).call(d3.axisBottom(a).ticks(4));
      svg.append("g").attr("transform", `translate(${from},0)`).call(d3.axisLeft(b).ticks(4));
      svg.append("text").attr("x", (from + to) / 2).attr("y", low + 36).attr("text-anchor", "middle").text("false positives");
      svg.append("text").attr("x", from - 34).attr("y", top - 12).text("false negatives");
      const places = d3.range(0, 1.0001, 0.01);
      const rates = d3.line(([p]) => a(p), ([, q]) => b(q));
      const bound = (p) => Math.max(1 - Math.exp(epsilon) * p, Math.exp(-epsilon) * (1 - p), 0);
      const corner = 1 / (1 + Math.exp(epsilon));
      if (shown()) {
        svg.append("path").attr("class", "area s-floor")
          .attr("d", rates([[0, 0], [0, 1], [corner, corner], [1, 0]]));
        svg.append("text").attr("x", a(0.02)).attr("y", b(0.04)).text("no ε-DP release");
        svg.append("path").attr("class", "line s-floor")
          .attr("d", rates(d3.sort([...places, corner]).map((p) => [p, bound(p)])));
      }
      svg.append("line").attr("class", "guide").attr("x1", a(0)).attr("y1", b(1)).attr("x2", a(1)).attr("y2", b(0));
      svg.append("path").attr("class", "line s-laplace")
        .attr("d", rates(d3.range(-60, 80, 0.1).map((at) => errors(at))));
      svg.append("circle").attr("class", "dot s-laplace").attr("r", 6).attr("cx", a(alpha)).attr("cy", b(beta));

      return `The attacker says “in” above ${t.toFixed(1)}. False positives: ${alpha.toFixed(3)} of the cases without ` +
        `the record. False negatives: ${beta.toFixed(3)} of the cases with it. Their sum is ${(alpha + beta).toFixed(3)}, ` +
        `where 1 is a blind guess.`;
    });
});
