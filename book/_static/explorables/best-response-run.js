/* One run of best-response dynamics on seven heights: who moves, where to, and what it gains. */
"use strict";

explorable("best-response-run", (panel) => {
  const heights = [182, 184, 185, 188, 191, 196, 214]; // cm
  const bins = [1, 1, 1, 1, 2, 2, 4]; // of five bins of 10 cm from 170 cm on
  const names = ["small", "medium", "large"];
  const epsilon = 1;
  const n = bins.length;
  const K = 5;
  const kernel = [0.05, 0.2, 1].map((b) => d3.range(K).map((k) => explorableKernelRow(K, k, b)));
  const data = d3.range(K).map((k) => bins.filter((bin) => bin === k).length / n);

  /* Output, losses, and the two numbers that the game compares: private records and KL. */
  const outcome = (actions) => {
    const rows = actions.map((v, i) => kernel[v][bins[i]]);
    const mass = d3.range(K).map((x) => d3.sum(rows, (row) => row[x]));
    const losses = rows.map((row) => d3.max(row, (p, x) => Math.abs(
      Math.log(mass[x] / n) - Math.log((mass[x] - p) / (n - 1)))));
    const kl = d3.sum(data, (q, x) => (q ? q * Math.log((q * n) / mass[x]) : 0));
    return { actions, mass, losses, kl, hidden: losses.filter((loss) => loss <= epsilon).length };
  };
  const better = (a, b) => a.hidden > b.hidden || (a.hidden === b.hidden && a.kl < b.kl - 1e-12);

  /* Turns go round from `first` until all have had one in vain. */
  const run = (start, first) => {
    const path = [outcome(start)];
    for (let turn = first, content = 0; content < n; turn += 1) {
      const [now, i] = [path[path.length - 1], turn % n];
      const options = names.map((_, v) => outcome(now.actions.map((a, j) => (j === i ? v : a))));
      const best = options.reduce((a, b) => (better(b, a) ? b : a));
      content = better(best, now) ? 0 : content + 1;
      if (content === 0) path.push({ ...best, mover: i, left: now.actions[i] });
    }
    return path;
  };

  const starts = [
    ["all small", [0, 0, 0, 0, 0, 0, 0]],
    ["all medium", [1, 1, 1, 1, 1, 1, 1]],
    ["all large", [2, 2, 2, 2, 2, 2, 2]],
    ["medium, tall one: small", [1, 1, 1, 1, 1, 1, 0]],
    ["small, tall one: large", [0, 0, 0, 0, 0, 0, 2]],
  ];
  panel.prompt("Start from “all large” and let others begin. Where do the runs end? Then try “small, tall one: large”: " +
    "who must not begin there if all seven are to end private?");
  panel.guess({
    question: "From “all large”, what depends on who begins?",
    options: ["nothing", "only the divergence at the end", "also who is private at the end"], right: 1,
    when: () => answer() && start() === 2,
    because: () => {
      const [low, high] = [d3.min, d3.max].map((end) => end(ends(), ({ kl }) => kl).toFixed(4));
      return `all seven end private whoever begins, but with a divergence between ${low} and ${high}.`;
    },
  });
  const start = panel.choice({ label: "start", options: starts.map(([name]) => name), start: 2 });
  const first = panel.choice({ label: "who begins (cm)", options: heights.map(String), start: 0 });
  const move = panel.slider({ label: "move", min: 0, max: n, step: 1, start: 0 });
  panel.player(move, "play the moves");
  panel.legend([...names.map((name) => [name, "dot"]), ["data", "bar"], ["game", "bar", "released"]]);

  /* All runs from the chosen start: by who begins, where they end. */
  const ends = () => heights.map((_, i) => run(starts[start()][1], i).at(-1));
  const answer = panel.reveal("Show where each run ends", () => `From this start: ${ends()
    .map((end, i) => `${heights[i]} cm begins: ${end.hidden} of ${n} private, KL = ${end.kl.toFixed(4)}`).join("; ")}.`);
  let places = null;
  panel.point((x, y) => {
    const { person, t, beside, row, lower } = places;
    if (y < row) first.go(nearest(d3.range(n).map(person), x));
    else if (beside ? x > beside : y > lower) move.near(t.invert(x - beside));
  });
  const nearest = (all, x) => {
    const far = all.map((one) => Math.abs(one - x));
    return far.indexOf(d3.min(far));
  };
  panel.draw("Seven records with their noise, the released distribution, and KL after each move", (width) => (width < 600 ? 370 : 280),
    (svg, width, height) => {
      const path = run(starts[start()][1], first());
      const moves = path.length - 1;
      move.limit(moves);
      const now = path[move()];
      const wide = width >= 600;
      const half = wide ? width / 2 : 0; // where the last drawing begins

      const place = d3.scalePoint(d3.range(n), [22, width - 22]);
      const person = svg.append("g").attr("text-anchor", "middle").selectAll("g").data(now.actions).join("g")
        .attr("transform", (_, i) => `translate(${place(i)},0)`);
      svg.append("text").attr("x", 0).attr("y", 12).text("records (cm), their noise, their loss");
      person.append("text").attr("y", 33).text((_, i) => heights[i]);
      person.append("circle").attr("class", (v) => `dot s-${names[v]}`).attr("cy", 56).attr("r", 13);
      person.append("text").attr("class", (v) => `on-mark s-${names[v]}`).attr("y", 61).text((v) => names[v][0].toUpperCase());
      person.filter((_, i) => i === now.mover).append("circle").attr("class", "ring").attr("cy", 56).attr("r", 16);
      person.append("text").attr("y", 89)
        .attr("class", (_, i) => (now.losses[i] > epsilon ? "alarm s-exposed" : null))
        .text((_, i) => now.losses[i].toFixed(2) + (now.losses[i] > epsilon ? "!" : ""));

      const middles = d3.range(K).map((k) => 175 + 10 * k);
      const x = d3.scaleBand(middles, [44, wide ? half - 16 : width - 8]).padding(0.2);
      const y = d3.scaleLinear([0, 0.6], [wide ? height - 44 : 192, 122]);
      explorableAxes(svg, x, y, { bottom: "height (cm), middle of the bin", left: "probability", yTicks: 3 });
      svg.append("g").selectAll("rect").data(data).join("rect").attr("class", "bar s-data")
        .attr("x", (_, k) => x(middles[k])).attr("width", x.bandwidth() / 2)
        .attr("y", (q) => y(q)).attr("height", (q) => y(0) - y(q));
      svg.append("g").selectAll("rect").data(now.mass).join("rect").attr("class", "bar s-game")
        .attr("x", (_, k) => x(middles[k]) + x.bandwidth() / 2).attr("width", x.bandwidth() / 2)
        .attr("y", (m) => y(m / n)).attr("height", (m) => y(0) - y(m / n));

      const last = svg.append("g").attr("transform", `translate(${half},0)`);
      const t = d3.scaleLinear([0, n], [44, width - half - 12]);
      const d = d3.scaleLinear([0, 0.8], [height - 44, wide ? 122 : 266]);
      places = { person: place, t, beside: half, row: 100, lower: 240 };
      explorableAxes(last, t, d, { bottom: "moves", left: "KL divergence (nats)", xTicks: n, yTicks: 4 });
      last.append("path").attr("class", "line s-game").attr("d", d3.line((_, i) => t(i), (s) => d(s.kl))(path));
      last.append("g").selectAll("circle").data(path).join("circle").attr("class", "dot s-game")
        .attr("r", (_, i) => (i === move() ? 6 : 3)).attr("cx", (_, i) => t(i)).attr("cy", (s) => d(s.kl));

      const who = now.mover === undefined ? `Start, ${starts[start()][0]}: `
        : `Move ${move()} of ${moves}, ${heights[now.mover]} cm goes from ${names[now.left]} ` +
          `to ${names[now.actions[now.mover]]}: `;
      const end = move() < moves ? "" : " Nobody gains by moving: a Nash equilibrium" +
        `${now.hidden < n ? ", and somebody is exposed" : ""}.`;
      return `${who}${now.hidden} of ${n} private, KL = ${now.kl.toFixed(4)}.${end}`;
    });
});
