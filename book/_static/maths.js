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
for (const formula of document.querySelectorAll('mjx-container[display="true"]')) {
  resized.observe(formula);
  formula.addEventListener("scroll", () => mark(formula), { passive: true });
}
// A font that arrives late changes what fits, and not the box.
document.fonts.ready.then(() =>
  document.querySelectorAll('mjx-container[display="true"]').forEach(mark),
);
