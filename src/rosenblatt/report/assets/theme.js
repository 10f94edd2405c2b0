// @ts-check
// Light or dark, printing and copying: the buttons at the top of a report.

/** Light or dark as the system has it, until the button says otherwise. */
export function theme() {
  const button = /** @type {HTMLButtonElement} */ (document.getElementById("theme"));
  const system = matchMedia("(prefers-color-scheme: dark)"), { dataset } = document.documentElement;
  const dark = () => (dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const say = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    dataset.theme = dark() ? "light" : "dark";
    say();
  });
  system.addEventListener("change", say);
  button.hidden = false;
  say();
}

/** Printing, where nothing can be unfolded; commands are copied. */
export function paper() {
  const button = /** @type {HTMLButtonElement} */ (document.getElementById("print"));
  button.hidden = false;
  button.addEventListener("click", () => print());
  /** @type {HTMLDetailsElement[]} */
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details")].filter((part) => !part.open);
    folded.forEach((part) => { part.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((part) => { part.open = false; }));
  document.querySelectorAll(".command").forEach((place) => {
    const copy = document.createElement("button");
    copy.type = "button";
    copy.textContent = "Copy";
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(place.querySelector("code")?.textContent ?? "");
      copy.textContent = "Copied";
    });
    place.append(copy);
  });
}
