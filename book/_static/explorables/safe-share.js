/* The village of the chapter: noisy counts, the lower bound that follows, and how many records must be
 * moved to Ada's bin so that a lone record there is protected. */
"use strict";

explorable("safe-share", (panel) => {
  const counts = [40, 60, 1];
  const inText = [0.06, 0.975, 0.5]; // quantiles of the noise; at ε₁ = 1 it is −2, 3 and 0, as in the text
  const delta = 1e-3;
  const n = d3.sum(counts);
  panel.prompt("Find the smallest _s_ that is safe for Ada. Then divide the total ε = 2 otherwise between the counts and the draw: " +
    "can _s_ become smaller still?");
  panel.guess({
    question: "Which share of the total do the counts get if _s_ is to be as small as possible?",
    options: ["a fifth", "half", "four fifths"], right: 0,
    when: () => total() === 2 && quantiles === inText
      && (shown() || bestPlan().least > 0.9 * plan(2, split() / 100).least),
    because: () => `at ${Math.round(100 * bestPlan().share)} % the smallest safe _s_ is ${explorableNumber(bestPlan().least)}, and at 50 % it is ` +
      `${explorableNumber(plan(2, 0.5).least)}.`,
  });
  const total = panel.rounded({ label: "total ε", low: 0.5, high: 6, start: 2 });
  const split = panel.slider({
    label: "share of the counts", min: 5, max: 95, step: 1, start: 50, format: (share) => `${share} %`,
  });
  const move = panel.rounded({ label: "moved to bin 2, _s_", low: 0.001, high: 0.5, start: 0.005 });
  /* The noise at hand, by its quantiles: as in the text, until it is drawn again. */
  let [quantiles, uniform] = [inText, d3.randomLcg(0.37)];
  panel.button("draw the noise again", () => {
    quantiles = counts.map(() => Math.max(1e-9, uniform()));
    panel.update();
  });
  panel.restart.push(() => { [quantiles, uniform] = [inText, d3.randomLcg(0.37)]; });
  panel.legend([
    ["data", "bar", "records"], ["noisy", "dot", "noisy count"], ["known", "line", "lower bound"],
    ["fixed-noise", "line", "Ada’s largest loss, by _s_"], ["floor", "bar", "not safe"],
  ]);

  /* Two-sided geometric noise at a quantile, and what the largest of three exceeds with probability δ. */
  const noise = (u, epsilon) => {
    const a = Math.exp(-epsilon);
    return u < 1 / (1 + a) ? -Math.floor(Math.log(u * (1 + a)) / -epsilon + 1e-12)
      : Math.max(0, Math.ceil(Math.log((1 - u) * (1 + a)) / -epsilon - 1 - 1e-12));
  };
  const marginOf = (epsilon) => {
    const single = -Math.expm1(Math.log1p(-delta) / counts.length);
    return Math.max(0, Math.ceil(-Math.log(single * (1 + Math.exp(-epsilon))) / epsilon) - 1);
  };
  const randomiser = (s) => [[1 - s, 0, s], [0, 1 - s, s], [0, 0, 1]];
  const mass = (table, rows) => d3.range(3).map((x) => d3.sum(table, (c, k) => c * rows[k][x]));
  const isSafe = (lower, s, epsilon) => {
    const rows = randomiser(s);
    const sure = mass(lower, rows);
    return rows.every((row, k) => row.every((p, x) => p <= -Math.expm1(-epsilon) *
      (sure[x] + (lower[k] ? 0 : p)) * (1 + 1e-12)));
  };
  const plan = (epsilon, share) => {
    const [first, second] = [epsilon * share, epsilon * (1 - share)];
    const noisy = counts.map((c, k) => c + noise(quantiles[k], first));
    const margin = marginOf(first);
    const lower = noisy.map((z) => Math.max(0, z - margin));
    const sure = lower[0] + lower[1];
    const least = 1 / (Math.expm1(second) * sure); // where 1 = (1 − e^−ε₂)(s · sure + 1)
    const possible = least <= 0.5 && isSafe(lower, least, second);
    return { share, first, second, noisy, margin, lower, sure, least: possible ? least : Infinity };
  };
  /* Ada's loss if only the certain records are there: in her bin, or in the others. */
  const lossOf = (sure, s) => Math.max(Math.log((sure / (sure + 1)) * (1 + sure * s) / (sure * s)), Math.log(1 + 1 / sure));
  const divergence = (s) => {
    const output = mass(counts, randomiser(s));
    return d3.sum(counts, (c, k) => (c / n) * Math.log(c / output[k]));
  };
  const bestPlan = () => d3.greatest(d3.range(5, 96).map((share) => plan(total(), share / 100)), ({ least }) => -least);

  const keep = panel.best({
    better: (a, b) => a.s < b.s,
    say: ({ s, epsilon, share }) => `with the noise of the text, safe with _s_ = ${s}, at a total ε of ${epsilon} and a share of ${share} %`,
  });
  const shown = panel.reveal("Show the smallest s", () => {
    const [here, best] = [plan(total(), split() / 100), bestPlan()];
    if (best.least > 0.5) return `At a total ε of ${total()} no share leaves a lower bound that makes any _s_ safe.`;
    const now = here.least > 0.5 ? "With this share no _s_ is safe." : `With this share _s_ = ${explorableNumber(here.least)} is the smallest that is safe.`;
    return `${now} Of all shares ${Math.round(100 * best.share)} % allows the smallest, _s_ = ${explorableNumber(best.least)}: ` +
      "more for the counts makes the lower bound larger, and more for the draw asks less of it.";
  });

  let axis = null;
  panel.point((x, y) => { if (axis && (axis.beside ? x > axis.beside : y > 190)) move.near(axis.invert(x - axis.beside)); });

  panel.draw("Counts, noisy counts and their lower bound; Ada's loss against s", (width) => (width < 600 ? 410 : 280),
    (svg, width, height) => {
      const s = move();
      const now = plan(total(), split() / 100);
      const safe = isSafe(now.lower, s, now.second);
      keep(safe && total() <= 2 && quantiles === inText ? { s, epsilon: total(), share: split() } : null);
      const wide = width >= 600;
      const half = wide ? 0.42 * width : 0;

      const bins = d3.scaleBand(["bin 0", "bin 1", "bin 2 (Ada)"], [40, wide ? half - 10 : width - 8]).padding(0.3);
      const y = d3.scaleLinear([0, 80], [wide ? height - 44 : 150, 26]);
      svg.append("g").attr("transform", `translate(0,${y(0)})`).call(d3.axisBottom(bins).tickSizeOuter(0));
      svg.append("g").attr("transform", "translate(40,0)").call(d3.axisLeft(y).ticks(4).tickSizeOuter(0));
      svg.append("text").attr("x", 0).attr("y", 14).text("records");
      counts.forEach((c, k) => {
        const [left, across] = [bins(bins.domain()[k]), bins.bandwidth()];
        svg.append("rect").attr("class", "bar s-data").attr("x", left).attr("width", across)
          .attr("y", y(c)).attr("height", y(0) - y(c));
        svg.append("line").attr("class", "line s-known").attr("x1", left - 6).attr("x2", left + across + 6)
          .attr("y1", y(now.lower[k])).attr("y2", y(now.lower[k]));
        svg.append("circle").attr("class", "dot s-noisy").attr("r", 6).attr("cx", left + across / 2)
          .attr("cy", y(Math.max(-2, Math.min(80, now.noisy[k]))));
      });

      const second = svg.append("g").attr("transform", `translate(${half},0)`);
      const x = d3.scaleLog([5e-4, 0.5], [46, (wide ? width - half : width) - 12]);
      const z = d3.scaleLinear([0, 6], [height - 44, wide ? 26 : 222]);
      axis = { invert: x.invert, beside: half };
      const edge = Math.max(5e-4, Math.min(0.5, now.least));
      if (now.least > 5e-4) {
        second.append("rect").attr("class", "area s-floor").attr("x", x(5e-4)).attr("width", x(edge) - x(5e-4))
          .attr("y", z(6)).attr("height", z(0) - z(6));
      }
      explorableAxes(second, x, z, { bottom: "_s_", left: "loss (nats)", xTicks: 4, xFormat: "~g" });
      if (now.sure) {
        const curve = d3.range(0, 61).map((i) => 5e-4 * 1000 ** (i / 60));
        second.append("path").attr("class", "line s-fixed-noise")
          .attr("d", d3.line((at) => x(at), (at) => z(Math.min(6, lossOf(now.sure, at))))(curve));
        second.append("circle").attr("class", "dot s-fixed-noise").attr("r", 6)
          .attr("cx", x(s)).attr("cy", z(Math.min(6, lossOf(now.sure, s))));
      }
      second.append("line").attr("class", "level").attr("x1", x(5e-4)).attr("x2", x(0.5))
        .attr("y1", z(now.second)).attr("y2", z(now.second));
      second.append("text").attr("class", "on-line").attr("text-anchor", "end").attr("x", x(0.5)).attr("y", z(now.second) - 6)
        .text(`ε₂ = ${explorableNumber(now.second)}`);
      if (shown() && now.least <= 0.5) {
        second.append("circle").attr("class", "ring").attr("r", 9).attr("cx", x(edge)).attr("cy", z(lossOf(now.sure, edge)));
      }

      const loss = now.sure ? explorableNumber(lossOf(now.sure, s)) : "∞";
      return `Noise at ε₁ = ${explorableNumber(now.first)} gives the counts ${now.noisy.join(", ").replaceAll("-", "−")}. With probability 0.999 ` +
        `none is more than ${now.margin} too large, so at least ${now.lower[0]} and ${now.lower[1]} records are certain. With _s_ = ${s} ` +
        `they put a mass of ${explorableNumber(now.sure * s)} on bin 2, Ada’s loss is at most ${loss}, and the randomiser is ` +
        `${safe ? "safe" : "not safe"} at ε₂ = ${explorableNumber(now.second)}. The divergence is ${explorableNumber(divergence(s))}.`;
    });
});
