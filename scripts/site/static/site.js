// What does not fit is moved sideways: by the keyboard, too.
const reachable = () => {
  for (const box of document.querySelectorAll("pre, .table-wrapper, div.output")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
addEventListener("load", reachable);
addEventListener("resize", reachable);

// What the theme leaves unsaid: of which level its captions are, what its two sidebars hold, and
// that its page of search is one.
addEventListener("DOMContentLoaded", () => {
  for (const caption of document.querySelectorAll("p.caption[role=heading]")) caption.ariaLevel = "2";
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "This page");
  const found = document.querySelector("#search-results");
  if (found) found.before(Object.assign(document.createElement("h1"), { textContent: "Search" }));
});

// From a disk a page may not read others, so that a search shows titles without an excerpt.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
