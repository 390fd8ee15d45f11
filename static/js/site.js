"use strict";

// Small comforts on top of pages that work without any script.

// "What is this number?": the answer opens in a drawer instead of a page of its own.
let opener = null;
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.val, a.why-link, #why a[href^='/why/']");
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || !window.htmx || !HTMLElement.prototype.showPopover) { return; }
  event.preventDefault();
  event.stopPropagation();
  const drawer = document.getElementById("why");
  if (!drawer.contains(link)) { opener = link; }
  window.htmx.ajax("GET", link.getAttribute("href"), { target: drawer, swap: "innerHTML" });
}, true);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "why") { return; }
  if (!event.target.matches(":popover-open")) { event.target.showPopover(); }
  event.target.scrollTop = 0;
  event.target.querySelector("button").focus();
});
document.addEventListener("toggle", (event) => {
  // A closed drawer gives the focus back to the number that opened it.
  if (event.target.id === "why" && event.newState === "closed" && opener) { opener.focus(); }
}, true);

// After a swap, focus stays on the same control (htmx finds it by its id); where that has gone,
// as a removed filter's link has, it goes to the table.
document.addEventListener("htmx:afterSettle", (event) => {
  const isLost = document.activeElement === document.body || document.activeElement === null;
  if (event.detail.target.id === "standings" && isLost) {
    const board = document.getElementById("board");
    if (board) { board.focus({ preventScroll: true }); }
  }
});

// Where the table scrolls inside, the column it is sorted by is moved beside the names.
const showSorted = () => {
  const board = document.getElementById("board");
  const head = board && board.querySelector("th.num[aria-sort]");
  if (!head || board.scrollWidth <= board.clientWidth) { return; }
  const names = board.querySelector("thead .who").getBoundingClientRect().right;
  const { left, right } = head.getBoundingClientRect();
  if (left < names - 1 || right > board.getBoundingClientRect().right + 1) { board.scrollLeft += left - names; }
};
// Where the tabs do not fit, the one that is open is moved into sight.
const showOpenTab = () => {
  const tab = document.querySelector(".tabs [aria-current]");
  if (!tab || tab.parentElement.scrollWidth <= tab.parentElement.clientWidth) { return; }
  const row = tab.parentElement.getBoundingClientRect();
  const { left, width } = tab.getBoundingClientRect();
  if (left < row.left || left + width > row.right) { tab.parentElement.scrollLeft += left - row.left - (row.width - width) / 2; }
};
const showWhatCounts = () => { showSorted(); showOpenTab(); };
showWhatCounts();

// What a swap has left is told to those who do not see it: a status must be there before it speaks.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target.id !== "standings") { return; }
  showWhatCounts();
  const shown = document.querySelector("#standings .shown > span");
  if (shown) { document.getElementById("told").textContent = shown.textContent; }
});

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
