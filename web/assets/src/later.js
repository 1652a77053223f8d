// Parts of a page that a phone lays out when they are scrolled near, see .later in the style. They
// clip what is in them. Once a sheet opens in a part, the part is laid out like the rest of the page,
// so the sheet covers the whole screen. Doing that for every part at the start would cost the page of
// commissions a fifth of its layout and paint.

// layOut lays out the part of the page that an element is in: without it the element has no text
// as it is shown.
export function layOut(element) {
  for (let part = element.closest(".later"); part; part = part.parentElement.closest(".later")) part.classList.add("seen");
}

export function watchLater() {
  const before = ({ target }) => target.closest?.("summary") && layOut(target);
  document.addEventListener("click", before, true);
  document.addEventListener("toggle", ({ target }) => target.open && layOut(target), true);
  for (const open of document.querySelectorAll(".later details[open]")) layOut(open);
}
