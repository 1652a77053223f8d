package people_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
)

// longFigures returns invitees and records with the longest names and amounts.
func longFigures(today affiliate.Day) ([]affiliate.Invitee, map[affiliate.Product][]affiliate.Commission) {
	var invitees []affiliate.Invitee
	rows := map[affiliate.Product][]affiliate.Commission{}
	for i := range int64(12) {
		uid := affiliate.UID(fmt.Sprintf("%019d", 9223372036854775807-i))
		invitees = append(invitees, affiliate.Invitee{UID: uid, InviteCode: "partner-of-the-spring-campaign-2026", RegisterTime: affiliate.MillisOf((today - 90).Start(time.UTC))})
		for back, amount := range map[affiliate.Day]affiliate.Number{3: "12345.12345678901234", 33: "1124.12345678901234"} { // ten times the previous period
			rows[affiliate.Spot] = append(rows[affiliate.Spot], affiliate.Commission{DealTime: affiliate.MillisOf((today - back).Start(time.UTC)) + affiliate.Millis(i), UID: uid,
				Product: affiliate.Spot, Symbol: "BTCUSDT", Source: affiliate.Direct, Coin: "BTC", TakerAmount: "1", MakerAmount: "1", Fee: "12345.12345678901234", Rate: "1", Commission: amount})
		}
	}
	return invitees, rows
}

// overlaps lists the texts of rankings that overlap, are cut off or lie outside their
// card.
const overlaps = `(() => {
	const wrong = [];
	for (const row of document.querySelectorAll("[aria-labelledby^=ranking-] li")) {
		const card = row.closest("section").getBoundingClientRect();
		const texts = [];
		const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
		for (let node; (node = walk.nextNode());) {
			if (!node.textContent.trim() || node.parentElement.closest(".sr-only")) continue;
			const range = document.createRange();
			range.selectNodeContents(node);
			for (const r of range.getClientRects()) if (r.width > 1 && r.height > 1) texts.push({ text: node.textContent.trim(), r, of: node.parentElement });
			const e = node.parentElement;
			if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow === "hidden" && e.tagName === "BDI") wrong.push("cut: " + node.textContent);
		}
		texts.forEach((a, i) => {
			if (a.r.left < card.left || a.r.right > card.right) wrong.push("outside: " + a.text);
			for (const b of texts.slice(i + 1)) {
				const wide = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
				const high = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
				if (a.text !== b.text && wide > 1 && high > 3) wrong.push(a.text + " over " + b.text);
			}
		});
	}
	return wrong;
})()`

// Long amounts never overlap UIDs and codes, and codes are shown completely in a
// comparison.
func TestBrowserRankingsNeverOverlap(t *testing.T) {
	t.Parallel()
	address := site.StoredYear(t, longFigures)
	b := site.Open(t, address+"/?compare=previous&coin=BTC", site.Phone)
	for _, width := range []int64{320, 390, 768, 1024, 1366, 1920} {
		for _, dark := range []bool{false, true} {
			b.Look(site.Screen{Width: width, Height: 900, Dark: dark})
			b.Until(fmt.Sprintf(`innerWidth === %d && document.querySelectorAll("[aria-labelledby^=ranking-] li").length > 3`, width))
			if wrong := site.Eval[[]string](b, overlaps); len(wrong) > 0 {
				t.Errorf("%d pixels wide, dark %t, %d places: %s", width, dark, len(wrong), strings.Join(wrong[:min(len(wrong), 3)], "; "))
			}
		}
	}
	b.Shoot("rankings-long")
}
