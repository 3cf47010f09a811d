/* Six releases of the heights for each number of bins, number of records and ε: how far they are from the data, or a
 * value from its record, and how many times as far as the closest one that promises as much. The page brings
 * the numbers: see the cell that writes them. */
"use strict";

explorable("which-release", (panel) => {
  const { bins, records, epsilons, releases } = explorableData("which-release");
  const series = ["game", "game", "common", "laplace", "keep", "histogram"];
  const short = ["game, paper’s scales", "game, finer scales", "common scale", "Laplace at b*", "randomised response", "DP histogram"];
  const full = ["the game with the paper’s scales", "the game with finer scales", "one common scale", "Laplace noise at b*",
    "k-ary randomised response", "the DP histogram"];
  const strong = [3, 4, 5]; // ε-DP; what they promise includes what the others promise
  const promised = (r) => `${full[r]} (${strong.includes(r) ? "ε\u2011DP" : "fixed-noise guarantee"})`;
  const settings = epsilons.flatMap((_, e) => records.map((_, k) => [e, k]));
  const rivals = (r) => (strong.includes(r) ? strong : d3.range(6));
  const usual = bins.length - 1; // the grid of the chapter
  const commas = d3.format(",");

  /* What is compared: the divergence, or the distance between a released value and its record. */
  const measures = [
    { table: "divergences", title: "divergence from the data (nats)", unit: " nats", ticks: [1e-6, 1e-3, 1],
      scale: (range) => d3.scaleLog([1e-6, 4], range).clamp(true), what: "your release", from: "the data" },
    { table: "errors", title: "distance of a value from its record (cm)", unit: " cm", ticks: [0, 40, 80],
      scale: (range) => d3.scaleLinear([0, d3.max(releases, ({ errors }) => d3.max(errors.flat(2)))], range),
      what: "a value of your release", from: "its record" },
  ];
  /* Of release r in a setting, with a number of bins and by a measure. */
  const value = (r, [e, k], by) => releases[r][measures[by.measure].table][by.bins][e][k];
  const closest = (r, place, by) => d3.greatest(rivals(r), (other) => -value(other, place, by));
  const factor = (r, place, by) => {
    const [mine, least] = [value(r, place, by), value(closest(r, place, by), place, by)];
    return mine === least ? 1 : mine / least; // ∞ if the closest is exact
  };
  const worst = (r, by) => d3.greatest(settings, (place) => factor(r, place, by));
  const times = (ratio) => (ratio === Infinity ? "infinitely many"
    : ratio < 10 ? ratio.toFixed(1) : commas(+ratio.toPrecision(2)));
  const cell = (ratio) => (ratio === Infinity ? "∞"
    : ratio < 10 ? ratio.toFixed(1) : d3.format("~s")(+ratio.toPrecision(ratio < 1000 ? 2 : 1)));
  const at = ([e, k]) => `${commas(records[k])} records and ε\u00a0=\u00a0${epsilons[e]}`;
  const far = (ratio) => `${times(ratio)} times as far`;

  panel.prompt("Which release is never more than twice as far from the data as the closest one with its guarantee?");
  panel.guess({
    question: "Your guess, with 101 bins:", options: [short[1], short[5], "none"], right: 1,
    when: () => mine() === 5 && grid() === usual && measure() === 0,
    because: () => `the DP histogram is at worst ${far(factor(5, worst(5, now()), now()))} as the closest ε\u2011DP release.`,
  });
  const mine = panel.choice({ label: "your release", options: short, start: 0 });
  const many = panel.slider({
    label: "records _n_", min: 0, max: records.length - 1, step: 1, start: records.indexOf(100),
    value: (i) => records[i], format: commas,
  });
  const level = panel.slider({
    label: "ε", min: 0, max: epsilons.length - 1, step: 1, start: epsilons.indexOf(1), value: (i) => epsilons[i],
  });
  const grid = panel.choice({ label: "bins _K_", options: bins.map(String), start: usual, inline: true });
  const measure = panel.choice({
    label: "compared by", options: ["divergence", "distance to its record"], start: 0, inline: true,
  });
  const now = () => ({ bins: grid(), measure: measure() });
  panel.reveal("Show the worst setting of each", () => d3.range(6).map((r) => {
    const place = worst(r, now());
    return `${full[r]} ${times(factor(r, place, now()))} times, with ${at(place)}`;
  }).join("; ").replace(/^./, (letter) => letter.toUpperCase()).concat("."));

  let map = null;
  panel.point((x, y) => {
    if (!map || x < map.left || y < map.top) return;
    many.go(Math.min(records.length - 1, Math.floor((x - map.left) / map.wide)));
    level.go(Math.min(epsilons.length - 1, Math.floor((y - map.top) / map.high)));
  });

  panel.draw("How far six releases are from the data, and how many times as far as the closest one yours is in each setting",
    (width) => (width < 600 ? 410 : 240), (svg, width) => {
      const place = [level.at(), many.at()];
      const [r, n, epsilon, by] = [mine(), many(), level(), now()];
      const { title, ticks, scale, unit, what, from } = measures[by.measure];
      const beside = width >= 600;
      const end = beside ? 0.48 * width : width - 8;
      const [x, line] = [scale([164, end - 8]), beside ? 30 : 26];
      svg.append("text").attr("x", 0).attr("y", 14).text(title);
      const allowed = rivals(r);
      short.forEach((name, i) => {
        const [distance, y] = [value(i, place, by), 36 + line * i];
        svg.append("text").attr("x", 0).attr("y", y + 5).attr("font-weight", i === r ? 700 : 400).text(name);
        svg.append("line").attr("class", "guide").attr("x1", x.range()[0]).attr("x2", x.range()[1]).attr("y1", y).attr("y2", y);
        svg.append("circle").attr("class", `dot s-${series[i]}`).attr("fill-opacity", allowed.includes(i) ? 1 : 0.3)
          .attr("cx", x(distance)).attr("cy", y).attr("r", 7);
        const before = x(distance) > end - 66;
        svg.append("text").attr("class", "on-line").attr("y", y + 5).attr("x", x(distance) + (before ? -12 : 12))
          .attr("text-anchor", before ? "end" : "start").text(explorableNumber(distance));
      });
      svg.append("g").attr("transform", `translate(0,${26 + 6 * line})`)
        .call(d3.axisBottom(x).tickValues(ticks).tickFormat(explorableNumber).tickSizeOuter(0));

      const left = (beside ? end + 58 : 34);
      const top = beside ? 46 : 258;
      const [wide, high] = [(width - left - 2) / records.length, beside ? 27 : 22];
      map = { left, top, wide, high };
      svg.append("text").attr("x", left - 34).attr("y", top - 32).text(`${short[r]}: times as far as the closest`);
      svg.append("text").attr("x", left - 34).attr("y", top - 8).attr("class", "letter").text("ε");
      records.forEach((number, k) => svg.append("text").attr("text-anchor", "middle").attr("y", top - 8)
        .attr("x", left + (k + 0.5) * wide).text(d3.format("~s")(number)));
      epsilons.forEach((number, e) => {
        svg.append("text").attr("x", left - 34).attr("y", top + (e + 0.5) * high + 5).text(number);
        records.forEach((_, k) => {
          const ratio = factor(r, [e, k], by);
          const [cx, cy] = [left + k * wide, top + e * high];
          svg.append("rect").attr("class", `bar s-${series[r]}`).attr("x", cx + 1).attr("y", cy + 1)
            .attr("width", wide - 2).attr("height", high - 2)
            .attr("fill-opacity", Math.min(0.75, 0.06 + 0.2 * Math.log10(ratio)));
          svg.append("text").attr("class", "on-line").attr("text-anchor", "middle").attr("x", cx + wide / 2)
            .attr("y", cy + high / 2 + 5).text(cell(ratio));
        });
      });
      svg.append("rect").attr("class", "ring").attr("x", left + place[1] * wide).attr("y", top + place[0] * high)
        .attr("width", wide).attr("height", high);
      svg.append("text").attr("text-anchor", "middle").attr("x", (left + width) / 2).attr("y", top + 6 * high + 18)
        .text("records n (columns) and ε (rows)");

      const winner = closest(r, place, by);
      const told = (i) => `(${explorableNumber(value(i, place, by))}${unit})`;
      const than = winner === r || factor(r, place, by) === 1
        ? `the closest to ${from} of those with its guarantee ${told(r)}`
        : `${far(factor(r, place, by))} from ${from} ${told(r)} as the closest with its guarantee, ${full[winner]} ${told(winner)}`;
      return `With ${commas(n)} records, ${bins[by.bins]} bins and ε\u00a0=\u00a0${epsilon} ${what}, ${promised(r)}, ` +
        `is ${than}; in the worst of the ${settings.length} settings, ${at(worst(r, by))}, it is ${far(factor(r, worst(r, by), by))}.`;
    });
});
