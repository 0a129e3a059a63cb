/* The explorer of the results: one setting of the lattice at a time, its cells, and for a chosen cell
the ratio over people and budget. The numbers are in lattice.js, computed by the package. */
(function () {
  "use strict";
  const all = window.minimaxdpLattice, root = document.getElementById("explore");
  if (!all || !root) return;
  const names = Object.keys(all.numbers);
  const get = id => document.getElementById("explore-" + id);
  const problems = [...new Set(all.rows.map(row => row[0]))];
  const definitions = [...new Set(all.rows.map(row => row[1]))];
  let chosen = null; // the row whose map is drawn

  function fill(select, what, values) {
    select.innerHTML = "";
    for (const value of ["all", ...values]) select.add(new Option(value, value));
    select.setAttribute("aria-label", what);
  }

  /** Which setting of the list the indices of n, d and ε lead to. */
  function place(at) {
    return names.reduce((sum, name) => sum * all.numbers[name].length + at[name], 0);
  }

  function current() {
    return Object.fromEntries(names.map(name => [name, Number(get(name).value)]));
  }

  function cellAt(at, row) {
    const [low, risk, high, kind, method, argument] = all.settings[place(at)][row];
    const [problem, definition] = all.rows[row];
    return { problem, definition, low, risk, high, ratio: low > 0 ? high / low : Infinity,
      kind: all.kinds[kind], method: all.method[method], argument: all.argument[argument],
      statement: all.statements[problem][argument], analysis: all.methods[method] };
  }

  function number(value) {
    if (value === 0) return "0";
    return value >= 1e-3 && value < 1e5 ? String(Number(value.toPrecision(3))) : value.toExponential(2);
  }

  function text(name, value) {
    return name === "epsilon" ? String(value) : value.toLocaleString("en");
  }

  function shown(at) {
    return all.rows.map((_, row) => ({ row, ...cellAt(at, row) }))
      .filter(c => ["all", c.problem].includes(get("problem").value)
        && ["all", c.definition].includes(get("definition").value));
  }

  /** What is said of a setting: only of cells with some privacy, and only what is computed. */
  function says(at) {
    const cells = all.rows.map((_, row) => cellAt(at, row));
    const open = Object.fromEntries(cells.filter(c => c.definition === "none").map(c => [c.problem, c.risk]));
    const kept = cells.filter(c => c.definition !== "none");
    const compared = kept.filter(c => c.problem in open);
    const cheap = compared.filter(c => c.risk <= 1.1 * open[c.problem]).length;
    const blind = compared.filter(c => c.low >= 0.5 * all.blind[c.problem][at.d]).length;
    const ratios = kept.map(c => c.ratio).sort((a, b) => a - b);
    const near = ratios.filter(r => r < 2).length, middle = ratios[Math.floor(ratios.length / 2)];
    return `Of ${kept.length} cells with privacy, ${near} are known within a factor of 2; the median ratio is `
      + `${number(middle)}, the largest ${number(ratios[ratios.length - 1])}. In ${cheap} of ${compared.length} the best method `
      + `has at most 1.1 times the risk without privacy; in ${blind} no method does better than half the risk of a guess without data.`;
  }

  /** A name in a cell, which leads to its statement if it has one. */
  function leads(cell, name, statement) {
    if (!statement) { cell.textContent = name; return; }
    const link = document.createElement("a");
    link.href = all.links[statement];
    link.textContent = name;
    cell.append(link);
  }

  function show() {
    const at = current();
    for (const name of names) get(name + "-value").textContent = text(name, all.numbers[name][at[name]]);
    get("says").textContent = says(at);
    const body = root.querySelector("tbody");
    body.innerHTML = "";
    for (const c of shown(at)) {
      const row = body.insertRow();
      row.classList.toggle("chosen", c.row === chosen);
      for (const value of [c.problem, c.definition]) row.insertCell().textContent = value;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = number(c.ratio);
      button.setAttribute("aria-label", `ratio ${number(c.ratio)}, map of ${c.problem}, ${c.definition}`);
      button.addEventListener("click", () => { chosen = c.row; show(); get("map").scrollIntoView({ block: "nearest" }); });
      row.insertCell().append(button);
      for (const value of [c.low, c.risk, c.high]) row.insertCell().textContent = number(value);
      leads(row.insertCell(), c.argument, c.statement);
      leads(row.insertCell(), c.method, c.analysis);
      row.insertCell().textContent = c.kind;
    }
    draw(at);
    const kept = new URLSearchParams(names.map(name => [name, all.numbers[name][at[name]]]));
    for (const id of ["problem", "definition"]) if (get(id).value !== "all") kept.set(id, get(id).value);
    history.replaceState(null, "", "#" + kept);
  }

  /** The ratio of the chosen cell over people and budgets, at this dimension. */
  function draw(at) {
    if (chosen === null) {
      get("map").innerHTML = "<p>Press a ratio to see it for all numbers of people and all budgets.</p>";
      return;
    }
    const [problem, definition] = all.rows[chosen];
    const heads = all.numbers.n.map(n => `<th scope="col">${n.toExponential(0).replace("e+", "·10^")}</th>`);
    const lines = all.numbers.epsilon.map((epsilon, j) => {
      const cells = all.numbers.n.map((_, i) => {
        const { ratio } = cellAt({ ...at, n: i, epsilon: j }, chosen);
        const share = Math.min(100, 60 * Math.log10(Math.max(1, ratio)) / 2);
        const here = i === at.n && j === at.epsilon ? ' class="here"' : "";
        return `<td${here} style="--share:${share.toFixed(0)}%">${number(ratio)}</td>`;
      });
      return `<tr><th scope="row">${epsilon}</th>${cells.join("")}</tr>`;
    });
    const raised = heads.join("").replace(/1·10\^(\d)/g, "10<sup>$1</sup>");
    get("map").innerHTML = `<div class="ratio-box" tabindex="0"><table class="ratio-map"><caption>Upper over lower bound: `
      + `${problem}, ${definition}, d = ${all.numbers.d[at.d]}</caption><thead><tr><th scope="col">ε \\ n</th>${raised}</tr></thead>`
      + `<tbody>${lines.join("")}</tbody></table></div>`;
  }

  const HEADS = ["problem", "definition", "lower bound", "risk", "upper bound", "ratio", "argument", "method", "how"];
  function plain(c) {
    return [c.problem, c.definition, c.low, c.risk, c.high, number(c.ratio), c.argument, c.method, c.kind];
  }

  function download(name, content) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function csv(at) {
    const quoted = value => `"${String(value).replaceAll('"', '""')}"`;
    return [HEADS, ...shown(at).map(plain)].map(line => line.map(quoted).join(",")).join("\n") + "\n";
  }

  function latex(at) {
    const setting = names.map(name => `${name} = ${all.numbers[name][at[name]]}`).join(", ");
    const escaped = value => String(value).replaceAll("%", "\\%").replaceAll("&", "\\&").replaceAll("_", "\\_");
    const lines = [HEADS, ...shown(at).map(plain)].map(line => line.map(escaped).join(" & ") + " \\\\");
    return `% ${setting}\n\\begin{tabular}{llrrrrlll}\n${lines[0]}\n\\hline\n${lines.slice(1).join("\n")}\n\\end{tabular}\n`;
  }

  function set(values) {
    for (const name of names) {
      const index = all.numbers[name].indexOf(Number(values[name]));
      if (index >= 0) get(name).value = index;
    }
    for (const id of ["problem", "definition"]) {
      if (values[id] !== undefined && [...get(id).options].some(o => o.value === values[id])) get(id).value = values[id];
    }
  }

  fill(get("problem"), "problem", problems);
  fill(get("definition"), "definition", definitions);
  set({ ...all.start, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) });
  root.querySelector("form").addEventListener("input", show);
  for (const button of root.querySelectorAll("[data-preset]")) {
    button.addEventListener("click", () => { set(all.presets[button.dataset.preset]); show(); });
  }
  get("csv").addEventListener("click", () => download("results.csv", csv(current())));
  get("latex").addEventListener("click", () => download("results.tex", latex(current())));
  window.addEventListener("hashchange", () => {
    set({ problem: "all", definition: "all", ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) });
    show();
  });
  Object.assign(window.minimaxdpLattice, { cellAt, csv: () => csv(current()), latex: () => latex(current()) });
  const given = location.hash;
  show();
  // An address that leads to a heading of the page stays one.
  if (given && !given.includes("=")) history.replaceState(null, "", given);
})();
