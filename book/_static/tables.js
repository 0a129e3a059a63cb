/* Sort the long tables of a page, and filter them and the entries of the errata by words.

A heading sorts its column up, then down, then as the book has it. On a phone a row of the ledger
becomes a small list, each value below the name of its column. */
(function () {
  "use strict";
  const LONG = 12, MANY = 20; // rows that are worth sorting; that are worth a filter
  const article = document.querySelector("article.bd-article");
  if (!article) return;
  const content = ":is(table.ledger, table.dataframe, table.table):not(.calculator, .indextable)";
  const all = [...article.querySelectorAll(content)].filter(table => table.tBodies.length);
  const entries = [...article.querySelectorAll("section:has(> p.erratum)")];

  /* Which boxes scroll can be told only once they are drawn. */
  function measure() {
    for (const box of article.querySelectorAll(".pst-scrollable-table-container")) {
      box.classList.remove("whole", "tall");
      const wide = box.scrollWidth > box.clientWidth + 1;
      const high = box.scrollHeight > box.clientHeight + 1;
      box.classList.toggle("whole", !wide && !high);
      // A long one that scrolls sideways scrolls by itself upwards too, so that its heads stay in view.
      box.classList.toggle("tall", wide && !high && box.querySelectorAll("tbody tr").length >= MANY);
    }
  }

  function heads(table) {
    return [...(table.tHead?.rows[0]?.cells ?? [])];
  }

  function label(table) {
    const names = heads(table).map(cell => cell.textContent.trim());
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, i) => { if (names[i]) cell.dataset.label = names[i]; });
    }
  }

  function key(row, column) {
    const text = row.cells[column]?.textContent.trim() ?? "";
    const number = Number(text.replace(/[,%\s]/g, "").replace("−", "-"));
    return { text, number: text && !isNaN(number) ? number : null };
  }

  function before(a, b) {
    if (a.number !== null && b.number !== null) return a.number - b.number;
    if (!a.text || !b.text) return (a.text ? 0 : 1) - (b.text ? 0 : 1);
    return a.text.localeCompare(b.text, "en", { numeric: true });
  }

  function sortable(table) {
    const rows = [...table.tBodies[0].rows];
    const cells = heads(table);
    // A cell over several rows, or a second row of headings, cannot be sorted.
    if (rows.some(row => row.cells.length !== cells.length) || table.tHead?.rows.length !== 1) return;
    cells.forEach((cell, column) => {
      if (!cell.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const now = { none: "ascending", ascending: "descending", descending: "none" };
        const order = now[cell.getAttribute("aria-sort") ?? "none"];
        for (const other of cells) other.removeAttribute("aria-sort");
        const sign = order === "descending" ? -1 : 1;
        const sorted = order === "none" ? rows
          : [...rows].sort((a, b) => sign * before(key(a, column), key(b, column)));
        if (order !== "none") cell.setAttribute("aria-sort", order);
        table.tBodies[0].append(...sorted);
      });
    });
  }

  /* What can be hidden: rows and entries, each with its words, and what a choice asks of it. */
  function item(element, heading) {
    const id = element.textContent.match(/E(\d{3})-\d+/);
    const grade = element.querySelector(":scope > p.erratum strong")?.textContent[0] ?? "T";
    return { element, heading, document: id?.[1] ?? "", severity: grade };
  }

  function choice(name, values) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.add(new Option("all", ""));
    for (const [value, text] of values) select.add(new Option(text, value));
    label.append(`${name} `, select);
    return { label, select };
  }

  function filter(tables) {
    const headingOf = table => table.closest("section")?.querySelector("h2, h3")?.textContent ?? "";
    const rows = tables.flatMap(table =>
      [...table.tBodies[0].rows].map(row => item(row, headingOf(table))));
    const items = [...entries.map(entry => item(entry, "")), ...rows];
    if (items.length < MANY) return;

    const bar = document.createElement("form");
    bar.className = "table-filter";
    bar.setAttribute("role", "search");
    bar.setAttribute("aria-label", "This page");
    bar.addEventListener("submit", event => event.preventDefault());
    const words = document.createElement("input");
    words.type = "search";
    const label = document.createElement("label");
    label.append("Filter ", words);
    const status = document.createElement("output");
    bar.append(label);
    const choices = {};
    if (entries.length) {
      // What the table of counts says: the letters in its head, the documents in its rows.
      const counts = article.querySelector("table.errata-summary");
      const letters = heads(counts).slice(1, -1).map(cell => cell.textContent.trim());
      const documents = [...counts.tBodies[0].rows].slice(0, -1)
        .map(row => row.cells[0].textContent.trim());
      choices.severity = choice("Severity", letters.map(letter => [letter, letter]));
      choices.document = choice("Document", documents.map(name => [name.match(/\d{3}/)[0], name]));
      bar.append(choices.severity.label, choices.document.label);
    }
    bar.append(status);

    const what = entries.length ? "entries" : "rows";
    const sections = new Set(items.map(({ element }) => element.parentElement.closest("section")));
    function apply() {
      const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const set = Object.entries(choices).filter(([, { select }]) => select.value);
      let left = 0;
      for (const one of items) {
        // Not before they are asked for: while a page arrives, its formulas hold markup as text.
        one.words ??= `${one.heading} ${one.element.textContent}`.toLowerCase();
        const hit = asked.every(word => one.words.includes(word)) &&
          set.every(([name, { select }]) => one[name] === select.value);
        one.element.hidden = !hit;
        left += hit;
      }
      const asking = asked.length > 0 || set.length > 0;
      for (const section of sections) {
        const own = items.filter(({ element }) => section.contains(element));
        section.classList.toggle("nothing-left", asking && own.every(({ element }) => element.hidden));
      }
      status.textContent = asking ? `${left} of ${items.length} ${what}` : "";
      measure();
    }
    for (const event of ["input", "change"]) bar.addEventListener(event, apply);

    const first = items[0].element;
    const section = first.parentElement.closest("section");
    const titled = section.querySelector(":scope > h1");  // it stands below the title of its page
    if (!titled && (items.length > rows.length || tables.length > 1)) {
      section.before(bar);
    } else {
      (tables[0].closest(".pst-scrollable-table-container") ?? tables[0]).before(bar);
    }
  }

  const long = all.filter(table => table.tBodies[0].rows.length >= LONG);
  long.forEach(sortable);
  for (const table of article.querySelectorAll("table.ledger:not(.errata-summary)")) {
    label(table);
    table.classList.add("stacks");
  }
  const slips = all.filter(table => table.matches(".errata-slips"));
  const ledger = all.filter(table => table.matches(".ledger:not(.errata-summary, .errata-slips)"));
  // Several short tables of a chapter are no list that one searches.
  const lists = long.filter(table => table.tBodies[0].rows.length >= MANY);
  filter(entries.length ? slips : ledger.length ? ledger : lists);
  // A page that arrives says by a resize when it is laid out (maths.js); before, to ask would take long.
  if (!document.documentElement.matches(".arriving")) measure();
  addEventListener("resize", measure);
})();
