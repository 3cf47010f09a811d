/* A record leaves, and best responses are played again: which records change, and what that reveals. */
"use strict";

explorable("record-leaves", (panel) => {
  const counts = [1, 0, 1, 4, 5, 12, 1]; // 24 records in seven bins
  const K = counts.length;
  const names = ["large", "medium", "small"];
  const kernel = [1, 0.2, 0.05].map((b) => d3.range(K).map((k) => explorableKernelRow(K, k, b)));
  const occupied = d3.range(K).filter((k) => counts[k]);

  const mixture = (profile) => {
    const mass = new Array(K).fill(0);
    profile.forEach((row, k) => row.forEach((records, v) => {
      if (records) kernel[v][k].forEach((p, x) => { mass[x] += records * p; });
    }));
    return mass;
  };
  const loss = (row, mass, n) => d3.max(row, (p, x) => Math.abs(
    Math.log1p(-1 / n) - Math.log1p(-p / mass[x])));

  /* P_E, by the linear form of pDP: every record's row is at most tau times the mass. */
  const hidden = (profile, mass, tau) => d3.sum(profile, (row, k) => d3.sum(row, (records, v) => (
    records && kernel[v][k].every((p, x) => p <= tau * (1 + 1e-12 * (1 - tau)) * mass[x]) ? records : 0)));

  /* Best responses from the largest scale, one record at a time, in order of bin and action. */
  const play = (people, epsilon) => {
    const n = d3.sum(people);
    const tau = 1 - (1 - 1 / n) * Math.exp(-epsilon);
    const profile = people.map((records) => [records, 0, 0]);
    for (let moved = true; moved;) {
      moved = false;
      for (let k = 0; k < K; k += 1) {
        const group = [...profile[k]];
        for (let v = 0; v < 3; v += 1) {
          for (let waiting = group[v]; waiting > 0; waiting -= 1) {
            const mass = mixture(profile);
            let [best, most, gain] = [v, hidden(profile, mass, tau), 0];
            for (let w = 0; w < 3; w += 1) {
              if (w === v) continue;
              const drop = d3.sum(people, (records, x) => (records
                ? (records / n) * Math.log1p((kernel[w][k][x] - kernel[v][k][x]) / mass[x]) : 0));
              profile[k][v] -= 1;
              profile[k][w] += 1;
              const reached = hidden(profile, mixture(profile), tau);
              profile[k][v] += 1;
              profile[k][w] -= 1;
              if (reached > most || (reached === most && drop > gain + 1e-12 / n)) {
                [best, most, gain] = [w, reached, drop];
              }
            }
            if (best === v) break;
            profile[k][v] -= 1;
            profile[k][best] += 1;
            moved = true;
          }
        }
      }
    }
    return profile;
  };

  panel.prompt("Whose removal has the largest end-to-end loss: that of a record from a full bin, or that of one from the ends?");
  panel.guess({
    question: "Which bin, at ε = 1?", options: ["0", "2", "5", "6"], right: 0,
    when: () => shown() && target() === 1, because: () => "others had taken a larger scale for its sake.",
  });
  const target = panel.slider({
    label: "target ε", min: 0.2, max: 4, step: 0.2, start: 1, format: (e) => e.toFixed(1),
  });
  const who = panel.choice({
    label: "bin of the record that leaves", options: occupied.map(String), start: occupied.indexOf(5),
  });
  panel.legend(names.map((name) => [name, "dot"]));
  panel.legend([
    ["with", "line", "released, with the record"], ["fixed-noise", "line", "without, noise fixed"],
    ["end-to-end", "line", "without, run again"],
  ]);

  /* Both losses of a record of one bin, and what they are computed from. */
  const removal = (out, epsilon) => {
    const n = d3.sum(counts);
    const profile = play(counts, epsilon);
    const rerun = play(counts.map((c, k) => c - (k === out)), epsilon);
    const mass = mixture(profile);
    const played = d3.greatest(d3.range(3).filter((v) => profile[out][v]),
      (v) => loss(kernel[v][out], mass, n));
    const stayed = profile.map((row, k) => row.map((c, v) => c - (k === out && v === played)));
    const present = mass.map((m) => m / n);
    const fixed = mixture(stayed).map((m) => m / (n - 1));
    const rerunOutput = mixture(rerun).map((m) => m / (n - 1));
    const largest = (other) => d3.max(present, (p, x) => Math.abs(Math.log(p / other[x])));
    return {
      out, epsilon, n, profile, rerun, played, stayed, present, fixed, rerunOutput,
      fixedLoss: largest(fixed), rerunLoss: largest(rerunOutput),
    };
  };
  const found = panel.best({
    label: "Largest so far",
    better: (a, b) => a.rerunLoss > b.rerunLoss,
    say: ({ out, epsilon, rerunLoss }) => `bin ${out} at ε = ${epsilon.toFixed(1)}, end-to-end loss ${rerunLoss.toFixed(2)}`,
  });
  const shown = panel.reveal("Show all bins", () => `End-to-end losses at ε = ${target().toFixed(1)}: ` +
    `${occupied.map((k) => `bin ${k} ${removal(k, target()).rerunLoss.toFixed(2)}`).join(", ")}.`);
  let places = null;
  panel.point((at) => {
    const [centres, place] = at < places.beside ? [places.dots, at] : [places.lines, at - places.beside];
    const far = centres.map((centre) => Math.abs(centre - place));
    who.go(far.indexOf(d3.min(far)));
  });

  panel.draw("Records of each bin by their noise, with the record and without it, and three outputs",
    (width) => (width < 600 ? 350 : 250), (svg, width, height) => {
      const one = removal(occupied[who()], target());
      const { out, epsilon, n, profile, rerun, played, stayed, present, fixed, rerunOutput } = one;
      found(one);
      const changes = stayed.map((row, k) => d3.sum(row, (c, v) => Math.max(0, rerun[k][v] - c)));
      const wide = width >= 600;
      const half = wide ? width / 2 : width; // how wide each of the two drawings is

      const band = d3.scaleBand(d3.range(K), wide ? [4, half - 8] : [44, half - 8]).padding(0.15);
      const radius = Math.min(wide ? 5.5 : 4.8, band.bandwidth() / 4.6);
      const base = wide ? height - 44 : 172;
      svg.append("text").attr("x", 0).attr("y", 12)
        .text("each bin: with the record (left), without it (right)");
      for (const [table, shift, first] of [[profile, 0.25, true], [rerun, 0.75, false]]) {
        for (const k of occupied) {
          const dots = table[k].flatMap((c, v) => d3.range(c).map(() => v));
          const gained = rerun[k].map((c, v) => Math.max(0, c - stayed[k][v]));
          const place = (_, i) => base - (2 * radius + 2) * (i + 0.5);
          const seen = svg.append("g").selectAll("circle").data(dots).join("circle")
            .attr("class", (v) => `dot s-${names[v]}`).attr("r", radius)
            .attr("cx", band(k) + shift * band.bandwidth()).attr("cy", place);
          if (first) continue;
          seen.filter((v) => { gained[v] -= 1; return gained[v] >= 0; }).clone()
            .attr("class", "ring").attr("r", radius + 1.5);
        }
      }
      svg.append("text").attr("text-anchor", "middle").attr("aria-hidden", "true")
        .attr("x", band(out) + 0.25 * band.bandwidth())
        .attr("y", base - (2 * radius + 2) * counts[out] - 4).text("▼");
      if (wide) {
        svg.append("g").attr("transform", `translate(0,${base})`).call(d3.axisBottom(band).tickSizeOuter(0));
        svg.append("text").attr("x", half / 2).attr("y", base + 36).attr("text-anchor", "middle").text("bin");
      }

      const second = svg.append("g").attr("transform", `translate(${wide ? half : 0},0)`);
      const x = d3.scalePoint(d3.range(K), [44 + band.bandwidth() / 2, half - 8 - band.bandwidth() / 2]);
      const low = Math.min(1e-3, d3.min([...present, ...fixed, ...rerunOutput]));
      const y = d3.scaleLog([low, 1], [height - 44, wide ? 32 : 208]);
      explorableAxes(second, x, y, { bottom: "bin", left: "probability", yTicks: 4, yFormat: explorableNumber });
      for (const [values, name] of [[present, "with"], [fixed, "fixed-noise"], [rerunOutput, "end-to-end"]]) {
        second.append("path").attr("class", `line s-${name}`)
          .attr("d", d3.line((_, k) => x(k), (p) => y(p))(values));
      }
      places = { beside: wide ? half : Infinity, lines: occupied.map(x), dots: occupied.map((k) => band(k) + band.bandwidth() / 2) };

      const total = d3.sum(changes);
      return `Without one record of bin ${out}, which had the ${names[played]} scale: fixed-noise loss ${one.fixedLoss.toFixed(2)}, ` +
        `end-to-end loss ${one.rerunLoss.toFixed(2)}, target ${epsilon.toFixed(1)}. ` +
        `${total} of the ${n - 1} others change their noise.`;
    });
});
