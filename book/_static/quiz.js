/* A quiz tells its verdict when one asks for it, so that the arrow keys may pass over the answers.

Without this script choosing an answer shows its verdict by style alone. */
for (const question of document.querySelectorAll("fieldset.quiz-question")) {
  question.classList.add("asks");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiz-check";
  button.textContent = "Check the answer";
  // It stands in the page from the start, so that a change in it is read out.
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  said.className = "visually-hidden";
  const verdicts = [...question.querySelectorAll(".quiz-why")];
  const hide = () => {
    for (const verdict of verdicts) verdict.classList.remove("told");
    said.textContent = "";
  };
  const tell = () => {
    hide();
    const chosen = question.querySelector("input:checked");
    const verdict = chosen?.nextElementSibling.nextElementSibling;
    verdict?.classList.add("told");
    said.textContent = verdict ? verdict.textContent : "Choose an answer first.";
  };
  question.addEventListener("change", hide);
  question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("input")) tell();
  });
  button.addEventListener("click", tell);
  question.append(button, said);
}
