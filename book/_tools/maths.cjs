// Typesets formulas for maths.py: each line in is a formula, each line out its HTML, or what is wrong
// with it; an empty line asks for the style sheet of all that was set. The argument holds TeX macros.
const { createInterface } = require("readline");

globalThis.MathJax = { __dirname: `${__dirname}/mathjax` };
const { MathJax } = require("./mathjax/node-main.js");

function fail(_, error) {
  throw error;
}

function ready() {
  delete MathJax.config.options.menuOptions; // of a menu that is not loaded
  MathJax.startup.defaultReady();
}

async function answer(line) {
  const { adaptor } = MathJax.startup;
  if (!line) return { css: adaptor.textContent(MathJax.chtmlStylesheet()) };
  const { tex, display } = JSON.parse(line);
  try {
    return { html: adaptor.outerHTML(await MathJax.tex2chtmlPromise(tex, { display })) };
  } catch (error) {
    return { error: error.message };
  }
}

async function main() {
  await MathJax.init({
    loader: {
      load: ["input/tex", "output/chtml", "a11y/assistive-mml"],
      paths: { "mathjax-newcm": `${__dirname}/mathjax/mathjax-newcm-font` },
    },
    // What MathJax cannot read breaks the build; it is not set in red.
    tex: {
      packages: { "[-]": ["noerrors", "noundefined"] },
      macros: JSON.parse(process.argv[2]),
      formatError: fail,
    },
    chtml: { fontURL: ".", linebreaks: { inline: true } },
    options: { enableAssistiveMml: true, compileError: fail, typesetError: fail },
    startup: { ready },
  });
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await answer(line)));
  }
}

main();
