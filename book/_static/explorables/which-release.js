/* Six releases of the heights for each number of records and ε: how many times as far from the data, or a value
 * from its record, as the closest one that promises as much. The page brings the numbers: see the cell that
 * writes them. */
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
  const commas = d3.format(",");

  /* What is compared: the divergence, or the distance between a released value and its record. */
  const measures = [
    { table: "divergences", unit: "nats", from: "the data" },
    { table: "errors", unit: "cm", from: "its record" },
  ];
  /* Of release r in a setting, by a measure. */
  const value = (r, [e, k], by) => releases[r][measures[by].table][e][k];
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
  const sentence = (text) => text.replace(/^./, (letter) => letter.toUpperCase()).concat(".");

  panel.prompt("Which release is never more than twice as far from the data as the closest one with its guarantee?");
  panel.guess({
    question: "Your guess:", options: [short[1], short[5], "none"], right: 1,
    when: () => mine() === 5 && measure() === 0,
    because: () => `the DP histogram is at worst ${far(factor(5, worst(5, 0), 0))} as the closest ε\u2011DP release.`,
  });
  panel.controls.classed("inline", true);
  const mine = panel.choice({ label: "your release", options: short, start: 0 });
  const many = panel.slider({
    label: "records _n_", min: 0, max: records.length - 1, step: 1, start: records.indexOf(100),
    value: (i) => records[i], format: commas,
  });
  const level = panel.slider({
    label: "ε", min: 0, max: epsilons.length - 1, step: 1, start: epsilons.indexOf(1), value: (i) => epsilons[i],
  });
  const measure = panel.choice({ label: "compared by", options: ["divergence", "distance"], start: 0, inline: true });
  panel.reveal("Show the worst of each", () => sentence(d3.range(6).map((r) => {
    const place = worst(r, measure());
    return `${full[r]} ${times(factor(r, place, measure()))} times, with ${at(place)}`;
  }).join("; ")));

  let map = null;
  panel.point((x, y) => {
    if (!map || x < map.left || y < map.top) return;
    many.go(Math.min(records.length - 1, Math.floor((x - map.left) / map.wide)));
    level.go(Math.min(epsilons.length - 1, Math.floor((y - map.top) / map.high)));
  });

  const label = "How many times as far as the closest one your release is, for each number of records and each ε";
  panel.draw(label, (width) => (width < 600 ? 182 : 210), (svg, width, height) => {
    const [place, r, by] = [[level.at(), many.at()], mine(), measure()];
    const { unit, from } = measures[by];
    const [left, top] = [36, 42];
    const [wide, high] = [(width - left - 2) / records.length, (height - top - 22) / epsilons.length];
    map = { left, top, wide, high };
    svg.append("text").attr("x", 0).attr("y", 14)
      .text(`times as far from ${from} as the closest ${strong.includes(r) ? "ε\u2011DP release" : "release"}`);
    svg.append("text").attr("x", 0).attr("y", top - 8).attr("class", "letter").text("ε");
    records.forEach((number, k) => svg.append("text").attr("text-anchor", "middle").attr("y", top - 8)
      .attr("x", left + (k + 0.5) * wide).text(d3.format("~s")(number)));
    epsilons.forEach((number, e) => {
      svg.append("text").attr("x", 0).attr("y", top + (e + 0.5) * high + 5).text(number);
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
    explorableText(svg.append("text").attr("text-anchor", "middle").attr("x", (left + width) / 2).attr("y", height - 4),
      "records _n_");

    const told = (i) => `(${explorableNumber(value(i, place, by))}\u00a0${unit})`;
    const [winner, extreme] = [closest(r, place, by), worst(r, by)];
    const than = winner === r || factor(r, place, by) === 1 ? `the closest to ${from} ${told(r)}`
      : `${far(factor(r, place, by))} from ${from} ${told(r)} as the closest, ${full[winner]} ${told(winner)}`;
    return sentence(`${full[r]} is ${than}; at worst, with ${at(extreme)}, it is ${far(factor(r, extreme, by))}`);
  });
});
