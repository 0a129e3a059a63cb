// Figures that a reader can drag. All numbers stand in the page, one for each state of the controls;
// this script draws them and lets sliders and pointer choose the state. minimaxdp/book/explorables.py
// writes the tables: [on, values] is a quantity with one value for each state of the controls `on`.
(() => {
  const W = 1360, H = 1000, [L, R, T, B] = [224, 1316, 108, 828];
  const element = (tag, attributes, parent, text) => {
    const space = /^(svg|g|path|line|circle|rect|text|clipPath|defs)$/.test(tag);
    const made = space ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };
  // Black is ink: it follows the theme. The other colours are brightened in the dark by the style.
  const paint = mark => mark.color === "#000000" ? "--ink: currentColor" : `--ink: ${mark.color}`;
  const path = (xs, ys) => {
    let d = "", pen = "M";
    xs.forEach((x, i) => {
      if (x === null || ys[i] === null) { pen = "M"; return; }
      d += `${pen}${x},${ys[i]}`;
      pen = "L";
    });
    return d;
  };
  const write = (value, form) => {
    if (!form) return `${value}`;
    const [, thousands, digits, kind] = /^(,?)\.(\d)([f%])$/.exec(form);
    const [whole, rest] = (kind === "%" ? 100 * value : value).toFixed(digits).split(".");
    const grouped = thousands ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
    return grouped + (rest ? `.${rest}` : "") + (kind === "%" ? "%" : "");
  };

  function start(script) {
    const data = JSON.parse(script.textContent);
    const state = data.controls.map(c => c.start), draws = [];
    const at = ([on, values], here = state) =>
      values[on.reduce((i, c) => i * data.controls[c].texts.length + here[c], 0)];
    const root = element("div", { class: "explorable", id: data.name, role: "group", "aria-label": data.alt });
    const panels = element("div", { class: "panels" }, root);
    data.panels.forEach((panel, p) => drawPanel(panel, `${data.name}-${p}`));

    function drawPanel(panel, id) {
      const box = element("div", { class: "panel" }, panels);
      const svg = element("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": panel.label }, box);
      const clip = element("clipPath", { id: `${id}-box` }, element("defs", {}, svg));
      element("rect", { x: L, y: T - 8, width: R - L + 8, height: B - T + 16 }, clip);
      for (const [x, text] of panel.x.ticks) {
        element("line", { class: "grid", x1: x, x2: x, y1: T, y2: B }, svg);
        element("text", { x, y: B + 64, "text-anchor": "middle" }, svg, text);
      }
      for (const [y, text] of panel.y.ticks) {
        element("line", { class: "grid", x1: L, x2: R, y1: y, y2: y }, svg);
        element("text", { x: L - 20, y: y + 18, "text-anchor": "end" }, svg, text);
      }
      element("text", { x: (L + R) / 2, y: H - 28, "text-anchor": "middle" }, svg, panel.x.label);
      element("text", { x: 8, y: 56 }, svg, panel.y.label);
      element("path", { class: "axis", d: `M${L},${T}V${B}H${R}` }, svg);
      const layer = element("g", { "clip-path": `url(#${id}-box)` }, svg);
      const legend = element("ul", { class: "legend" }, box);
      panel.marks.forEach((mark, m) => {
        drawMark(mark, mark.kind === "point" ? svg : layer, `${id}-${m}`, svg);
        if (mark.label) {
          const item = element("li", {}, legend);
          const swatch = element("svg", { viewBox: "0 0 128 48", "aria-hidden": "true", style: paint(mark) }, item);
          if (mark.kind === "line") element("path", { class: "line", d: "M0,24H128", "stroke-dasharray": mark.dash }, swatch);
          else if (mark.kind === "area") element("rect", { class: "area", width: 128, height: 48 }, swatch);
          else element("circle", { class: "point", cx: 64, cy: 24, r: 18 }, swatch);
          item.append(mark.label);
        }
      });
      if (!legend.children.length) legend.remove();
      const handle = panel.marks.find(mark => "drag" in mark);
      if (handle) drag(svg, handle);
    }

    function drawMark(mark, layer, id, svg) {
      if (mark.kind === "point") {
        const dot = element("circle", { class: "drag" in mark ? "point handle" : "point", r: 22, style: paint(mark) }, layer);
        draws.push(() => { dot.setAttribute("cx", at(mark.x)); dot.setAttribute("cy", at(mark.y)); });
        return;
      }
      const shape = element("path", { class: mark.kind, "stroke-dasharray": mark.dash, style: paint(mark) }, layer);
      if (mark.kind === "line") {
        draws.push(() => shape.setAttribute("d", path(at(mark.x), at(mark.y))));
        return;
      }
      const edge = element("rect", { y: T, height: B - T }, element("clipPath", { id }, svg.querySelector("defs")));
      shape.setAttribute("clip-path", `url(#${id})`);
      draws.push(() => {
        const xs = at(mark.x), low = at(mark.low);
        shape.setAttribute("d", `${path(xs, at(mark.y))}L${xs[xs.length - 1]},${B}L${xs[0]},${B}Z`);
        edge.setAttribute("x", low);
        edge.setAttribute("width", Math.max(0, at(mark.high) - low));
      });
    }

    // The control takes the value at which the handle is nearest to the pointer.
    function drag(svg, mark) {
      svg.classList.add("draggable");
      const move = event => {
        const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        let best = Infinity, found = state[mark.drag];
        data.controls[mark.drag].texts.forEach((_, i) => {
          const here = state.with ? state.with(mark.drag, i) : Object.assign([...state], { [mark.drag]: i });
          const dx = mark.along === "y" ? 0 : at(mark.x, here) - place.x;
          const dy = mark.along === "x" ? 0 : at(mark.y, here) - place.y;
          if (dx * dx + dy * dy < best) [best, found] = [dx * dx + dy * dy, i];
        });
        if (found !== state[mark.drag]) set(mark.drag, found);
      };
      svg.addEventListener("pointerdown", event => {
        if (event.button) return;
        svg.setPointerCapture(event.pointerId);
        move(event);
        event.preventDefault();
      });
      svg.addEventListener("pointermove", event => { if (svg.hasPointerCapture(event.pointerId)) move(event); });
    }

    const bench = element("div", { class: "controls" }, root);
    const knobs = data.controls.map((control, c) => {
      const label = element("label", {}, bench);
      element("span", {}, label, `${control.label} = `);
      const shown = element("b", {}, label);
      const most = control.texts.length - 1;
      const input = element("input", { type: "range", min: 0, max: most, step: 1, name: control.name, "aria-label": control.label }, label);
      input.addEventListener("input", () => set(c, +input.value));
      return { input, shown };
    });
    const said = element("p", { role: "status" }, root);
    function set(c, value) {
      state[c] = value;
      show();
    }
    function show() {
      draws.forEach(draw => draw());
      const told = {};
      data.controls.forEach((control, c) => {
        told[control.name] = control.texts[state[c]];
        knobs[c].input.value = state[c];
        knobs[c].shown.textContent = told[control.name];
        knobs[c].input.setAttribute("aria-valuetext", told[control.name]);
      });
      for (const [name, table] of Object.entries(data.numbers)) {
        told[name] = at(table);
        root.setAttribute(`data-${name}`, told[name]);
      }
      said.textContent = data.says.replace(/\{(\w+):?([^}]*)\}/g, (_, name, form) => write(told[name], form));
    }
    show();
    // The picture stays for print; on the screen the figure takes its place.
    const picture = script.previousElementSibling;
    picture.classList.add("explorable-still");
    script.after(root);
  }
  document.querySelectorAll("script.explorable-data").forEach(start);
})();
