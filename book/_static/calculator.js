/* The calculator page. The formulas are in formulas.js, printed from the package's own. */
(function () {
  "use strict";
  const { fields, guarantees, cells } = window.minimaxdp;
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

  /** The number in a field, or what is wrong with it. */
  function read(id, label, { least, closed, largest, whole }) {
    const text = get(id).value.trim(), value = Number(text);
    const fits = text !== "" && Number.isFinite(value) && value <= largest
      && (closed ? value >= least : value > least) && (!whole || Number.isInteger(value));
    get(id).setAttribute("aria-invalid", String(!fits));
    if (!fits) {
      throw new RangeError(`${label} must be a ${whole ? "whole number" : "number"} `
        + `${closed ? "of at least" : "above"} ${least}`
        + (largest === Infinity ? "" : ` and at most ${largest}`) + `, not "${text}".`);
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

  function show() {
    const problem = get("problem").value;
    for (const option of get("definition").options) {
      option.disabled = !(problem + "|" + option.value in cells);
    }
    if (get("definition").selectedOptions[0].disabled) get("definition").value = "pure";
    const definition = get("definition").value, cell = cells[problem + "|" + definition];
    const out = ["floor", "ceiling", "ratio", "people", "free"];
    try {
      const setting = {};
      for (const name of names) {
        get(name).disabled = !cell.uses.includes(name);
        const label = document.querySelector(`label[for=calc-${name}]`).textContent;
        setting[name] = read(name, label, fields[name]);
      }
      const target = read("target", "the target", { least: 0, largest: Infinity });
      const [floor, ceiling] = bounds(problem, definition, setting);
      get("floor").textContent = digits(floor);
      get("ceiling").textContent = digits(ceiling);
      get("ratio").textContent = (ceiling / floor).toPrecision(4);
      get("people").textContent = people(peopleNeeded(problem, definition, target, setting));
      get("free").textContent = problem + "|none" in cells
        ? people(peopleNeeded(problem, "none", target, setting)) : "-";
      get("python").textContent = python(problem, definition, target, setting, cell.uses);
      get("error").textContent = "";
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      out.forEach(id => { get(id).textContent = ""; });
      get("error").textContent = error.message;
    }
  }

  Object.assign(window.minimaxdp, { bounds, peopleNeeded });
  document.getElementById("calculator").addEventListener("input", show);
  show();
})();
