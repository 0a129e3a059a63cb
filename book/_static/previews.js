/* Show what a link leads to beside it: when it is pointed at, or reached by the keyboard.

Escape, leaving the link, and leaving the preview close it; the pointer may move onto it. The
previews of a page stand in one script, which is asked for at its first link. */
(function () {
  "use strict";
  const article = document.querySelector("article.bd-article");
  if (!article) return;
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const OPEN = 250, CLOSE = 200; // milliseconds that the pointer rests, or is away
  const tip = document.createElement("div");
  tip.id = "preview";
  tip.className = "preview bd-content";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);

  const pages = new Map();
  const arrived = {};
  window.minimaxdpPreview = (page, previews) => { arrived[page] = previews; };

  /* The previews of a page, once its script has arrived; an empty list if it has none. */
  function previews(page) {
    if (!pages.has(page)) {
      pages.set(page, new Promise(resolve => {
        const script = document.createElement("script");
        const name = page.replace(/\.html$/, ".js").replaceAll("/", "_");
        script.src = new URL(`_static/previews/${name}`, root);
        script.onload = () => resolve(arrived[page] ?? {});
        script.onerror = () => resolve({});
        document.head.append(script);
      }));
    }
    return pages.get(page);
  }

  /* The page and the anchor that a link of the article leads to, if it may have a preview. */
  function place(link) {
    if (typeof link.href !== "string" || link.matches(".headerlink, [download]")) return null;
    if (!link.href.startsWith(root.href)) return null;
    const [page, anchor = ""] = link.href.slice(root.href.length).split("#");
    const own = anchor === "" && page === location.href.slice(root.href.length).split("#")[0];
    if (own || !/^book\/(?!api[/.]).*\.html$/.test(page)) return null;
    return { page, anchor: decodeURIComponent(anchor) };
  }

  function put(link) {
    const at = link.getClientRects()[0] ?? link.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const below = clientHeight - at.bottom, height = tip.offsetHeight;
    const top = below > height + 12 || below > at.top ? at.bottom + 6 : at.top - height - 6;
    const left = Math.min(at.left, clientWidth - tip.offsetWidth - 12);
    tip.style.top = `${top + window.scrollY}px`;
    tip.style.left = `${Math.max(left, 12) + window.scrollX}px`;
    tip.classList.toggle("cut", tip.scrollHeight > tip.clientHeight + 1);
  }

  /* Formulas need their style, which a page without any does not load. */
  function style(html) {
    if (!html.includes("<mjx-container") || document.querySelector("link[href*='maths/typeset.css']")) return;
    const sheet = document.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = new URL("_static/maths/typeset.css", root);
    document.head.append(sheet);
    return new Promise(resolve => { sheet.onload = sheet.onerror = resolve; });
  }

  let shown = null, timer = 0;
  function close() {
    clearTimeout(timer);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    tip.hidden = true;
  }

  async function open(link) {
    const where = place(link);
    if (!where || shown === link) return;
    close();
    shown = link;
    const html = (await previews(where.page))[where.anchor];
    await style(html ?? "");
    if (shown !== link) return; // gone on meanwhile
    if (!html) { shown = null; return; }
    const inert = new DOMParser().parseFromString(html, "text/html");
    for (const picture of inert.querySelectorAll("img")) {
      picture.src = new URL(picture.getAttribute("src"), new URL(where.page, root));
      picture.loading = "eager";
      picture.addEventListener("load", () => shown === link && put(link));
    }
    tip.replaceChildren(...inert.body.childNodes);
    tip.hidden = false;
    link.setAttribute("aria-describedby", tip.id);
    put(link);
  }

  function later(what, delay) {
    clearTimeout(timer);
    timer = setTimeout(what, delay);
  }
  const link = event => event.target.closest?.("a[href]");
  article.addEventListener("mouseover", event => {
    if (link(event)) later(() => open(link(event)), OPEN);
  });
  article.addEventListener("mouseout", event => {
    if (link(event)) later(close, CLOSE);
  });
  tip.addEventListener("mouseenter", () => clearTimeout(timer));
  tip.addEventListener("mouseleave", () => later(close, CLOSE));
  article.addEventListener("focusin", event => {
    if (link(event)?.matches(":focus-visible")) open(link(event));
  });
  article.addEventListener("focusout", close);
  document.addEventListener("keydown", event => event.key === "Escape" && close());
})();
