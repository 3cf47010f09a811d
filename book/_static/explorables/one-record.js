/* The output distribution with and without one record, and the record's pDP loss. */
"use strict";

explorable("one-record", (panel) => {
  const others = [0, 0, 1, 3, 6, 9, 9, 6, 4, 2, 0, 0, 0, 0, 0, 0]; // 40 records in 16 bins
  const bins = others.length;
  const n = d3.sum(others) + 1;
  const noise = {
    low: 0.01, high: 3, start: 0, zero: true, format: (b) => (b ? explorableNumber(b) : "none"),
  };
  panel.prompt("Drag the noise of the record to the right: does it help? Now drag that of the others. How little of it " +
    "brings the loss below 1?");
  panel.guess({
    question: "How much noise of the others is enough in bin 13, if the record itself has none?",
    options: ["0.02", "0.2", "2"], right: 1,
    when: () => place() === 13 && own() === 0 && (open() || theirs() === least()),
    because: () => `from ${least()} on the loss is below 1. This is the scale in units of the interval, so it is about ` +
      `${(least() * bins).toFixed(0)} bins.`,
  });
  const place = panel.slider({ label: "bin of the record", min: 0, max: bins - 1, step: 1, start: 13 });
  const own = panel.rounded({ label: "its noise scale", ...noise });
  const theirs = panel.rounded({ label: "noise scale of the 40 others", ...noise });
  const loss = (row, rest) => {
    const mass = rest.map((m, x) => m + row[x]);
    return mass.map((m, x) => {
      const [p, q] = [m / n, rest[x] / (n - 1)];
      return p === q ? 0 : Math.abs(Math.log(p / q));
    });
  };
  const mixture = (b) => {
    const rest = new Array(bins).fill(0);
    others.forEach((count, k) => explorableKernelRow(bins, k, b).forEach((m, x) => { rest[x] += count * m; }));
    return rest;
  };
  const keep = panel.best({
    better: (a, b) => a < b, say: (b) => `loss below 1 with noise ${explorableNumber(b)} of the others`,
  });
  const least = () => {
    const row = explorableKernelRow(bins, place(), own());
    return [0, ...explorableRound(noise.low, noise.high)].find((b) => d3.max(loss(row, mixture(b))) < 1);
  };
  const open = panel.reveal("Show the least noise", () => (least() === undefined ? "Here no noise of the others is enough."
    : `Here the least noise of the others that brings the loss below 1 is ${noise.format(least())}.`));

  /* Draws from the distribution with the record: each bin that falls moves the attacker's posterior. */
  let [drawn, drawnFrom] = [[], null];
  let uniform = d3.randomLcg(0.31);
  const forget = () => { drawn = []; uniform = d3.randomLcg(0.31); };
  panel.repeat({
    label: "draw values", pause: 250, again: forget, done: () => drawn.length >= 60,
    step: () => {
      const [u, row, rest] = [uniform(), explorableKernelRow(bins, place(), own()), mixture(theirs())];
      let [bin, total] = [0, (rest[0] + row[0]) / n];
      while (total < u && bin < bins - 1) { bin += 1; total += (rest[bin] + row[bin]) / n; }
      drawn.push(bin);
    },
  });
  panel.restart.push(forget);
  let x = null;
  panel.point((at) => {
    const far = d3.range(bins).map((k) => Math.abs(x(k) + x.bandwidth() / 2 - at));
    place.go(far.indexOf(d3.min(far)));
  });
  panel.legend([["with", "bar"], ["without", "bar"]]);

  panel.draw("Bars of the output distribution, with and without the record", 300, (svg, width, height) => {
    const record = explorableKernelRow(bins, place(), own());
    const rest = mixture(theirs());
    const withRecord = rest.map((m, x) => (m + record[x]) / n);
    const without = rest.map((m) => m / (n - 1));
    const setting = [place(), own(), theirs()].join();
    if (setting !== drawnFrom) { forget(); drawnFrom = setting; } // draws of another setting say nothing here
    const losses = loss(record, rest);
    const worst = d3.maxIndex(losses);

    x = d3.scaleBand(d3.range(bins), [44, width - 8]).padding(0.2);
    const y = d3.scaleLinear([0, 0.26], [height - 44, 26]);
    explorableAxes(svg, x, y, { bottom: "released bin", left: "probability", yFormat: ".2f" });
    for (const [heights, style, shift] of [[withRecord, "with", 0], [without, "without", 0.5]]) {
      svg.append("g").selectAll("rect").data(heights).join("rect").attr("class", `bar s-${style}`)
        .attr("x", (_, bin) => x(bin) + shift * x.bandwidth()).attr("width", x.bandwidth() / 2)
        .attr("y", (p) => y(p)).attr("height", (p) => y(0) - y(p));
    }
    svg.append("text").attr("text-anchor", "middle").attr("aria-hidden", "true")
      .attr("x", x(worst) + x.bandwidth() / 2)
      .attr("y", y(Math.max(withRecord[worst], without[worst])) - 8).text("▼");

    const [p, q] = [withRecord[worst], without[worst]].map(explorableNumber);
    const most = losses[worst];
    keep(most < 1 ? theirs() : null);
    let posterior = "";
    if (drawn.length) {
      /* From a prior of 1/2; each draw is a dot on the axis of its bin. */
      const odds = d3.sum(drawn, (bin) => Math.log(withRecord[bin] / without[bin]));
      const belief = 1 / (1 + Math.exp(-odds));
      const said = belief > 0.995 ? "more than 0.99" : belief.toFixed(2);
      const piles = new Array(bins).fill(0);
      svg.append("g").selectAll("circle").data(drawn).join("circle").attr("class", "drawn")
        .attr("r", 3).attr("cx", (bin) => x(bin) + x.bandwidth() / 2)
        .attr("cy", (bin) => y(0) - 5 - 7 * (piles[bin]++))
        .classed("falls", (_, i) => i === drawn.length - 1);
      const bar = d3.scaleLinear([0, 1], [width - 148, width - 8]);
      svg.append("rect").attr("class", "track").attr("x", bar(0)).attr("y", 22).attr("width", 140).attr("height", 10);
      svg.append("rect").attr("class", "bar s-with").attr("x", bar(0)).attr("y", 22)
        .attr("width", bar(belief) - bar(0)).attr("height", 10);
      svg.append("text").attr("x", bar(0)).attr("y", 14).text(`posterior ${said}`);
      posterior = ` After ${drawn.length} draw${drawn.length > 1 ? "s" : ""} an attacker with prior 0.5 believes ` +
        `with probability ${said} that the record is there.`;
    }
    return `Loss ε = ${Number.isFinite(most) ? most.toFixed(2) : "∞"}: bin ${worst} (▼) tells the most, ` +
      `with probability ${p} with the record and ${q} without it.${posterior}`;
  });
});
