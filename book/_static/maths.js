// A formula on its own lines that is wider than its column scrolls. Such a one, and no other, can be
// reached by keyboard, says to screen readers that it scrolls, and shows by `data-more` where more follows.
"use strict";

function mark(formula) {
  const hidden = formula.scrollWidth - formula.clientWidth;
  if (hidden <= 1) {
    for (const name of ["tabindex", "role", "aria-label", "data-more"]) {
      formula.removeAttribute(name);
    }
    return;
  }
  formula.tabIndex = 0;
  formula.setAttribute("role", "group");
  formula.setAttribute("aria-label", "Formula that scrolls sideways");
  const left = formula.scrollLeft > 1;
  const right = formula.scrollLeft < hidden - 1;
  formula.dataset.more = left && right ? "both" : left ? "left" : "right";
}

const resized = new ResizeObserver((changes) => changes.forEach((change) => mark(change.target)));
function watch(part) {
  for (const formula of part.querySelectorAll('mjx-container[display="true"]')) {
    resized.observe(formula);
    formula.addEventListener("scroll", () => mark(formula), { passive: true });
  }
}

// What of a page is off screen when it arrives is laid out afterwards, a few pieces at a time while nothing
// else is to be done: so a page of a thousand formulas answers at once. It cannot be left at that, for
// what is not laid out is not read out either. No script may ask before for the size of what is off
// screen, which lays it out.
const pieces = [
  ...document.querySelectorAll(".bd-article section > *:not(section, h1, h2, h3, h4)"),
];
const whenIdle = window.requestIdleCallback ?? setTimeout;

// The MathML of a formula is text until then, and so are whole formulas further down (maths.py); for who
// runs no scripts they are there from the start.
function write(part) {
  for (const text of part.querySelectorAll(".math noscript")) {
    const formula = text.parentElement;
    text.outerHTML = text.textContent;
    watch(formula);
  }
}

watch(document);
const article = document.querySelector(".bd-article");
// What comes near the screen before its turn, and a page that is not to arrive: at once.
article?.addEventListener("contentvisibilityautostatechange", (change) => {
  if (!change.skipped) write(change.target);
});
if (!document.documentElement.matches(".arriving") || location.hash) write(document);
addEventListener("beforeprint", () => write(document));

function layOut() {
  const next = pieces.splice(0, 8); // one by one, a page takes three times as long
  if (next.length === 0) return settled();
  for (const piece of next) {
    write(piece);
    piece.style.contentVisibility = "visible";
  }
  whenIdle(layOut);
}

// A font that arrives late changes what fits, and not the box.
async function settled() {
  write(document); // headings, and the contents of the page
  await document.fonts.ready;
  document.querySelectorAll('mjx-container[display="true"]').forEach(mark);
  dispatchEvent(new Event("resize")); // who measured too early does so again: tables.js, the theme
  document.documentElement.dataset.settled = "";
}

addEventListener("load", () => setTimeout(layOut, 500)); // what a reader does first comes first
