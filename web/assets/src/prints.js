// A printed page says when it was printed, in UTC as times on pages do.
export function watchPrints() {
  addEventListener("beforeprint", () => {
    const at = new Date().toLocaleString("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
    for (const place of document.querySelectorAll("[data-printed]")) place.textContent = `· printed ${at.replace(",", "")} UTC`;
  });
}
