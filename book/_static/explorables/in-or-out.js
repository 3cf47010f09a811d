/* The reader attacks the club of six: twenty releases, with the tall member or without, and the optimal
 * attacker beside. The releases are drawn by a generator with a fixed seed; all else is exact. */
"use strict";

explorable("in-or-out", (panel) => {
  const bins = ["short", "middle", "tall"];
  const club = [3, 2, 1];
  const rounds = 20;
  const sizes = [1, 3, 10, 30, 100];
  const plural = (m) => `${m} ${m === 1 ? "draw" : "draws"}`;
  panel.prompt("Was the tall member among the data? Answer for each of twenty releases. Are you right more often " +
    "than by chance, and as often as the best attacker?");
  const size = panel.choice({ label: "draws in a release", options: sizes.map(String), start: 1 });
  const level = panel.rounded({ label: "ε of one draw", low: 0.1, high: 4, start: 1 });
  panel.legend([
    ["with", "bar", "expected with the tall member (in)"], ["without", "bar", "expected without (out)"],
    ["data", "line", "drawn"], ["exposed", "dot", "wrong answer"],
  ]);
  const asked = panel.legends.append("div").attr("class", "explorable-guess explorable-asked").attr("role", "group")
    .attr("aria-label", "Your answer");
  const question = asked.append("span");

  /* The numbers from which releases are drawn: a coin and 100 draws for each, the same at every setting. */
  const numbers = (game) => {
    const uniform = d3.randomLcg((0.988 + 0.618 * game) % 1);
    return d3.range(rounds).map(() => [uniform(), d3.range(100).map(uniform)]);
  };
  let [game, seeds, answers, played] = [0, numbers(0), [], ""];
  const answer = (said) => {
    answers.push(said);
    panel.moved();
    if (answers.length === rounds) again.node().focus({ preventScroll: true });
  };
  const start = (next) => { [game, seeds, answers] = [next, numbers(next), []]; };
  const buttons = ["in", "out"].map((word, i) => panel.button(word, () => answer(1 - i), asked));
  const again = panel.button("twenty new releases", () => { start(game + 1); panel.moved(); }, asked);
  panel.restart.push(() => start(0));

  /* One draw with the tall member and without: k-ary randomised response for six records. */
  const distributions = (epsilon) => {
    const odds = 1 + d3.sum(club) * Math.expm1(epsilon);
    const draw = (counts) => {
      const n = d3.sum(counts);
      return counts.map((c) => ((c / n) * odds + 1 - c / n) / (odds + bins.length - 1));
    };
    return [draw([3, 2, 0]), draw(club)];
  };
  /* Every histogram of m draws: its statistic and its probability without and with. */
  const outcomes = (m, [absent, present], scores) => {
    const logFactorial = [0];
    for (let k = 1; k <= m; k += 1) logFactorial.push(logFactorial[k - 1] + Math.log(k));
    return d3.range(m + 1).flatMap((i) => d3.range(m - i + 1).map((j) => {
      const counts = [i, j, m - i - j];
      const ways = logFactorial[m] - d3.sum(counts, (c) => logFactorial[c]);
      const chance = (p) => Math.exp(ways + d3.sum(counts, (c, k) => c * Math.log(p[k])));
      return [d3.sum(counts, (c, k) => c * scores[k]), chance(absent), chance(present)];
    }));
  };
  const release = ([coin, draws], m, both) => {
    const truth = +(coin < 0.5);
    const p = both[truth];
    const counts = [0, 0, 0];
    draws.slice(0, m).forEach((u) => { counts[u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2] += 1; });
    return { truth, counts };
  };
  let now = null;
  const signed = (value) => value.toFixed(2).replace("-", "−");
  const shown = panel.reveal("Show the optimal attack", () => {
    const parts = bins.map((bin, k) => `${signed(now.scores[k])} for ${bin}`);
    const here = now.current ? ` For this release Λ = ${signed(now.current.sum)}.` : "";
    return `Every draw adds ln(_P_/_P_′) to Λ: ${parts.join(", ")}. The optimal attacker says “in” if Λ is positive.${here} ` +
      `Its advantage is ${now.advantage.toFixed(3)}. The loss alone allows ` +
      `tanh(_m_ε/2) = ${Math.tanh((now.m * level()) / 2).toFixed(3)}, and the number of records ` +
      `1 − (5/6)^_m_^ = ${(1 - (5 / 6) ** now.m).toFixed(3)}.`;
  });

  panel.draw("What was drawn, and who was right in which release", (width) => (width < 600 ? 360 : 340), (svg, width, height) => {
    const [m, epsilon] = [sizes[size()], level()];
    if (played && played !== `${m} ${epsilon}`) answers = [];
    played = `${m} ${epsilon}`;
    const both = distributions(epsilon);
    const scores = bins.map((_, k) => Math.log(both[1][k] / both[0][k]));
    const all = outcomes(m, both, scores);
    const advantage = d3.sum(all, ([, q, p]) => Math.max(0, p - q));
    const releases = seeds.map((seed) => {
      const one = release(seed, m, both);
      const sum = d3.sum(one.counts, (c, k) => c * scores[k]);
      return { ...one, sum, optimal: +(sum > 0) };
    });
    const done = answers.length;
    const current = releases[done];
    now = { m, scores, advantage, current };
    const right = [answers.filter((said, j) => said === releases[j].truth).length,
      releases.slice(0, done).filter(({ truth, optimal }) => truth === optimal).length];
    question.text(current ? `Release ${done + 1}: is the tall member in?` : "All twenty are answered.");
    buttons.forEach((button) => button.property("disabled", !current));

    const base = height - 132;
    if (current) {
      const x = d3.scaleBand(bins, [44, width - 8]).padding(0.35);
      const most = Math.max(d3.max(current.counts), m * d3.max(both.flat()));
      const y = d3.scaleLinear([0, most * 1.15], [base, 26]);
      svg.append("g").attr("transform", `translate(0,${base})`).call(d3.axisBottom(x).tickSizeOuter(0));
      svg.append("g").attr("transform", "translate(44,0)").call(d3.axisLeft(y).ticks(Math.min(4, most)).tickSizeOuter(0));
      svg.append("text").attr("x", 0).attr("y", 14).text("number of draws");
      bins.forEach((bin, k) => {
        const half = x.bandwidth() / 2;
        ["with", "without"].forEach((name, i) => svg.append("rect").attr("class", `bar s-${name}`)
          .attr("x", x(bin) + i * half).attr("width", half - 1)
          .attr("y", y(m * both[1 - i][k])).attr("height", base - y(m * both[1 - i][k])));
        svg.append("line").attr("class", "line s-data").attr("x1", x(bin) - 12).attr("x2", x(bin) + 2 * half + 12)
          .attr("y1", y(current.counts[k])).attr("y2", y(current.counts[k]));
        svg.append("text").attr("class", "on-line").attr("text-anchor", "middle").attr("x", x(bin) + half)
          .attr("y", y(current.counts[k]) - 6).text(`${current.counts[k]} drawn`);
      });
    } else {
      const likely = all.filter(([, q, p]) => Math.max(p, q) > 1e-5 || m < 10).map(([sum]) => sum);
      const [low, high] = [d3.min(likely), d3.max(likely)];
      const step = (high - low) / 39.9;
      const first = Math.floor(low / step); // 0 is the edge of a step
      const mass = d3.range(41).map(() => [0, 0]);
      all.forEach(([sum, q, p]) => {
        const k = Math.min(40, Math.max(0, Math.floor(sum / step) - first));
        mass[k][0] += q;
        mass[k][1] += p;
      });
      const x = d3.scaleLinear([first * step, (first + 41) * step], [44, width - 12]);
      const y = d3.scaleLinear([0, d3.max(mass.flat()) * 1.1], [base - 14, 26]);
      explorableAxes(svg, x, y, { bottom: "", left: "probability", xTicks: 6, yTicks: 4 });
      ["without", "with"].forEach((name, i) => {
        const edges = mass.flatMap((pair, k) => [k, k + 1].map((at) => [(first + at) * step, pair[i]]));
        const path = d3.line((d) => x(d[0]), (d) => y(d[1]));
        svg.append("path").attr("class", `area s-${name}`).attr("d", path([[edges[0][0], 0], ...edges, [edges.at(-1)[0], 0]]));
        svg.append("path").attr("class", `line s-${name}`).attr("d", path(edges));
      });
      svg.append("line").attr("class", "level").attr("x1", x(0)).attr("x2", x(0)).attr("y1", base - 14).attr("y2", 20);
      svg.append("text").attr("x", x(0) + 5).attr("y", 22).text("“in” →");
      svg.append("text").attr("x", width - 12).attr("y", base + 18).attr("text-anchor", "end").text("Λ");
    }

    /* Who said what: a full dot for "in", an empty one for "out". */
    const cell = (width - 78) / rounds;
    const radius = Math.min(7, 0.38 * cell);
    ["truth", "you", "optimal"].forEach((who, row) => {
      const y = base + 54 + 28 * row;
      svg.append("text").attr("x", 0).attr("y", y + 4).text(who);
      releases.slice(0, done).forEach(({ truth, optimal }, j) => {
        const said = [truth, answers[j], optimal][row];
        const name = said === truth ? (truth ? "with" : "without") : "exposed";
        svg.append("circle").attr("class", `${said ? "dot" : "hollow"} s-${name}`)
          .attr("r", said ? radius : radius - 1).attr("cx", 74 + (j + 0.5) * cell).attr("cy", y);
      });
    });
    const score = `You were right in ${right[0]} of ${done}, and the optimal attacker in ${right[1]}.`;
    const exact = `With ${plural(m)} at ε = ${explorableNumber(epsilon)} the best advantage is ${advantage.toFixed(3)}, so on average ` +
      `the optimal attacker is right in ${(rounds * (1 + advantage) / 2).toFixed(1)} of ${rounds} releases.`;
    if (!current) return `${score} ${exact}`;
    const drawn = bins.map((bin, k) => `${current.counts[k]} ${bin}`).join(", ");
    return `Release ${done + 1} of ${rounds} has ${plural(m)}: ${drawn}. ${exact}${done ? ` ${score}` : ""}`;
  });
});
