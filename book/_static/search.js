/* Rank the places of the book against the words of a query, and show them.

A place has a kind k, a title t, an address u, the title of its page p, other names a, and words x.
Every word of the query must begin a word of the place. A query that is the title or another name of
a place puts it first; then come words of the title, then words of the text. The page of results has
all places at once; elsewhere they are asked for when somebody types into the field of Ctrl+K. */
(function () {
  "use strict";
  const KINDS = {
    page: "chapter", section: "section", statement: "statement", term: "glossary",
    erratum: "erratum", exercise: "exercise", api: "package",
  };
  // What a reader most likely means comes first where words alone do not decide.
  const WEIGHT = {
    term: 1.5, statement: 1.4, page: 1.3, section: 1.2, exercise: 0.7, erratum: 0.6, api: 0.25,
  };
  const LETTERS = {
    alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", varepsilon: "ε", eta: "η",
    theta: "θ", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", rho: "ρ", sigma: "σ", tau: "τ",
    phi: "φ", varphi: "φ", chi: "χ", psi: "ψ", omega: "ω",
  };
  const SHOWN = 40, SHOWN_AT_ONCE = 8, AROUND = 110;

  /* Letters without case or accents, and names of Greek letters as letters; a plural without its s. */
  function words(text) {
    const bare = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    return (bare.match(/[\p{L}\p{N}]+(?:[.][\p{L}\p{N}]+)*/gu) ?? []).map(
      word => LETTERS[word] ?? (word.length > 3 ? word.replace(/s$/, "") : word));
  }

  function prepared(place) {
    const title = words(place.t);
    const names = [title, ...(place.a ?? []).map(words)];
    return {
      place, title, names: new Set(names.map(name => name.join(" "))),
      heads: new Set(names.flat()), text: words(place.x ?? ""),
    };
  }

  /* How well one word is met: in the title or a name, or in the text; as a whole, or as its beginning. */
  function met(word, entry) {
    if (entry.heads.has(word)) return 10;
    const begins = word.length > 1 || /\p{N}/u.test(word) ? other => other.startsWith(word) : () => false;
    if ([...entry.heads].some(begins)) return 6;
    const times = entry.text.filter(other => other === word).length;
    if (times) return 2 + Math.min(times, 8) / 8;
    return entry.text.some(begins) ? 1 : 0;
  }

  function score(query, entry) {
    const each = query.map(word => met(word, entry));
    if (each.includes(0)) return 0;
    const phrase = query.join(" ");
    let sum = each.reduce((a, b) => a + b) / query.length;
    if (entry.names.has(phrase)) sum += 100;
    else if (` ${entry.title.join(" ")} `.includes(` ${phrase} `)) {
      sum += 10 + (10 * query.length) / entry.title.length;
    } else if (query.length > 1 && ` ${entry.text.join(" ")} `.includes(` ${phrase} `)) sum += 2;
    return sum * WEIGHT[entry.place.k];
  }

  let entries = null;
  function find(text) {
    entries ??= window.minimaxdpPlaces.map(prepared);
    const query = words(text);
    if (!query.length) return [];
    return entries
      .map((entry, order) => ({ place: entry.place, order, score: score(query, entry) }))
      .filter(hit => hit.score > 0)
      .sort((a, b) => b.score - a.score || a.order - b.order);
  }

  /* The words around the first hit, with the hits marked. */
  function excerpt(text, query) {
    const pieces = text.split(/(\s+)/);
    const hit = piece => words(piece).some(word => query.some(q =>
      word === q || (q.length > 1 && word.startsWith(q))));
    const first = Math.max(pieces.findIndex(hit), 0);
    let from = first, length = 0;
    while (from > 0 && length < AROUND) length += pieces[--from].length;
    const out = document.createElement("p");
    out.className = "context";
    if (from > 0) out.append("… ");
    for (length = 0; from < pieces.length && length < 2.2 * AROUND; from++) {
      length += pieces[from].length;
      const mark = query.length && hit(pieces[from]) ? document.createElement("mark") : null;
      if (mark) mark.textContent = pieces[from];
      out.append(mark ?? pieces[from]);
    }
    if (from < pieces.length) out.append(" …");
    return out;
  }

  function item(place, query) {
    const root = document.documentElement.dataset.content_root ?? "";
    const out = document.createElement("li");
    const link = out.appendChild(document.createElement("a"));
    link.href = root + place.u;
    link.textContent = place.t;
    const where = out.appendChild(document.createElement("span"));
    where.className = "where";
    where.textContent = [KINDS[place.k], place.k === "term" ? "" : place.p].filter(Boolean).join(", ");
    if (place.x) out.append(excerpt(place.x, query));
    return out;
  }

  function show(text, box, most = SHOWN) {
    const found = find(text);
    const status = document.createElement("p");
    status.className = "search-summary";
    status.setAttribute("role", "status");
    const list = document.createElement("ol");
    list.className = "search";
    const places = n => (n === 1 ? "One place" : `${n} places`);
    status.textContent = !found.length
      ? "No place has all these words. Fewer words, or their beginnings, find more."
      : `${places(found.length)} found` + (found.length > most ? `; the first ${most}:` : ".");
    list.append(...found.slice(0, most).map(hit => item(hit.place, words(text))));
    box.replaceChildren(status, list);
  }

  let arriving = null;
  function places() {
    arriving ??= window.minimaxdpPlaces ? Promise.resolve() : new Promise((resolve, reject) => {
      const script = document.createElement("script");
      const root = document.documentElement.dataset.content_root ?? "";
      script.src = `${root}_static/search_places.js`;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });
    return arriving;
  }

  /* The field that Ctrl+K opens: the first places below it while one types; arrows lead to them and back. */
  function live(dialog) {
    const field = dialog.querySelector("input[name=q]");
    const box = document.createElement("div");
    box.className = "search-live";
    dialog.append(box);
    field.addEventListener("focus", () => places(), { once: true });
    field.addEventListener("input", async () => {
      const asked = field.value;
      await places();
      if (asked !== field.value) return; // typed on meanwhile
      if (asked.trim()) show(asked, box, SHOWN_AT_ONCE);
      else box.replaceChildren();
    });
    dialog.addEventListener("keydown", event => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const stops = [field, ...box.querySelectorAll("li > a")];
      const next = stops[stops.indexOf(document.activeElement) + step];
      if (!next) return;
      event.preventDefault();
      next.focus();
    });
    box.addEventListener("click", event => event.target.closest("a") && dialog.close());
  }

  window.minimaxdpSearch = find;
  document.addEventListener("DOMContentLoaded", () => {
    const box = document.getElementById("search-results");
    const field = document.querySelector(".bd-search-container input[name=q]");
    const dialog = document.getElementById("pst-search-dialog");
    if (dialog && !box) live(dialog);
    if (!box || !field) return;
    const asked = new URLSearchParams(location.search).get("q") ?? "";
    field.value = asked;
    if (asked.trim()) show(asked, box);
    // As one types, the results follow.
    field.addEventListener("input", () =>
      field.value.trim() ? show(field.value, box) : box.replaceChildren());
  });
})();
