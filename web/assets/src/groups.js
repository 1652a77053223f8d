// The reader unfolds parts of pages, and hides lines of charts. Cookies remember them, so that the server
// draws them as they were left.
const remember = (name, values) => {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${values.join(".")}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
};

const recalled = (name) => (document.cookie.match(`(?:^|; )${name}=([^;]*)`)?.[1] ?? "").split(".").filter(Boolean);

// A line of a chart is shown or hidden. The chart follows by the style or by its script.
function toggle(button) {
  const holder = button.closest("[data-hidden]");
  const line = button.dataset.average;
  const on = button.getAttribute("aria-pressed") !== "true";
  const names = holder.dataset.hidden.split(" ").filter((name) => name && name !== line);
  if (!on) names.push(line);
  button.setAttribute("aria-pressed", on);
  holder.dataset.hidden = names.join(" ");
  remember("hidden", names);
  document.dispatchEvent(new CustomEvent("chart:average", { detail: line }));
}

export function watchGroups() {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-average]");
    if (button) toggle(button);
  });
  // toggle does not bubble.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!target.isConnected) return;
      if (target.matches?.("details[data-fold]")) {
        const others = recalled("unfolded").filter((name) => name !== target.dataset.fold);
        remember("unfolded", target.open ? [...others, target.dataset.fold] : others);
      }
    },
    true,
  );
}
