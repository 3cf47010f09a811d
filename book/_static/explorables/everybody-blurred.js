/* Real heights, one scale of noise for everybody, and the loss of whoever stands alone. */
"use strict";

explorable("everybody-blurred", (panel) => {
  const [lower, upper, K] = [49.64474796526942, 338.9752520347306, 101]; // cm
  const occupied = [
    [38, 1], [40, 3], [43, 5], [44, 10], [45, 12], [46, 19], [47, 49], [48, 65], [49, 96], [50, 181],
    [51, 112], [52, 140], [53, 137], [54, 152], [55, 133], [56, 98], [57, 68], [58, 30], [59, 3],
    [60, 1], [61, 1], [62, 1],
  ]; // bin and records, of pdpbook.load_heights()
  const n = d3.sum(occupied, ([, records]) => records);
  const width = upper - lower;
  const centre = (k) => lower + ((k + 0.5) * width) / K;
  const data = new Array(K).fill(0);
  for (const [k, records] of occupied) data[k] = records / n;

  panel.prompt("The tallest stands alone. Drag the noise to the right until his loss is 1 or less. " +
    "What is left of the picture?");
  const scale = panel.rounded({
    label: "noise for everybody", low: 0.5, high: 80, start: 0, zero: true,
    format: (b) => (b ? `${explorableNumber(b)} cm` : "none"),
  });
  const who = panel.slider({
    label: "whose loss", min: 0, max: occupied.length - 1, step: 1, start: occupied.length - 1,
    format: (i) => `${centre(occupied[i][0]).toFixed(0)} cm`,
  });
  panel.legend([["data", "bar"], ["common", "line", "released"]]);

  panel.draw("The distribution of the heights, and that of what is released", 300, (svg, wide, height) => {
    const b = scale() / width;
    const rows = occupied.map(([k]) => explorableKernelRow(K, k, b));
    const mass = d3.range(K).map((x) => d3.sum(rows, (row, i) => occupied[i][1] * row[x]));
    /* ln of (with / without), of which the sum is at most n: no digit is lost near zero. */
    const losses = rows.map((row) => d3.max(row, (p, x) => (mass[x]
      ? Math.abs(Math.log1p(-1 / n) - Math.log1p(-Math.min(1, p / mass[x]))) : 0)));
    const kl = d3.sum(data, (q, x) => (q ? q * Math.log((q * n) / mass[x]) : 0));
    const hidden = d3.sum(occupied, ([, records], i) => (losses[i] <= 1 ? records : 0));

    const x = d3.scaleLinear([145, 245], [44, wide - 8]);
    const y = d3.scaleLinear([0, 0.15], [height - 44, 26]);
    explorableAxes(svg, x, y, { bottom: "released height (cm)", left: "probability", yTicks: 3 });
    const step = width / K;
    const seen = d3.range(K).filter((k) => centre(k) > 145 + step && centre(k) < 245 - step);
    svg.append("g").selectAll("rect").data(seen).join("rect").attr("class", "bar s-data")
      .attr("x", (k) => x(centre(k) - step / 2)).attr("width", x(step) - x(0))
      .attr("y", (k) => y(data[k])).attr("height", (k) => y(0) - y(data[k]));
    svg.append("path").attr("class", "line s-common")
      .attr("d", d3.line((k) => x(centre(k)), (k) => y(mass[k] / n)).curve(d3.curveStep)(seen));
    const [k, records] = occupied[who()];
    svg.append("text").attr("text-anchor", "middle").attr("aria-hidden", "true")
      .attr("x", x(centre(k))).attr("y", y(Math.max(data[k], mass[k] / n)) - 8).text("▼");

    const loss = losses[who()];
    const crowd = records > 1 ? `one of the ${records} of about` : "the only one of about";
    return `Noise: ${scale() ? `${explorableNumber(scale())} cm` : "none"}. Loss of ${crowd} ` +
      `${centre(k).toFixed(0)} cm (▼): ${Number.isFinite(loss) ? loss.toFixed(2) : "∞"}. ` +
      `${d3.format(",")(hidden)} of ${d3.format(",")(n)} have a loss of 1 or less. ` +
      `Divergence of the release from the data: ${Math.abs(kl).toFixed(3)}.`;
  });
});
