// Buttons that lead to sending are off while sending is stopped. The server
// refuses in any case; this keeps a page from looking as if it would not.
function follow() {
  const bar = document.getElementById("trading-bar");
  if (!bar) return;
  const stopped = bar.dataset.sending === "stopped";
  for (const button of document.querySelectorAll("[data-sends]")) {
    // A ticket whose figures are on their way is reviewed once they are there.
    const pending = button.matches("[data-review]") && button.form?.hasAttribute("data-pending");
    const off = stopped || Boolean(pending);
    if (button.disabled !== off) button.disabled = off;
  }
}

export function watchSending() {
  document.addEventListener("DOMContentLoaded", follow);
  document.addEventListener("htmx:afterSettle", follow);
  document.addEventListener("ticket:pending", follow);
  document.addEventListener("live:drawn", follow);
  document.addEventListener("htmx:historyRestore", follow);
  follow();
}
