/* Every record a dot, coloured by its noise. One leaves, the game is played again, others recolour.
 * The page brings the profiles, with all records and without one of each height: see the cell that
 * writes them. */
"use strict";

explorable("remove-one", (panel) => {
  const {
    lower, upper, bins: K, occupied, counts, scales, profile, reruns, laplace, common,
  } = explorableData("remove-one"); // lengths in cm
  const n = d3.sum(counts);
  const commas = d3.format(",");
  const width = upper - lower;
  const places = d3.range(occupied.length);
  const centre = (i) => lower + ((occupied[i] + 0.5) * width) / K;
  const noises = ["noise-1", "noise-2", "noise-3", "noise-4", "noise-5"];
  const row = (i, scale) => explorableKernelRow(K, occupied[i], scale / width);
  const data = new Array(K).fill(0);
  places.forEach((i) => { data[occupied[i]] = counts[i] / n; });

  /* A release: its line, the series of its scales, its scales, its profile, and both without one
   * record of place i. */
  const constant = counts.map((records) => [records]);
  const without = (i) => counts.map((records, j) => [records - (i === j)]);
  const releases = [
    { line: "game", series: noises, scales, profile,
      rerun: (i) => [scales, profile.map((rows, j) => reruns[i][j] ?? rows)] },
    { line: "common", series: ["common"], scales: [common.all], profile: constant,
      rerun: (i) => [[common.without[i]], without(i)] },
    { line: "laplace", series: ["noise-3"], scales: [laplace], profile: constant,
      rerun: (i) => [[laplace], without(i)] },
  ];
  const mixture = (rows, table) => {
    const mass = new Array(K).fill(0);
    table.forEach((records, i) => records.forEach((c, v) => {
      if (c) rows[v][i].forEach((p, x) => { mass[x] += c * p; });
    }));
    return mass;
  };
  const kernel = (list) => list.map((scale) => places.map((i) => row(i, scale)));
  const lost = (one, other) => d3.max(one, (p, x) => Math.abs(Math.log(p / other[x])));

  /* Who plays otherwise after one record of place `out` has left, and what it loses. */
  const removal = ({ scales: before, profile: table, rerun }, rows, mass, out) => {
    const played = d3.greatest(d3.range(before.length).filter((v) => table[out][v]),
      (v) => d3.max(rows[v][out], (p, x) => p / mass[x]));
    const stayed = table.map((records, i) => records.map((c, v) => c - (i === out && v === played)));
    const [after, again] = rerun(out);
    const share = (list) => list.map((m) => m / (n - 1));
    const present = mass.map((m) => m / n);
    const moves = after.every((scale, v) => scale === before[v])
      ? stayed.map((records, i) => records.map((c, v) => Math.max(0, c - again[i][v])))
      : stayed; // everybody's scale is another one
    return {
      played, stayed, again, moves, after,
      changed: d3.sum(moves, (records) => d3.sum(records)),
      fixed: lost(present, share(mixture(rows, stayed))),
      whole: lost(present, share(mixture(after === before ? rows : kernel(after), again))),
    };
  };

  const cm = (scale) => `${scale.toFixed(scale < 10 ? 1 : 0)} cm`;
  panel.prompt("What if the shortest player leaves? Click a dot.");
  panel.guess({
    question: "How many others change their noise?",
    options: ["none", "twenty", "hundreds"], right: 2,
    when: () => who() === 1 && noise() === 0,
    because: () => `${last.changed} others change their noise.`,
  });
  const who = panel.slider({
    label: "record that leaves", min: 0, max: occupied.length, step: 1, start: 0,
    format: (i) => (i ? `${centre(i - 1).toFixed(0)} cm` : "none"),
  });
  const noise = panel.choice({
    label: "noise", start: 0, inline: true,
    options: ["chosen by the game", `${(Math.ceil(100 * common.all) / 100).toFixed(2)} cm for all`, `${cm(laplace)} for all`],
  });
  const key = panel.legend(noises.map((name, v) => [name, "dot", `${v ? "" : "noise "}${cm(scales[v])}`]));
  let last = null;
  let x = null;
  panel.point((at) => {
    const far = places.map((i) => Math.abs(x(centre(i)) - at));
    who.go(1 + far.indexOf(d3.min(far)));
  });

  const across = 5; // dots side by side in a bin
  const [first, end] = [centre(0) - width / K, centre(occupied.length - 1) + width / K];
  const pitch = (wide) => (wide - 8) / ((end - first) / (width / K)) / (across + 0.3);
  const tallest = Math.ceil(d3.max(counts) / across);
  const tall = (wide) => tallest * pitch(wide) + 64;

  /* What is seen, in words; `rule` names the release if it needs a name. */
  const told = (rule, out, one, kl) => {
    const far = `Divergence of the release from the data: ${kl.toFixed(3)}.`;
    if (!one) return `${rule ? `${rule}a` : "A"}ll ${commas(n)} records are there. ${far}`;
    const alone = counts[out] > 1 ? `one of the ${counts[out]} records of about` : "the only record of about";
    const some = one.changed && one.changed < n - 1 ? " (the faint dots do not)" : "";
    return `${rule ? `${rule}w` : "W"}ithout ${alone} ${centre(out).toFixed(0)} cm, ${commas(one.changed)} of the other ${commas(n - 1)} ` +
      `change their noise${some}. Privacy loss if the noise is held fixed (fixed-noise loss): ${one.fixed.toFixed(2)}. Privacy loss with ` +
      `the changed noise (end-to-end loss): ${one.whole.toFixed(2)}, ${one.whole > 1 + 1e-9 ? "more than" : "at most"} the target ε = 1. ${far}`;
  };
  const rules = ["", "", "The Laplace mechanism: "];
  const longest = told(rules[2], d3.maxIndex(counts), { changed: n - 1, fixed: 0, whole: 2 }, 0);

  panel.draw("The heights as dots, one for each player, coloured by their noise", tall, (svg, wide, height) => {
    const release = releases[noise()];
    const rows = kernel(release.scales);
    const mass = mixture(rows, release.profile);
    const out = who() - 1;
    last = out < 0 ? null : removal(release, rows, mass, out);
    key.style("visibility", noise() ? "hidden" : null);

    const step = pitch(wide);
    const base = height - 44;
    x = d3.scaleLinear([first, end], [4, wide - 4]);
    svg.append("g").attr("transform", `translate(0,${base})`).call(d3.axisBottom(x).ticks(wide / 80).tickSizeOuter(0));
    svg.append("text").attr("x", wide / 2).attr("y", base + 36).attr("text-anchor", "middle").text("height (cm)");

    /* A path of round dots: in each of the columns of bin i those from `from` to `to`. */
    const spots = (i, from, to) => d3.range(across).map((column) => {
      const [low, high] = [Math.ceil((from - column) / across), Math.floor((to - 1 - column) / across)];
      const left = x(centre(i)) + (column - (across - 1) / 2) * step;
      const y = (r) => (base - (r + 0.6) * step).toFixed(2);
      return low > high ? "" : `M${left.toFixed(2)},${y(low)}V${(y(high) - 0.01).toFixed(2)}`;
    }).join("");
    const ring = (i, record, radius) => {
      const place = x(centre(i)) + ((record % across) - (across - 1) / 2) * step;
      const above = base - (Math.floor(record / across) + 0.6) * step;
      svg.append("circle").attr("class", "ring").attr("r", radius).attr("cx", place).attr("cy", above);
      return [place, above];
    };
    const paths = {};
    const put = (style, name, path) => { paths[`${style} s-${name}`] = (paths[`${style} s-${name}`] ?? "") + path; };
    release.profile.forEach((records, i) => {
      let at = 0;
      const gains = last && last.again[i].map((c, v) => Math.max(0, c - last.stayed[i][v]));
      records.forEach((c, v) => {
        const name = release.series[v];
        const gone = last && out === i && last.played === v ? 1 : 0;
        const movers = last ? last.moves[i][v] : 0;
        put(last ? "dots stays" : "dots", name, spots(i, at, at + c - movers - gone));
        at += c - movers - gone;
        if (last && last.after !== release.scales && movers) put("dots", name, spots(i, at, at + movers));
        else for (let left = movers; left > 0;) {
          const w = gains.findIndex((gain) => gain);
          const some = Math.min(left, gains[w]);
          put("dots", release.series[w], spots(i, at + movers - left, at + movers - left + some));
          gains[w] -= some;
          left -= some;
        }
        put("dots was", name, spots(i, at, at + movers));
        at += movers + gone;
        if (gone) ring(i, at - 1, Math.max(3, step * 0.6));
      });
    });
    if (!last) { // the shortest player, whom the question is about
      const [place, above] = ring(0, 0, 8);
      svg.append("line").attr("class", "level").attr("x1", place).attr("x2", place)
        .attr("y1", above - 9).attr("y2", above - 24).style("stroke-dasharray", "none");
      svg.append("text").attr("x", Math.max(4, place - 12)).attr("y", above - 30).text("the shortest player");
    }
    Object.entries(paths).filter(([, path]) => path).forEach(([style, path]) => {
      svg.append("path").attr("class", style).attr("d", path)
        .attr("stroke-width", (0.84 * step).toFixed(2)).attr("stroke-dasharray", `0 ${step.toFixed(4)}`);
    });
    const seen = d3.range(Math.ceil(occupied[0] - 1), occupied[occupied.length - 1] + 2);
    svg.append("path").attr("class", `line s-${release.line}`).attr("d", d3.line(
      (k) => x(lower + ((k + 0.5) * width) / K), (k) => base - (mass[k] / across) * step).curve(d3.curveStep)(seen));
    svg.append("text").attr("class", "on-line").attr("x", wide - 4).attr("y", base - (mass[seen.at(-1)] / across) * step - 8)
      .attr("text-anchor", "end").text("released");

    const kl = d3.sum(data, (q, bin) => (q ? q * Math.log((q * n) / mass[bin]) : 0));
    const said = told(rules[noise()], out, last, kl);
    if (!last) return said;
    const long = d3.scaleLinear([0, 2.5], [0, (x(centre(0) + 8.2 * width / K)) - 6]);
    [["fixed-noise", "fixed-noise loss", last.fixed], ["end-to-end", "end-to-end loss", last.whole]]
      .forEach(([name, text, loss], i) => {
        const y = 14 + 34 * i;
        svg.append("text").attr("x", 4).attr("y", y).text(`${text} ${loss.toFixed(2)}`);
        svg.append("rect").attr("class", `bar s-${name}`).attr("x", 4).attr("y", y + 5)
          .attr("width", Math.max(1, long(Math.min(loss, 2.6)))).attr("height", 10);
        svg.append("line").attr("class", "level").attr("x1", 4 + long(1)).attr("x2", 4 + long(1))
          .attr("y1", y + 2).attr("y2", y + 19).style("stroke-dasharray", "none");
        if (loss > 2.6) svg.append("text").attr("x", 8 + long(2.6)).attr("y", y + 15).text("▶");
      });
    svg.append("text").attr("x", 4 + long(1)).attr("y", 82).attr("text-anchor", "middle").text("ε = 1");
    return said;
  }, { longest });
});
