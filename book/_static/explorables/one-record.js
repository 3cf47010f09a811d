/* The output distribution with and without one record, and the record's pDP loss. */
"use strict";

explorable("one-record", (panel) => {
  const others = [0, 0, 1, 3, 6, 9, 9, 6, 4, 2, 0, 0, 0, 0, 0, 0]; // 40 records in 16 bins
  const bins = others.length;
  const n = d3.sum(others) + 1;
  const noise = {
    low: 0.01, high: 3, start: 0, zero: true, format: (b) => (b ? explorableNumber(b) : "none"),
  };
  panel.prompt("Drag the noise of the record to the right: does it help? Now drag that of the others, " +
    "until the loss is below 1.");
  const place = panel.slider({ label: "bin of the record", min: 0, max: bins - 1, step: 1, start: 13 });
  const own = panel.rounded({ label: "its noise scale", ...noise });
  const theirs = panel.rounded({ label: "noise scale of the 40 others", ...noise });
  panel.legend([["with", "bar"], ["without", "bar"]]);

  panel.draw("Bars of the output distribution, with and without the record", 300, (svg, width, height) => {
    const record = explorableKernelRow(bins, place(), own());
    const rest = new Array(bins).fill(0);
    others.forEach((count, k) => explorableKernelRow(bins, k, theirs()).forEach((m, x) => { rest[x] += count * m; }));
    const withRecord = rest.map((m, x) => (m + record[x]) / n);
    const without = rest.map((m) => m / (n - 1));
    const losses = withRecord.map((p, bin) => (p === without[bin] ? 0 : Math.abs(Math.log(p / without[bin]))));
    const worst = d3.maxIndex(losses);

    const x = d3.scaleBand(d3.range(bins), [44, width - 8]).padding(0.2);
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
    const loss = losses[worst];
    return `Loss ε = ${Number.isFinite(loss) ? loss.toFixed(2) : "∞"}: bin ${worst} (▼) tells the most, ` +
      `with probability ${p} with the record and ${q} without it.`;
  });
});
