// What buttons say that send now.
const words = new WeakMap();

// Buttons that lead to sending are off while sending is stopped. The server
// refuses in any case; this keeps a page from looking as if it would not.
function follow() {
  const bar = document.getElementById("trading-bar");
  if (!bar) return;
  const stopped = bar.dataset.sending === "stopped";
  for (const button of document.querySelectorAll("[data-sends]")) {
    // A ticket whose figures are on their way is reviewed once they are there.
    const pending = button.matches("[data-review]") && button.form?.hasAttribute("data-pending");
    const off = stopped || Boolean(pending) || words.has(button);
    if (button.disabled !== off) button.disabled = off;
  }
}

// A form that sends says so at once, and its button works once: an answer of the exchange can take
// seconds. The server sends an order once however often it is asked; this keeps people from wondering.
function sendingNow({ target }) {
  const button = target.querySelector?.("[data-final]");
  if (!button || words.has(button)) return;
  words.set(button, [...button.childNodes]);
  button.replaceChildren("Sending…");
  setTimeout(follow); // a button that is off before the form is read sends nothing
}

// What is still there after an answer was not sent, or not answered: the button says again what it does.
function sendingOver() {
  for (const button of document.querySelectorAll("[data-final]")) {
    if (!words.has(button)) continue;
    button.replaceChildren(...words.get(button));
    words.delete(button);
  }
  follow();
}

// A review says how long it may still be sent. The clock of the reader may be wrong, so the server
// says how long that was when the page was drawn.
function countDown() {
  for (const time of document.querySelectorAll("time[data-left]")) {
    time.dataset.words ??= time.textContent;
    time.dataset.since ??= performance.now();
    const left = Math.ceil((Number(time.dataset.left) - (performance.now() - Number(time.dataset.since))) / 1000);
    const words = left > 0 ? `(${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left)` : "(over: review it again)";
    time.textContent = `${time.dataset.words} ${words}`;
  }
}

// Stopping must never fail without a word: a form of the state of sending that got no answer in its
// place is sent as a page, which shows what became of it.
function insist({ detail: { elt, xhr } }) {
  if (!elt.matches("form[data-switch]") || xhr.responseText.includes('id="trading-bar"')) return;
  if (elt.isConnected) HTMLFormElement.prototype.submit.call(elt);
}

export function watchSending() {
  document.addEventListener("htmx:responseError", insist);
  document.addEventListener("htmx:sendError", insist);
  document.addEventListener("submit", sendingNow);
  document.addEventListener("htmx:afterRequest", ({ detail: { elt } }) => {
    if (elt.matches("form:has([data-final])")) sendingOver();
  });
  window.addEventListener("pageshow", ({ persisted }) => persisted && sendingOver());
  setInterval(countDown, 1000);
  document.addEventListener("DOMContentLoaded", follow);
  document.addEventListener("htmx:afterSettle", follow);
  document.addEventListener("ticket:pending", follow);
  document.addEventListener("live:drawn", follow);
  document.addEventListener("htmx:historyRestore", follow);
  follow();
}
