/* The calculator page. The formulas are in formulas.js, printed from the package's own. */
(function () {
  "use strict";
  const { fields, losses, guarantees, cells } = window.minimaxdp;
  const names = Object.keys(fields);
  const get = id => document.getElementById("calc-" + id);
  const MOST = 2 ** 50;

  /** Floor and ceiling of a cell. */
  function bounds(problem, definition, setting) {
    return cells[problem + "|" + definition].bounds(...names.map(name => setting[name]));
  }

  /** Least number of people, by doubling and bisection, whose ceiling is at most the risk. */
  function peopleNeeded(problem, definition, risk, setting) {
    const enough = n => bounds(problem, definition, { ...setting, n })[1] <= risk;
    let low = 1, high = 2;
    while (!enough(high)) {
      low = high;
      high *= 2;
      if (high > MOST) return null;
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (enough(middle)) high = middle; else low = middle;
    }
    return high;
  }

  /** Least budget, to one part in 10^9, whose ceiling is at most the risk; null beyond 30. */
  function budgetNeeded(problem, definition, risk, setting) {
    const enough = epsilon => bounds(problem, definition, { ...setting, epsilon })[1] <= risk;
    let low = 1e-9, high = 30;
    if (!enough(high)) return null;
    if (enough(low)) return low;
    while (high > low * (1 + 1e-9)) {
      const middle = Math.sqrt(low * high);
      if (enough(middle)) high = middle; else low = middle;
    }
    return high;
  }

  /** A number as people write it, or NaN: decimal, a whole one with commas between thousands. */
  function number(text, whole) {
    if (whole && /^\d{1,3}(,\d{3})+$/.test(text)) return Number(text.replaceAll(",", ""));
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  }

  /** What a field asks for, in words. */
  function asked({ least, closed, largest, whole }) {
    return `a ${whole ? "whole number" : "number"} ${closed ? "of at least" : "above"} `
      + least.toLocaleString("en", { maximumFractionDigits: 20 })
      + (largest === Infinity ? "" : ` and at most ${largest.toLocaleString("en", { maximumFractionDigits: 20 })}`);
  }

  /** The number in a field, or what is wrong with it. */
  function read(id, label, rule) {
    const { least, closed, largest, whole } = rule;
    const text = get(id).value.trim(), value = number(text, whole);
    const fits = Number.isFinite(value) && value <= largest
      && (closed ? value >= least : value > least) && (!whole || Number.isInteger(value));
    get(id).setAttribute("aria-invalid", String(!fits));
    if (!fits) {
      const hint = /\d,\d/.test(text) && !whole
        ? " Write a decimal point, as in 0.5, and no commas." : "";
      throw new RangeError(`${label} must be ${asked(rule)}, not "${text}".${hint}`);
    }
    return value;
  }

  function digits(value) {
    return value >= 1e-3 && value < 1e6 ? value.toPrecision(5) : value.toExponential(4);
  }

  function people(value) {
    return value === null ? "more than 10\u00b9\u2075" : value.toLocaleString("en");
  }

  /** The same two calls of the package. */
  function python(problem, definition, target, setting, uses) {
    const privacy = guarantees[definition].replace(/\{(\w+)\}/g, (_, name) => setting[name]);
    const classes = [...new Set(privacy.match(/[A-Z]\w+/g))].sort();
    const given = names.filter(name => uses.includes(name) && !["epsilon", "delta"].includes(name))
      .map(name => `, ${name}=${setting[name]}`);
    const rest = given.filter(text => !text.startsWith(", n="));
    return "from minimaxdp import results\n"
      + `from minimaxdp.guarantees import ${classes.join(", ")}\n`
      + `results.closed_bounds("${problem}", ${privacy}${given.join("")})\n`
      + `results.people_needed("${problem}", ${privacy}, ${target}${rest.join("")})`;
  }

  // The picture, in units of its viewBox: floor and ceiling against n, both axes logarithmic.
  const W = 640, H = 360, LEFT = 70, RIGHT = 620, TOP = 14, BOTTOM = 306;

  function tick(exponent) {
    const raised = String(exponent).replace("-", "\u207b").replace(/\d/g, d => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[d]);
    return exponent === 0 ? "1" : exponent === 1 ? "10" : "10" + raised;
  }

  /** The decades between two powers of ten, not more than seven of them. */
  function decades(low, high) {
    const step = Math.ceil((high - low) / 7) || 1, found = [];
    for (let power = Math.ceil(low / step) * step; power <= high; power += step) found.push(power);
    return found;
  }

  /** Three decades of n to either side of the setting's own. */
  function draw(problem, definition, target, setting, needed) {
    const middle = Math.log10(setting.n);
    const from = Math.max(Math.log10(2), Math.floor(middle) - 3), to = Math.min(15, Math.ceil(middle + 0.01) + 3);
    const points = Array.from({ length: 61 }, (_, i) => 10 ** (from + (to - from) * i / 60))
      .map(n => [n, ...bounds(problem, definition, { ...setting, n })])
      .filter(point => point.every(value => Number.isFinite(value) && value > 0));
    const values = points.flatMap(point => point.slice(1)).map(Math.log10);
    const low = Math.floor(Math.min(...values)), high = Math.max(low + 1, Math.ceil(Math.max(...values)));
    const x = n => LEFT + (RIGHT - LEFT) * (Math.log10(n) - from) / (to - from);
    const y = risk => BOTTOM - (BOTTOM - TOP) * (Math.log10(risk) - low) / (high - low);
    const path = (list, which) => list.map(point => `${x(point[0]).toFixed(1)},${y(point[which]).toFixed(1)}`).join(" ");
    const parts = [`<polygon class="between" points="${path(points, 1)} ${path([...points].reverse(), 2)}"/>`];
    for (const power of decades(from, to)) {
      const at = x(10 ** power).toFixed(1);
      parts.push(`<line class="grid" x1="${at}" x2="${at}" y1="${TOP}" y2="${BOTTOM}"/>`
        + `<text x="${at}" y="${BOTTOM + 20}" text-anchor="middle">${tick(power)}</text>`);
    }
    for (const power of decades(low, high)) {
      const at = y(10 ** power).toFixed(1);
      parts.push(`<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${at}" y2="${at}"/>`
        + `<text x="${LEFT - 8}" y="${Number(at) + 5}" text-anchor="end">${tick(power)}</text>`);
    }
    const here = x(setting.n).toFixed(1), [floor, ceiling] = bounds(problem, definition, setting);
    parts.push(`<polyline class="floor" points="${path(points, 1)}"/>`,
      `<polyline class="ceiling" points="${path(points, 2)}"/>`,
      `<line class="here" x1="${here}" x2="${here}" y1="${TOP}" y2="${BOTTOM}"/>`,
      `<circle class="floor" cx="${here}" cy="${y(floor).toFixed(1)}" r="5"/>`,
      `<circle class="ceiling" cx="${here}" cy="${y(ceiling).toFixed(1)}" r="5"/>`);
    const inside = Math.log10(target) >= low && Math.log10(target) <= high;
    if (inside) {
      const at = y(target).toFixed(1);
      parts.push(`<line class="target" x1="${LEFT}" x2="${RIGHT}" y1="${at}" y2="${at}"/>`);
      if (needed !== null && Math.log10(needed) >= from && Math.log10(needed) <= to) {
        parts.push(`<circle class="target" cx="${x(needed).toFixed(1)}" cy="${at}" r="5"/>`);
      }
    }
    parts.push(`<text x="${(LEFT + RIGHT) / 2}" y="${H - 8}" text-anchor="middle">people, n</text>`);
    get("picture").innerHTML = `<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="Floor and ceiling of the risk against n, `
      + `both on logarithmic axes. At ${people(setting.n)} people the floor is ${digits(floor)} and the ceiling ${digits(ceiling)}.">`
      + parts.join("") + "</svg>";
    get("legend").hidden = false;
  }

  /** Take the settings out of the address, as far as they are ones. */
  function load() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const id of ["problem", "definition"]) {
      if ([...get(id).options].some(option => option.value === given.get(id))) get(id).value = given.get(id);
    }
    for (const id of [...names, "target"]) if (given.has(id)) get(id).value = given.get(id);
  }

  /** Put the settings that count into the address, so that a link leads back to them. */
  function store(problem, definition, uses) {
    const kept = new URLSearchParams({ problem, definition });
    for (const id of [...uses, "target"]) kept.set(id, get(id).value.trim());
    history.replaceState(null, "", "#" + kept);
  }

  function show() {
    const problem = get("problem").value;
    for (const option of get("definition").options) {
      option.disabled = !(problem + "|" + option.value in cells);
    }
    if (get("definition").selectedOptions[0].disabled) get("definition").value = "pure";
    const definition = get("definition").value, cell = cells[problem + "|" + definition];
    const uses = names.filter(name => name === "n" || cell.uses.includes(name));
    get("loss").textContent = `The risk is the mean of ${losses[problem]}; the target is one for the same mean.`;
    for (const name of names) {
      get(name).disabled = !uses.includes(name);
      get(name).setAttribute("aria-invalid", "false");
    }
    try {
      // A formula passes over what it does not use, whatever stands in the field.
      const setting = {};
      for (const name of uses) {
        const label = document.querySelector(`label[for=calc-${name}]`).textContent;
        setting[name] = read(name, label, fields[name]);
      }
      const target = read("target", "the target", { least: 0, largest: Infinity });
      const [floor, ceiling] = bounds(problem, definition, setting);
      if (!(Number.isFinite(floor) && Number.isFinite(ceiling))) {
        throw new RangeError("At these settings the formula leaves the range of floating-point numbers.");
      }
      const needed = peopleNeeded(problem, definition, target, setting);
      get("floor").textContent = digits(floor);
      get("ceiling").textContent = digits(ceiling);
      get("ratio").textContent = (ceiling / floor).toPrecision(4);
      get("people").textContent = people(needed);
      const budget = definition === "none" ? undefined : budgetNeeded(problem, definition, target, setting);
      get("budget").textContent = budget === undefined ? "-" : budget === null ? "more than 30" : digits(budget);
      get("free").textContent = problem + "|none" in cells
        ? people(peopleNeeded(problem, "none", target, setting)) : "-";
      get("python").textContent = python(problem, definition, target, setting, cell.uses);
      get("error").textContent = "";
      draw(problem, definition, target, setting, needed);
      store(problem, definition, uses);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      for (const id of ["floor", "ceiling", "ratio", "people", "budget", "free", "python"]) get(id).textContent = "";
      get("picture").textContent = "";
      get("legend").hidden = true;
      get("error").textContent = error.message;
    }
  }

  Object.assign(window.minimaxdp, { bounds, budgetNeeded, peopleNeeded });
  get("form").addEventListener("input", show);
  window.addEventListener("hashchange", () => { load(); show(); });
  load();
  show();
})();
