"use strict";

// Small comforts on top of pages that work without any script.

// "What is this number?": htmx fills the drawer, this opens it.
document.addEventListener("htmx:afterSwap", (event) => {
  const drawer = document.getElementById("why");
  if (event.detail.target === drawer && !drawer.matches(":popover-open")) {
    drawer.showPopover();
  }
});

// A closed drawer gives the focus back to the number that opened it.
let opener = null;
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.target && event.detail.target.id === "why") {
    opener = event.detail.elt;
  }
});
document.addEventListener("toggle", (event) => {
  if (event.target.id === "why" && event.newState === "closed" && opener) {
    opener.focus();
  }
}, true);

// One open menu at a time; Escape closes it.
document.addEventListener("click", (event) => {
  document.querySelectorAll("details.menu[open]").forEach((menu) => {
    if (!menu.contains(event.target)) { menu.open = false; }
  });
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") { return; }
  document.querySelectorAll("details.menu[open]").forEach((menu) => {
    menu.open = false;
    menu.querySelector("summary").focus();
  });
});
