// A page is painted before its scripts run and before what is out of sight is laid out.

const whenIdle = window.requestIdleCallback ?? setTimeout;
const later = [...document.querySelectorAll("script[data-src]")];
const outOfSight = [...document.querySelectorAll("[data-lazy] .bd-article > section > section")];

// One section whenever the browser has nothing else to do.
function layOut() {
  const section = outOfSight.shift();
  if (section) {
    section.style.contentVisibility = "visible";
    whenIdle(layOut);
  } else {
    document.documentElement.dataset.ready = "";
  }
}

// All at once, and run in their order.
function loadScripts() {
  const scripts = later.map(({ dataset: { src } }) =>
    Object.assign(document.createElement("script"), { src, async: false }));
  scripts.at(-1).addEventListener("load", () => whenIdle(layOut));
  document.head.append(...scripts);
}

requestAnimationFrame(() => setTimeout(loadScripts));
