/* The δ of Gaussian noise at every ε, and the promise that it should keep. */
"use strict";

explorable("delta-curve", (panel) => {
  const raised = (digits) => `10⁻${[...String(digits)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]).join("")}`;
  panel.prompt("What is the smallest σ that keeps the promise, at δ = 10⁻⁵ and then at a smaller δ?");
  panel.guess({
    question: "How much more noise does δ = 10⁻¹⁰ take than δ = 10⁻⁵, both at ε = 1?",
    options: ["about 1.6 times as much", "twice as much", "100,000 times as much"], right: 0,
    when: () => level() === 1 && digits() === 10 && (shown() || kept),
    because: () => `the smallest σ is ${explorableNumber(exact(10))} instead of ${explorableNumber(exact(5))}. The tails of the Gaussian ` +
      "fall so fast that little more noise makes δ far smaller.",
  });
  const sigma = panel.rounded({ label: "σ of the noise", low: 0.1, high: 40, start: 2 });
  const level = panel.rounded({ label: "promised ε", low: 0.1, high: 20, start: 1 });
  const digits = panel.slider({ label: "promised δ", min: 1, max: 10, step: 1, start: 5, format: raised });
  panel.legend([
    ["gaussian", "line", "smallest δ of Gaussian noise"], ["floor", "bar", "promise broken"],
    ["laplace", "line", "Laplace noise with this standard deviation: δ = 0 from here"],
  ]);

  /* Mills' ratio, Φ(−x)/φ(x): a continued fraction in the tail, a series elsewhere. */
  const normal = (x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const mills = (x) => {
    if (x < -3) return 1 / normal(x) - mills(-x);
    if (x > 3) return 1 / d3.range(120, 0, -1).reduce((below, k) => x + k / below, x);
    let [term, sum] = [x, x];
    for (let k = 3; k < 90; k += 2) { term *= (x * x) / k; sum += term; }
    return 0.5 / normal(x) - sum;
  };
  /* The left side of the exact condition, for sensitivity 1: e^ε φ(s + u) = φ(s). */
  const deltaOf = (noise, epsilon) => {
    const [u, s] = [1 / noise, epsilon * noise - 0.5 / noise];
    return s < -30 ? 1 : Math.max(0, normal(s) * (mills(s) - mills(s + u)));
  };
  const textbook = () => Math.sqrt(2 * Math.log(1.25 * 10 ** digits())) / level();
  const exact = (places = digits()) => {
    let [low, high] = [1e-3, 1e3];
    while (high / low > 1 + 1e-9) {
      const middle = Math.sqrt(low * high);
      if (deltaOf(middle, level()) > 10 ** -places) low = middle;
      else high = middle;
    }
    return high;
  };
  const now = { spent: (noise) => deltaOf(noise, level()) };
  const keep = panel.best({
    better: (a, b) => a.sigma < b.sigma,
    say: (found) => `σ = ${found.sigma} keeps ε = 1 and δ = 10⁻⁵`,
  });
  const shown = panel.reveal("Show the smallest σ", () => `The smallest σ for this promise is ${explorableNumber(exact())}. ` +
    `The textbook says ${explorableNumber(textbook())}, whose δ is ${explorableNumber(now.spent(textbook()))}. ` +
    `It is proved for ε below 1 only.`);

  let kept = false; // whether this σ keeps the promise, and little less would
  let axis = null;
  panel.point((x) => { if (axis) level.near(axis.invert(x)); });

  panel.draw("Smallest delta against epsilon, both axes logarithmic", 300, (svg, width, height) => {
    const [noise, epsilon, target] = [sigma(), level(), 10 ** -digits()];
    const spent = deltaOf(noise, epsilon);
    if (epsilon === 1 && digits() === 5) keep(spent <= target ? { sigma: noise } : null);
    const x = axis = d3.scaleLog([0.1, 20], [56, width - 14]);
    const y = d3.scaleLog([1e-12, 1], [height - 44, 26]);
    const inside = (delta) => y(Math.min(1, Math.max(1e-12, delta)));
    svg.append("rect").attr("class", "area s-floor").attr("x", x(epsilon) - 5).attr("width", 10)
      .attr("y", y(1)).attr("height", y(target) - y(1));
    explorableAxes(svg, x, y, { bottom: "ε", left: "δ", xTicks: 6, xFormat: "~g", yTicks: 4, yFormat: (delta) => (delta === 1 ? "1" : raised(Math.round(-Math.log10(delta)))) });
    const zero = Math.SQRT2 / noise;
    if (zero > 0.1 && zero < 20) {
      svg.append("line").attr("class", "line s-laplace").attr("x1", x(zero)).attr("x2", x(zero))
        .attr("y1", y(1e-12)).attr("y2", y(1));
    }
    const points = d3.range(0, 121).map((i) => 0.1 * 200 ** (i / 120)).map((e) => [e, deltaOf(noise, e)])
      .filter(([, delta]) => delta > 1e-12);
    svg.append("path").attr("class", "line s-gaussian").attr("d", d3.line(([e]) => x(e), ([, delta]) => y(delta))(points));
    svg.append("line").attr("class", "level").attr("x1", x(epsilon) - 14).attr("x2", x(epsilon) + 14)
      .attr("y1", y(target)).attr("y2", y(target));
    svg.append("circle").attr("class", "dot s-gaussian").attr("r", 6).attr("cx", x(epsilon)).attr("cy", inside(spent));
    if (shown()) {
      const path = points.map(([e]) => [e, deltaOf(exact(), e)]).filter(([, delta]) => delta > 1e-12);
      svg.append("path").attr("class", "guide").attr("fill", "none").attr("d", d3.line(([e]) => x(e), ([, delta]) => y(delta))(path));
    }
    kept = spent <= target && noise < 1.25 * exact();
    return `With σ = ${noise} the smallest δ at ε = ${epsilon} is ${explorableNumber(spent)}. This ${spent <= target ? "keeps" : "breaks"} the promise of ` +
      `δ = ${raised(digits())}. Laplace noise with the same standard deviation needs no δ from ε = ${explorableNumber(zero)} on.`;
  });
});
