/* What m draws cost: basic composition, advanced composition, and the dominating pair of the chapter. */
"use strict";

explorable("draws-cost", (panel) => {
  const power = (position) => Math.round(10 ** position);
  const commas = d3.format(",");
  const raised = (digits) => [...String(digits)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]).join("");
  panel.prompt("Move _n_ and _m_ together. How does the cost at _m_ = _n_ depend on _n_?");
  panel.guess({
    question: "With more records and as many draws, the cost of the dominating pair …",
    options: ["grows", "falls", "hardly changes"], right: 2,
    when: () => count() === draws() && count() >= 1e5,
    because: () => "from about 100 records on, the cost at _m_ = _n_ is nearly the same for every _n_.",
  });
  const count = panel.rounded({ label: "records _n_", low: 3, high: 1e6, start: 1000, format: commas });
  const level = panel.rounded({ label: "ε of one draw", low: 0.001, high: 10, start: 1 });
  const draws = panel.rounded({
    label: "draws _m_", low: 1, high: 1e6, start: 1000, format: commas, whole: true,
  });
  const exponent = panel.slider({
    label: "δ", min: 1, max: 12, step: 1, start: 6, format: (digits) => `10⁻${raised(digits)}`,
  });
  panel.legend([["dominating-pair", "line"], ["advanced", "line"], ["basic", "line", "basic composition, δ = 0"]]);

  /* Smallest total at which E(1 - e^{total - L})^+ <= δ: L is `up` for each head, `down` for each
   * tail of m tosses with these log-odds. The same steps as pdpbook.audit.accounting. */
  const tosses = (m, logOdds, up, down, delta) => {
    const share = 1 / (1 + Math.exp(-logOdds));
    const rarity = Math.log(2e12 / delta);
    const reach = rarity / 3 + Math.sqrt((rarity / 3) ** 2 + 2 * rarity * m * share * (1 - share));
    const first = Math.max(0, Math.floor(m * share - reach));
    const last = Math.min(m, Math.ceil(m * share + reach));
    const logWeight = [0];
    for (let k = first; k < last; k += 1) {
      logWeight.push(logWeight[k - first] + Math.log((m - k) / (k + 1)) + logOdds);
    }
    const peak = d3.max(logWeight);
    const total = d3.sum(logWeight, (w) => Math.exp(w - peak));
    const weight = logWeight.map((w) => Math.exp(w - peak) / total / delta);
    const step = up - down;
    /* From the top down: the sum of the tail, and its sum with e^{-(loss above the tail's least)};
     * the total lies below the least loss of the last tail that does not cost more than δ. */
    let [tail, moment, k] = [weight.at(-1), weight.at(-1), last];
    while (k > first) {
      const wider = tail + weight[k - 1 - first];
      const next = weight[k - 1 - first] + moment * Math.exp(-step);
      if (wider - next > 1) break;
      [tail, moment, k] = [wider, next, k - 1];
    }
    const shift = tail > 1 ? Math.max(-step, Math.log((tail - 1) / moment)) : -step;
    return Math.max(0, k * up + (m - k) * down + shift);
  };
  const dominated = (n, epsilon, m, delta) => {
    const rare = Math.min(-Math.log1p(-1 / n), epsilon);
    const odds = Math.log(Math.expm1(-rare) / -Math.expm1(epsilon));
    return Math.min(m * epsilon, Math.max(
      tosses(m, odds + epsilon + rare, epsilon, -rare, delta), tosses(m, -odds, rare, -epsilon, delta),
    ));
  };
  const advanced = (epsilon, m, delta) => Math.min(
    m * epsilon, m * epsilon * Math.tanh(epsilon / 2) + epsilon * Math.sqrt(-2 * m * Math.log(delta)),
  );

  let x = null;
  panel.point((at) => draws.near(x.invert(at)));
  panel.draw("Total epsilon against the number of draws, both axes logarithmic", 320,
    (svg, width, height) => {
      const [n, epsilon, m, delta] = [count(), level(), draws(), 10 ** -exponent()];
      x = d3.scaleLog([1, 1e6], [52, width - 16]);
      const y = d3.scaleLog([1e-3, 1e7], [height - 44, 26]);
      explorableAxes(svg, x, y, {
        bottom: "draws _m_", left: "total ε, in nats", xTicks: 6, xFormat: "~s",
        yFormat: (total) => d3.format(total < 1000 ? "~g" : "~s")(total),
      });
      for (const [style, place] of [["guide", n], ["guide marked", m]]) {
        svg.append("line").attr("class", style)
          .attr("x1", x(place)).attr("x2", x(place)).attr("y1", y.range()[0]).attr("y2", y.range()[1]);
      }
      svg.append("text").attr("x", x(n) + 4).attr("y", y.range()[1] + 10).call(explorableText, "_m_ = _n_");
      const grid = [...new Set(d3.range(0, 6.01, 0.08).map(power))];
      const rules = [
        ["basic", (k) => k * epsilon],
        ["advanced", (k) => advanced(epsilon, k, delta)],
        ["dominating-pair", (k) => dominated(n, epsilon, k, delta)],
      ];
      for (const [name, rule] of rules) {
        const points = grid.map((k) => [k, rule(k)]);
        svg.append("path").attr("class", `line s-${name}`)
          .attr("d", d3.line(([k]) => x(k), ([, total]) => y(total))
            .defined(([, total]) => total >= 1e-3)(points));
      }
      const [basic, loose, exact] = rules.map(([, rule]) => rule(m));
      if (exact >= 1e-3) {
        svg.append("circle").attr("class", "dot s-dominating-pair").attr("r", 5).attr("cx", x(m)).attr("cy", y(exact));
      }
      return `${d3.format(",")(m)} draw${m > 1 ? "s" : ""} from ${d3.format(",")(n)} records, ε = ${explorableNumber(epsilon)} each, ` +
        `δ = 10⁻${raised(exponent())}: the dominating pair ${explorableNumber(exact)}, ` +
        `advanced composition ${explorableNumber(loose)}, basic composition ${explorableNumber(basic)}.`;
    });
});
