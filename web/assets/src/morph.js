// Changes an element into what it should be, with as few changes as possible: what is equal stays
// as it is, with its focus, its scroll position, and what is unfolded or marked in it. Children
// are matched by their data-key or id, others by their place.

// Attributes that scripts and readers set; the server's drawing has none of them.
const own = new Set(["open", "data-cue", "data-more", "data-below"]);

const keyOf = (node) => node.dataset?.key || node.id || undefined;

export function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName || keyOf(old) !== keyOf(fresh)) old.replaceWith(fresh);
  else if (old.nodeType !== Node.ELEMENT_NODE) old.data = fresh.data;
  else if (!old.matches("[data-chart], [data-keep]")) {
    takeAttributes(old, fresh);
    takeChildren(old, fresh);
  } // a chart is drawn by its script, and what is kept is read by another one
}

function takeAttributes(old, fresh) {
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !own.has(name)) old.removeAttribute(name);
}

function takeChildren(old, fresh) {
  const there = new Map();
  for (const child of old.childNodes) if (keyOf(child)) there.set(keyOf(child), child);
  const children = [...fresh.childNodes];
  const wanted = new Set(children.map(keyOf));
  let at = old.firstChild;
  for (const child of children) {
    const key = keyOf(child);
    while (at && keyOf(at) && !wanted.has(keyOf(at))) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
    const match = key ? there.get(key) : at && !keyOf(at) && at.nodeName === child.nodeName ? at : null;
    if (!match) {
      old.insertBefore(child, at);
      continue;
    }
    if (match === at) at = at.nextSibling;
    else old.insertBefore(match, at);
    morph(match, child);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}
