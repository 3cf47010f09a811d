/* What m draws cost: basic composition, advanced composition, and the dominating pair of the chapter, whose two
 * binomial distributions are drawn with the error rates of the best attacker. */
"use strict";

explorable("draws-cost", (panel) => {
  const power = (position) => Math.round(10 ** position);
  const commas = d3.format(",");
  const raised = (digits) => [...String(digits)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]).join("");
  const budget = 10;
  panel.prompt(`How many draws from 1,000 records does a total ε of ${budget} pay for? Drag _m_, or click on the drawing.`);
  panel.guess({
    question: "And with ε = 0.1 for a draw instead of 1?",
    options: ["about 10 times as many", "about 25 times as many", "about 100 times as many"], right: 1,
    when: () => count() === 1000 && level() === 0.1 && exponent() === 6 && (open() || now.total > 0.8 * budget),
    because: () => {
      const [many, few] = [0.1, 1].map((epsilon) => most((m) => dominated(1000, epsilon, m, 1e-6)));
      return `a total of ${budget} pays for ${commas(many)} draws instead of ${commas(few)}.`;
    },
  });
  const count = panel.rounded({ label: "records _n_", low: 3, high: 1e6, start: 1000, format: commas });
  const level = panel.rounded({ label: "ε of one draw", low: 0.001, high: 10, start: 1 });
  const draws = panel.rounded({
    label: "draws _m_", low: 1, high: 1e6, start: 1000, format: commas, whole: true,
  });
  const exponent = panel.slider({
    label: "δ", min: 1, max: 12, step: 1, start: 6, format: (digits) => `10⁻${raised(digits)}`,
  });
  panel.legend([
    ["dominating-pair", "line"], ["advanced", "line"], ["basic", "line", "basic composition, δ = 0"],
    ["with", "line"], ["without", "line"],
  ]);

  /* The number of successes in m trials with these log-odds: the probabilities from `first` to `last`, of all
   * that matter if e^{-rarity} does not. */
  const successes = (m, logOdds, rarity) => {
    const share = 1 / (1 + Math.exp(-logOdds));
    const reach = rarity / 3 + Math.sqrt((rarity / 3) ** 2 + 2 * rarity * m * share * (1 - share));
    const first = Math.max(0, Math.floor(m * share - reach));
    const last = Math.min(m, Math.ceil(m * share + reach));
    const logWeight = [0];
    for (let k = first; k < last; k += 1) {
      logWeight.push(logWeight[k - first] + Math.log((m - k) / (k + 1)) + logOdds);
    }
    const peak = d3.max(logWeight);
    const total = d3.sum(logWeight, (w) => Math.exp(w - peak));
    return { first, last, weight: logWeight.map((w) => Math.exp(w - peak) / total) };
  };
  /* Smallest total at which E(1 - e^{total - L})^+ <= δ: L is `up` for each success, `down` for each
   * failure of m trials with these log-odds. The same steps as pdpbook.audit.accounting. */
  const trials = (m, logOdds, up, down, delta) => {
    const { first, last, weight: shares } = successes(m, logOdds, Math.log(2e12 / delta));
    const weight = shares.map((share) => share / delta);
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
  /* The loss of a failure is -rare; the log-odds of a success, without the record and with it. */
  const pair = (n, epsilon) => {
    const rare = Math.min(-Math.log1p(-1 / n), epsilon);
    const odds = Math.log(Math.expm1(-rare) / -Math.expm1(epsilon));
    return { rare, absent: odds, present: odds + epsilon + rare };
  };
  const dominated = (n, epsilon, m, delta) => {
    const { rare, absent, present } = pair(n, epsilon);
    return Math.min(m * epsilon, Math.max(
      trials(m, present, epsilon, -rare, delta), trials(m, -absent, rare, -epsilon, delta),
    ));
  };
  const advanced = (epsilon, m, delta) => Math.min(
    m * epsilon, m * epsilon * Math.tanh(epsilon / 2) + epsilon * Math.sqrt(-2 * m * Math.log(delta)),
  );
  const rulesOf = (n, epsilon, delta) => [
    ["basic", (m) => m * epsilon],
    ["advanced", (m) => advanced(epsilon, m, delta)],
    ["dominating-pair", (m) => dominated(n, epsilon, m, delta)],
  ];
  /* The best attacker says "in" if there are more than `cut` successes. */
  const attack = (n, epsilon, m) => {
    const { rare, absent, present } = pair(n, epsilon);
    const [without, withRecord] = [absent, present].map((odds) => successes(m, odds, 30));
    const cut = Math.floor((m * rare) / (epsilon + rare));
    const sum = ({ first, weight }, from, to) => d3.sum(weight, (w, i) => (first + i > from && first + i <= to ? w : 0));
    return { without, withRecord, cut, positives: sum(without, cut, m), negatives: sum(withRecord, -1, cut) };
  };

  /* The most draws, up to a million, for which a rule asks for no more than the budget. */
  const most = (rule) => {
    let [low, high] = [0, 1e6 + 1];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (rule(middle) <= budget) low = middle;
      else high = middle;
    }
    return low;
  };
  const keep = panel.best({
    better: (a, b) => a.m > b.m,
    say: ({ m, total }) => `${commas(m)} draws from 1,000 records for a total ε of ${explorableNumber(total)}`,
  });
  let now = null;
  const open = panel.reveal("Show what the total pays for", () => {
    const paid = rulesOf(count(), level(), 10 ** -exponent()).map(([, rule]) => most(rule));
    const [basic, loose, exact] = paid.map((m) => (m === 1e6 ? "a million draws or more" : `${commas(m)} draw${m === 1 ? "" : "s"}`));
    return `With ${commas(count())} records, ε = ${explorableNumber(level())} and δ = 10⁻${raised(exponent())}, a total ε of ${budget} pays ` +
      `for ${exact} by the dominating pair, for ${loose} by advanced composition, and for ${basic} by basic composition.`;
  });

  let places = null;
  panel.point((at, y) => { if (places.beside ? at < places.beside : y < 226) draws.near(places.x.invert(at)); });
  panel.draw("Total epsilon against the number of draws; the number of successes with the record and without it",
    (width) => (width < 600 ? 385 : 320), (svg, width, height) => {
      const [n, epsilon, m, delta] = [count(), level(), draws(), 10 ** -exponent()];
      const wide = width >= 600;
      const half = wide ? 0.54 * width : 0; // where the second drawing begins
      const x = d3.scaleLog([1, 1e6], [52, (wide ? half : width) - 16]);
      const y = d3.scaleLog([1e-3, 1e7], [wide ? height - 44 : 182, 26]);
      places = { x, beside: half };
      explorableAxes(svg, x, y, {
        bottom: "draws _m_", left: "total ε, in nats", xTicks: 6, xFormat: "~s", yTicks: 6,
        yFormat: (total) => d3.format(total < 1000 ? "~g" : "~s")(total),
      });
      for (const [style, place] of [["guide", n], ["guide marked", m]]) {
        svg.append("line").attr("class", style)
          .attr("x1", x(place)).attr("x2", x(place)).attr("y1", y.range()[0]).attr("y2", y.range()[1]);
      }
      const last = x(n) > x.range()[1] - 40;
      svg.append("text").attr("x", x(n) + (last ? -4 : 4)).attr("y", y.range()[1] + 10)
        .attr("text-anchor", last ? "end" : "start").call(explorableText, "_m_ = _n_");
      const grid = [...new Set(d3.range(0, 6.01, 0.08).map(power))];
      const rules = rulesOf(n, epsilon, delta);
      for (const [name, rule] of rules) {
        const points = grid.map((k) => [k, rule(k)]);
        svg.append("path").attr("class", `line s-${name}`)
          .attr("d", d3.line(([k]) => x(k), ([, total]) => y(total))
            .defined(([, total]) => total >= 1e-3)(points));
      }
      const [basic, loose, exact] = rules.map(([, rule]) => rule(m));
      now = { total: exact };
      if (exact >= 1e-3) {
        svg.append("circle").attr("class", "dot s-dominating-pair").attr("r", 5).attr("cx", x(m)).attr("cy", y(exact));
      }
      keep(n === 1000 && epsilon === 1 && exponent() === 6 && exact <= budget ? { m, total: exact } : null);

      /* Both binomial distributions as steps, every one of them or, if there are too many, some of them. */
      const { without, withRecord, cut, positives, negatives } = attack(n, epsilon, m);
      const both = [["without", without], ["with", withRecord]];
      const seen = both.flatMap(([, { first, weight }]) => {
        const matters = (w) => w > 1e-3 * d3.max(weight);
        return [first + weight.findIndex(matters), first + weight.findLastIndex(matters)];
      });
      const [low, high] = [d3.min(seen), d3.max(seen)];
      const stride = Math.ceil((high - low + 1) / 160);
      const second = svg.append("g").attr("transform", `translate(${half},0)`);
      const a = d3.scaleLinear([low - 0.5, high + 0.5], [54, (wide ? width - half : width) - 12]);
      const b = d3.scaleLinear([0, 1.1 * d3.max(both, ([, { weight }]) => d3.max(weight))], [height - 44, wide ? 26 : 256]);
      const edge = cut + 0.5;
      for (const [name, { first, weight }] of both) {
        const steps = d3.range(low, high + 1, stride)
          .map((k) => [k - 0.5, Math.min(high, k + stride - 1) + 0.5, weight[k - first] ?? 0]);
        const wrong = steps
          .map(([from, to, w]) => (name === "with" ? [from, Math.min(to, edge), w] : [Math.max(from, edge), to, w]))
          .filter(([from, to]) => from < to);
        const path = d3.line((d) => a(d[0]), (d) => b(d[1]));
        const outline = (list) => list.flatMap(([from, to, w]) => [[from, w], [to, w]]);
        if (wrong.length) {
          const around = [[wrong[0][0], 0], ...outline(wrong), [wrong.at(-1)[1], 0]];
          second.append("path").attr("class", `area s-${name}`).attr("d", path(around));
        }
        second.append("path").attr("class", `line s-${name}`).attr("d", path(outline(steps)));
      }
      explorableAxes(second, a, b, {
        bottom: "successes in _m_ trials of the pair", left: "probability", xTicks: Math.min(5, high - low + 1), xFormat: "~s", yTicks: 4,
      });
      const line = a(Math.max(low - 0.5, Math.min(high + 0.5, edge)));
      second.append("line").attr("class", "level").attr("x1", line).attr("x2", line).attr("y1", b.range()[0]).attr("y2", b.range()[1] - 4);
      const right = line < d3.sum(a.range()) / 2;
      second.append("text").attr("class", "on-line").attr("x", line + (right ? 5 : -5)).attr("y", b.range()[1] + 4)
        .attr("text-anchor", right ? "start" : "end").text(right ? "says “in” →" : "← says “out”");

      return `${commas(m)} draw${m > 1 ? "s" : ""} from ${commas(n)} records, ε = ${explorableNumber(epsilon)} each, ` +
        `δ = 10⁻${raised(exponent())}: the dominating pair ${explorableNumber(exact)}, ` +
        `advanced composition ${explorableNumber(loose)}, basic composition ${explorableNumber(basic)}. ` +
        `The best attacker says “in” above ${commas(cut)} success${cut === 1 ? "" : "es"}: false-positive rate ` +
        `${explorableNumber(positives)}, false-negative rate ${explorableNumber(negatives)}.`;
    });
});
