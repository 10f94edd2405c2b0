// Light or dark as the system has it, until the button says otherwise.
(() => {
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const say = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    say();
  });
  system.addEventListener("change", say);
  button.hidden = false;
  say();
})();
