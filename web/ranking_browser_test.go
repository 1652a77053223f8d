package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/web"
)

// longFigures is the fixture with names and amounts as long as they get.
type longFigures struct{ *programme }

func (p longFigures) Overview(ctx context.Context, q query.Query) (overview.Report, error) {
	o, err := p.programme.Overview(ctx, q)
	for i := range o.Rankings {
		for j := range o.Rankings[i].Lines {
			line := &o.Rankings[i].Lines[j]
			line.Name = fmt.Sprintf("%019d", 9223372036854775807-int64(j))
			line.Code = "partner-of-the-spring-campaign-2026"
			line.Commission.Amount = affiliate.Amount{Value: decimal.RequireFromString("12345.12345678901234"), Coin: "BTC"}
			line.Commission.Change = figures.Change{Kind: figures.ChangeUp, Percent: decimal.NewFromInt(998), Open: true}
			line.Share = figures.Ratio{Percent: decimal.NewFromInt(100), Known: true}
		}
	}
	return o, err
}

// overlaps lists the texts of rankings that are printed over each other, cut off
// or outside of their card.
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

// Amounts of many digits stand beside UIDs and codes, never over them, and codes
// stay whole while comparing.
func TestBrowserRankingsNeverOverlap(t *testing.T) {
	address, _ := serve(t, web.Options{Reports: longFigures{newProgramme()}, Demo: true})
	b := open(t, address+"/?compare=previous&coin=BTC", phone)
	for _, width := range []int64{320, 390, 768, 1024, 1366, 1920} {
		for _, dark := range []bool{false, true} {
			b.look(screen{width: width, height: 900, dark: dark})
			b.until(fmt.Sprintf(`innerWidth === %d && document.querySelectorAll("[aria-labelledby^=ranking-] li").length > 3`, width))
			if wrong := eval[[]string](b, overlaps); len(wrong) > 0 {
				t.Errorf("%d pixels wide, dark %t, %d places: %s", width, dark, len(wrong), strings.Join(wrong[:min(len(wrong), 3)], "; "))
			}
		}
	}
	b.shoot("rankings-long")
}
