// Folds: one switch for all of a kind, open where a link leads inside, proofs open in print.
(() => {
  const folds = (kind) => document.querySelectorAll(`details.fold-${kind}`);

  for (const button of document.querySelectorAll("[data-fold]")) {
    const show = button.textContent;
    const tell = () => {
      const all = [...folds(button.dataset.fold)].every((fold) => fold.open);
      button.textContent = all ? button.dataset.hide : show;
      return all;
    };
    button.addEventListener("click", () => {
      const open = !tell();
      for (const fold of folds(button.dataset.fold)) fold.open = open;
      tell();
    });
    for (const fold of folds(button.dataset.fold)) fold.addEventListener("toggle", tell);
    tell();
  }

  const reveal = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    if (!target) return;
    let closed = false;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      closed ||= !fold.open;
      fold.open = true;
    }
    if (closed) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...folds("proof")].filter((fold) => !fold.open);
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
})();
