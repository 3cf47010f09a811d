// A prediction becomes a choice: radio buttons in place of the list, and the answer opens when one is
// chosen. An arrow key moves between the options and chooses none, since to choose is to be told.
// The space bar or Enter chooses, and so does a click or a finger.

function optionOf(item, name, group) {
  const input = Object.assign(document.createElement("input"), {
    type: "radio",
    name: group,
    id: name,
  });
  const label = document.createElement("label");
  const text = document.createElement("span");
  text.append(...(item.querySelector(":scope > p") ?? item).childNodes);
  label.append(input, text);
  return label;
}

function makeFieldset(box, list) {
  const set = document.createElement("fieldset");
  set.className = "prediction-options";
  const legend = document.createElement("legend");
  legend.textContent = "Your prediction";
  const question = box.querySelector(".prediction-question");
  question.id = `${box.id}-question`;
  set.setAttribute("aria-describedby", question.id);
  set.append(legend);
  [...list.children].forEach((item, i) => {
    set.append(optionOf(item, `${box.id}-${i + 1}`, box.id));
  });
  list.replaceWith(set);
  return [...set.querySelectorAll("input")];
}

function onKey(event, inputs) {
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  const from = inputs.indexOf(event.target);
  if (event.key in steps) {
    inputs.at((from + steps[event.key]) % inputs.length).focus();
  } else if (event.key === "Enter") {
    event.target.click();
  } else {
    return;
  }
  event.preventDefault();
}

// What is said of the chosen option, and of the right one if it is another.
function say(verdict, feedback, chosen) {
  const items = [...feedback.children];
  const right = items.find((item) => item.classList.contains("prediction-right"));
  const said = [...new Set([items[chosen], right])].map((item) => {
    const line = document.createElement("p");
    line.className = item === right ? "prediction-right" : "prediction-wrong";
    line.append(...(item.querySelector(":scope > p") ?? item).cloneNode(true).childNodes);
    return line;
  });
  verdict.replaceChildren(...said);
}

// A button in the header: all answers are shown, here and on the pages that follow, or each waits for
// a choice. What the reader has opened or closed by hand stays so until the button is pressed.
const SHOWN = "pdpbook-answers-shown";

function showAnswers(shown) {
  document.querySelectorAll(".prediction-answer").forEach((fold) => (fold.open = shown));
}

function makeSwitch(header) {
  const button = document.createElement("button");
  button.className = "btn btn-sm prediction-switch";
  button.type = "button";
  const write = (shown) => {
    button.textContent = shown ? "Ask me first" : "Show all answers";
    button.title = shown
      ? "Close the answers to the predictions of every page until I choose"
      : "Open the answers to the predictions of every page";
  };
  const stored = localStorage.getItem(SHOWN) === "yes";
  if (stored) showAnswers(true);
  write(stored);
  button.addEventListener("click", () => {
    const shown = localStorage.getItem(SHOWN) !== "yes";
    localStorage.setItem(SHOWN, shown ? "yes" : "no");
    showAnswers(shown);
    write(shown);
  });
  header?.prepend(button);
}

function makeChoice(box) {
  const fold = document.getElementById(`${box.id}-answer`);
  const feedback = fold.querySelector(":scope > .prediction-feedback");
  const inputs = makeFieldset(box, box.querySelector(":scope > .prediction-options"));
  const verdict = document.createElement("div");
  verdict.className = "prediction-verdict";
  verdict.setAttribute("role", "status");
  box.append(verdict);
  inputs.forEach((input, i) => {
    input.addEventListener("keydown", (event) => onKey(event, inputs));
    input.addEventListener("change", () => {
      say(verdict, feedback, i);
      feedback.hidden = true; // the box says it now
      fold.open = true;
    });
  });
}

document.querySelectorAll(".prediction").forEach(makeChoice);
if (document.querySelector(".prediction")) makeSwitch(document.querySelector(".article-header-buttons"));
