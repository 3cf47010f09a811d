/* Six releases of the heights for each number of records and ε: how far they are from the data, and how
 * many times as far as the closest one that promises as much. The page brings the divergences: see the
 * cell that writes them. */
"use strict";

explorable("which-release", (panel) => {
  const { records, epsilons, releases } = explorableData("which-release");
  const series = ["game", "game", "common", "laplace", "keep", "histogram"];
  const short = ["game, paper’s scales", "game, finer scales", "common scale", "Laplace at b*", "randomised response", "DP histogram"];
  const full = ["the game with the paper’s scales", "the game with finer scales", "one common scale", "Laplace noise at b*",
    "k-ary randomised response", "the DP histogram"];
  const strong = [3, 4, 5]; // ε-DP; what they promise includes what the others promise
  const settings = epsilons.flatMap((_, e) => records.map((_, k) => [e, k]));
  const rivals = (r) => (strong.includes(r) ? strong : d3.range(6));
  const divergence = (r, [e, k]) => releases[r].divergences[e][k];
  const closest = (r, place) => d3.greatest(rivals(r), (other) => -divergence(other, place));
  const factor = (r, place) => divergence(r, place) / divergence(closest(r, place), place);
  const worst = (r) => d3.greatest(settings, (place) => factor(r, place));
  const times = (ratio) => (ratio < 10 ? ratio.toFixed(1) : d3.format(",")(+ratio.toPrecision(2)));
  const cell = (ratio) => (ratio < 10 ? ratio.toFixed(1) : d3.format("~s")(+ratio.toPrecision(ratio < 1000 ? 2 : 1)));
  const at = ([e, k]) => `${d3.format(",")(records[k])} records and ε\u00a0=\u00a0${epsilons[e]}`;

  panel.prompt("You have to choose a release before you know the number of records and ε. Is there one that is never " +
    "more than twice as far from the data as the closest release with its guarantee?");
  panel.guess({
    question: "Which one?", options: ["the game with finer scales", "the DP histogram", "none"], right: 1,
    when: () => mine() === 5,
    because: () => `the DP histogram is at worst ${times(factor(5, worst(5)))} times as far as the closest ε\u2011DP release.`,
  });
  const mine = panel.choice({ label: "your release", options: short, start: 0 });
  const many = panel.slider({
    label: "records _n_", min: 0, max: records.length - 1, step: 1, start: records.indexOf(100),
    value: (i) => records[i], format: d3.format(","),
  });
  const level = panel.slider({
    label: "ε", min: 0, max: epsilons.length - 1, step: 1, start: epsilons.indexOf(1), value: (i) => epsilons[i],
  });
  const keep = panel.best({
    better: (a, b) => factor(a, worst(a)) < factor(b, worst(b)),
    say: (r) => `${full[r]}, which is at worst ${times(factor(r, worst(r)))} times as far as the closest`,
  });
  panel.reveal("Show the worst setting of each", () => d3.range(6).map((r) => {
    const place = worst(r);
    return `${full[r]} ${times(factor(r, place))} times, with ${at(place)}`;
  }).join("; ").replace(/^./, (letter) => letter.toUpperCase()).concat("."));

  let map = null;
  panel.point((x, y) => {
    if (!map || x < map.left || y < map.top) return;
    many.go(Math.min(records.length - 1, Math.floor((x - map.left) / map.wide)));
    level.go(Math.min(epsilons.length - 1, Math.floor((y - map.top) / map.high)));
  });

  panel.draw("Divergence of six releases, and how many times as far as the closest one yours is in each setting",
    (width) => (width < 600 ? 450 : 240), (svg, width) => {
      const place = [level.at(), many.at()];
      const [r, n, epsilon] = [mine(), many(), level()];
      keep(r);
      const beside = width >= 600;
      const end = beside ? 0.48 * width : width - 8;
      const x = d3.scaleLog([1e-6, 4], [158, end]);
      svg.append("text").attr("x", 0).attr("y", 14).text("divergence from the data (nats)");
      const allowed = rivals(r);
      short.forEach((name, i) => {
        const [value, y] = [divergence(i, place), 26 + 30 * i];
        svg.append("text").attr("x", 0).attr("y", y + 15).attr("font-weight", i === r ? 700 : 400).text(name);
        svg.append("rect").attr("class", `bar s-${series[i]}`).attr("fill-opacity", allowed.includes(i) ? 1 : 0.25)
          .attr("x", x(1e-6)).attr("y", y).attr("width", x(value) - x(1e-6)).attr("height", 20);
        const inside = x(value) > end - 60;
        svg.append("text").attr("class", "on-line").attr("y", y + 15).attr("x", x(value) + (inside ? -5 : 5))
          .attr("text-anchor", inside ? "end" : "start").text(explorableNumber(value));
      });
      svg.append("g").attr("transform", "translate(0,208)")
        .call(d3.axisBottom(x).tickValues([1e-6, 1e-4, 1e-2, 1]).tickFormat(explorableNumber).tickSizeOuter(0));

      const left = (beside ? end + 58 : 34);
      const top = beside ? 46 : 286;
      const [wide, high] = [(width - left - 2) / records.length, beside ? 27 : 22];
      map = { left, top, wide, high };
      svg.append("text").attr("x", left - 34).attr("y", top - 32).text(`${short[r]}: times as far as the closest`);
      svg.append("text").attr("x", left - 34).attr("y", top - 8).attr("class", "letter").text("ε");
      records.forEach((number, k) => svg.append("text").attr("text-anchor", "middle").attr("y", top - 8)
        .attr("x", left + (k + 0.5) * wide).text(d3.format("~s")(number)));
      epsilons.forEach((number, e) => {
        svg.append("text").attr("x", left - 34).attr("y", top + (e + 0.5) * high + 5).text(number);
        records.forEach((_, k) => {
          const ratio = factor(r, [e, k]);
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

      const winner = closest(r, place);
      const than = winner === r ? "No release with its guarantee is closer."
        : `That is ${times(factor(r, place))} times as far as the closest with its guarantee, ${full[winner]} ` +
          `(${explorableNumber(divergence(winner, place))}).`;
      return `With ${d3.format(",")(n)} records at ε\u00a0=\u00a0${epsilon} the divergence of your release, ${full[r]}, is ` +
        `${explorableNumber(divergence(r, place))}. ${than} In the worst of the ${settings.length} settings, ` +
        `${at(worst(r))}, it is ${times(factor(r, worst(r)))} times as far.`;
    });
});
