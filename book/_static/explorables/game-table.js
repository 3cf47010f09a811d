/* The game on a table: twelve records in six bins, and the reader chooses the noise of each bin. */
"use strict";

explorable("game-table", (panel) => {
  const counts = [1, 3, 4, 2, 1, 1];
  const K = counts.length;
  const n = d3.sum(counts);
  const epsilon = 0.5;
  const names = ["small", "medium", "large"];
  const kernel = [0.03, 0.15, 1].map((b) => d3.range(K).map((k) => explorableKernelRow(K, k, b)));
  const data = counts.map((records) => records / n);

  /* Everything that the definition of the game asks for: output, losses, private records, KL. */
  const outcome = (actions) => {
    const row = (k) => kernel[actions[k]][k];
    const mass = d3.range(K).map((x) => d3.sum(counts, (records, k) => records * row(k)[x]));
    const losses = counts.map((_, k) => d3.max(row(k), (p, x) => Math.abs(
      Math.log(mass[x] / n) - Math.log((mass[x] - p) / (n - 1)))));
    const kl = d3.sum(data, (q, x) => q * Math.log((q * n) / mass[x]));
    const hidden = d3.sum(counts, (records, k) => (losses[k] <= epsilon ? records : 0));
    return { actions, mass, losses, kl, hidden, payoff: hidden + 1 - kl / Math.log(K) };
  };
  const better = (a, b) => a.hidden > b.hidden || (a.hidden === b.hidden && a.kl < b.kl - 1e-12);
  const best = d3.range(names.length ** K)
    .map((code) => outcome(d3.range(K).map((k) => Math.floor(code / names.length ** k) % names.length)))
    .reduce((a, b) => (better(b, a) ? b : a));

  panel.prompt("How low can you get KL while all twelve stay private? A click on a bin of the drawing changes its noise.");
  panel.guess({
    question: "Which records need the large noise for it?",
    options: ["those of the fullest bin", "those alone in a bin", "all twelve"], right: 1,
    when: () => shown() || !better(best, now),
    because: () => `only bins ${d3.range(K).filter((k) => best.actions[k] === 2).join(", ")} have the large noise, and one record is in each. ` +
      "For the others the medium noise is enough.",
  });
  let now = null;
  const table = panel.controls.append("div").attr("class", "explorable-table");
  const rows = counts.map((records, k) => {
    const row = table.append("div").attr("class", "explorable-row");
    const choice = panel.choice({
      label: `bin ${k}, ${records} record${records > 1 ? "s" : ""}`, options: names, start: 2, parent: row,
    });
    panel.button("best answer", () => { answer(k); }, row)
      .attr("aria-label", `best answer of bin ${k}`);
    return choice;
  });
  const answer = (k) => {
    const played = rows.map((choice) => choice());
    const options = names.map((_, v) => outcome(played.map((a, j) => (j === k ? v : a))));
    const choices = [outcome(played), ...options]; // who gains nothing stays
    rows[k].go(choices.reduce((a, b) => (better(b, a) ? b : a)).actions[k]);
    panel.moved();
  };
  const keep = panel.best({ better,
    say: (one) => `${one.hidden} of ${n} private, KL = ${one.kl.toFixed(4)}` });
  const shown = panel.reveal("Show the best possible", () => `Of all ${names.length ** K} settings the best has ` +
    `${best.hidden} of ${n} private and KL = ${best.kl.toFixed(4)}: ` +
    `${best.actions.map((v, k) => `bin ${k} ${names[v]}`).join(", ")}.`);
  let bands = null;
  panel.point((at) => {
    const { beside, range: [from, to] } = bands;
    const k = Math.floor((at - (at < beside ? 0 : beside) - from) / ((to - from) / K));
    if (rows[k]) rows[k].go((rows[k]() + 2) % names.length); // large, medium, small, and again
  }, { drag: false });
  panel.legend([["data", "bar"], ["game", "bar", "released"], ["fixed-noise", "dot", "private"],
    ["exposed", "dot", "exposed, loss above ε = 0.5"]]);

  panel.draw("The loss of a record of each bin; the data and what is released", (width) => (width < 600 ? 330 : 240), (svg, width, height) => {
    now = outcome(rows.map((choice) => choice()));
    keep(now.hidden === n ? now : null);
    const wide = width >= 600;
    const half = wide ? width / 2 : width; // how wide each of the two drawings is
    const range = [44, half - 8];
    bands = { beside: wide ? half : Infinity, range };
    const x = d3.scaleBand(d3.range(K), range).padding(0.25);
    const middle = (k) => x(k) + x.bandwidth() / 2;

    const top = Math.max(2.5, d3.max(now.losses));
    const d = d3.scaleLinear([0, top], [wide ? height - 44 : 118, 30]);
    explorableAxes(svg, x, d, { bottom: wide ? "bin" : "", left: "loss of a record (nats)", yTicks: 4 });
    svg.append("line").attr("class", "level").attr("x1", range[0]).attr("x2", range[1])
      .attr("y1", d(epsilon)).attr("y2", d(epsilon));
    svg.append("text").attr("text-anchor", "end").attr("x", range[1]).attr("y", d(epsilon) - 5).text("ε");
    const exposed = now.losses.map((loss) => loss > epsilon);
    const dots = svg.append("g").selectAll("g").data(now.losses).join("g")
      .attr("transform", (loss, k) => `translate(${middle(k)},${d(loss)})`);
    dots.append("circle").attr("class", (_, k) => `dot s-${exposed[k] ? "exposed" : "fixed-noise"}`)
      .attr("r", (_, k) => (exposed[k] ? 8 : 5));
    dots.filter((_, k) => exposed[k]).append("text").attr("class", "on-mark s-exposed")
      .attr("text-anchor", "middle").attr("y", 5).text("!");

    const second = svg.append("g").attr("transform", `translate(${wide ? half : 0},0)`);
    const y = d3.scaleLinear([0, 0.4], [height - 44, wide ? 30 : 172]);
    explorableAxes(second, x, y, { bottom: "bin", left: "probability", yTicks: 4 });
    for (const [values, name, shift] of [[data, "data", 0], [now.mass.map((m) => m / n), "game", 0.5]]) {
      second.append("g").selectAll("rect").data(values).join("rect").attr("class", `bar s-${name}`)
        .attr("x", (_, k) => x(k) + shift * x.bandwidth()).attr("width", x.bandwidth() / 2)
        .attr("y", (p) => y(p)).attr("height", (p) => y(0) - y(p));
    }

    if (shown()) {
      second.append("g").selectAll("line").data(best.mass).join("line").attr("class", "level")
        .attr("x1", (_, k) => x(k) + 0.5 * x.bandwidth()).attr("x2", (_, k) => x(k) + x.bandwidth())
        .attr("y1", (m) => y(m / n)).attr("y2", (m) => y(m / n));
    }
    const bins = d3.range(K).filter((k) => exposed[k]);
    const word = bins.length ? ` Exposed: the record${bins.length > 1 || counts[bins[0]] > 1 ? "s" : ""} ` +
      `of bin${bins.length > 1 ? "s" : ""} ${bins.join(", ")}.` : "";
    const end = better(best, now) ? "" : " No other choice of six noises does better.";
    return `${now.hidden} of ${n} private, KL = ${now.kl.toFixed(4)}, ` +
      `payoff ${now.payoff.toFixed(4)}.${word}${end}`;
  });
});
