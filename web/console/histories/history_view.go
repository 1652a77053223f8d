package histories

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/web/console"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/console/histories"
)

// hiddenColumns are columns of the files that a page shows only as the raw value of another.
var hiddenColumns = []string{"coin_id", "account_id", "base_coin", "quote_coin"}

// tradeColumns are columns of bills that only bills of trades have. A page without one leaves them
// out; files have them.
var tradeColumns = []string{"fill_size", "fill_value", "fees"}

// pairColumns are columns that only transfers of isolated margin have. A page of transfers without a
// pair leaves them out; files have them.
var pairColumns = []string{"from_symbol", "to_symbol"}

// anyIn reports whether a column has anything but zero among the records.
func (q asked) anyIn(h history, column int, list recordList) bool {
	return h.stream == "" || slices.ContainsFunc(list, func(r recorded) bool {
		raw := h.row(q.Asking, r).Cells[column].Raw
		return raw != "" && !affiliate.Number(raw).IsZero()
	})
}

// historySheet returns a page of the table.
func (s *Area) historySheet(c *fiber.Ctx, h history, q asked, list recordList) frame.Sheet {
	zone := " (" + q.query.Zone.String() + ")"
	t := frame.Sheet{Title: h.Title, Empty: "No " + h.Noun + "s in these days" + filteredWords(q) + "."}
	if h.stream == "" && q.order == "" {
		names := make([]string, len(q.symbols))
		for i, symbol := range q.symbols {
			names[i] = affiliate.PairName(symbol)
		}
		t.Empty = "No " + h.Noun + "s of " + strings.Join(names, ", ") + " in these days" + filteredWords(q) + ". The exchange lists fills by pair: enter another one above."
	}
	var shown []int
	for i, column := range h.Columns {
		if slices.Contains(hiddenColumns, column.Name) || slices.Contains(slices.Concat(tradeColumns, pairColumns), column.Name) && !q.anyIn(h, i, list) {
			continue
		}
		if strings.HasSuffix(column.Name, "_utc") {
			column.Label += zone
		}
		column.Wide = strings.HasSuffix(column.Name, "_id") // numbers of the exchange, in front of the amounts
		shown = append(shown, i)
		t.Columns = append(t.Columns, column)
	}
	t.Columns = append(t.Columns, console.Column("", "See"))
	paid := s.paidLinks(c)
	a := q.Asking
	a.Zone = q.query.Zone
	for _, r := range list {
		row := h.row(a, r)
		var cells []frame.Cell
		for _, i := range shown {
			cells = append(cells, q.dressed(h.Columns[i].Name, row.Cells[i], r))
		}
		row.Cells = append(cells, frame.Cell{})
		row.Links = q.seeLinks(r, paid)
		t.Rows = append(t.Rows, row)
	}
	return t
}

func filteredWords(q asked) string {
	if q.kind != "" || q.query.Coin != "" || q.at.Known() {
		return " fit the filters"
	}
	return ""
}

// dressed gives a cell its words for people, with the raw value for whoever wants it.
func (q asked) dressed(name string, cell frame.Cell, r recorded) frame.Cell {
	switch name {
	case "biz_type":
		return frame.Cell{Text: frame.KindWords(r.kind), Hint: r.kind, Href: q.address(typeParam, r.kind), Words: true}
	case "side":
		return frame.Cell{Text: frame.KindWords(r.kind), Hint: r.kind, Words: true, Tone: r.kind}
	case "coin":
		id := ""
		switch {
		case r.bill != nil:
			id = r.bill.CoinID
		case r.funding != nil:
			id = r.funding.CoinID
		}
		text := string(r.coin)
		if text == "" {
			return frame.Cell{Text: "coin " + id, Words: true}
		}
		cell = frame.Cell{Text: text, Href: q.address("coin", text), Words: true}
		if id != "" {
			cell.Hint = "coin id " + id
		}
		return cell
	case "created_utc", "trade_time_utc":
		cell.Href = ""
		return cell
	case "order_id":
		cell.Href = q.Link(frame.FillsPath, "symbol", r.fill.Symbol, "orderId", r.fill.OrderID)
		return cell
	case "delta_amount", "amount":
		if cell.Text != "" && name == "delta_amount" {
			cell.Tone = frame.ToneOf(r.change)
		}
		return cell
	case "from_type", "to_type":
		return frame.Cell{Text: frame.WalletWords(cell.Raw), Hint: cell.Raw, Words: true}
	case "biz":
		return cell
	}
	return cell
}

// seeLinks leads from a record to what belongs to it: the other side of a transfer, the bills
// of a fill, the payment of a reward.
func (q asked) seeLinks(r recorded, paid func(affiliate.Account, affiliate.Wallet, string) string) (links []frame.SeeLink) {
	at := millisOf(r.at)
	add := func(label, path string, pairs ...string) {
		links = append(links, frame.SeeLink{Label: label, Href: q.Link(path, append([]string{atParam, at}, pairs...)...)})
	}
	other := func(wallet, path string) {
		switch r.kind {
		case "transfer_out", "transfer_in":
			add("Transfer", "/console/transfers", "coin", string(r.coin))
			add(wallet, path, "coin", string(r.coin))
		}
	}
	switch {
	case r.fill != nil:
		add("Bills", "/console/bills")
	case r.bill != nil:
		if href := paid(q.Account, affiliate.SpotWallet, r.bill.BillID); href != "" {
			links = append(links, frame.SeeLink{Label: "Payment", Href: href})
		}
		if r.bill.Type == "trade_in" || r.bill.Type == "trade_out" {
			add("Fills", frame.FillsPath)
		}
		other("Funding bill", "/console/funding")
	case r.funding != nil:
		if href := paid(q.Account, affiliate.FundingWallet, r.funding.BillID); href != "" {
			links = append(links, frame.SeeLink{Label: "Payment", Href: href})
		}
		other("Spot bill", "/console/bills")
	case r.transfer != nil:
		for _, side := range []struct{ words, label string }{{string(r.transfer.FromType), "Out"}, {string(r.transfer.ToType), "In"}} {
			path := "/console/bills"
			if strings.Contains(strings.ToLower(side.words), "fund") {
				path = "/console/funding"
			} else if !strings.Contains(strings.ToLower(side.words), "spot") {
				continue // no endpoint lists the bills of other accounts
			}
			kind := "transfer_out"
			if side.label == "In" {
				kind = "transfer_in"
			}
			add(side.label, path, "coin", string(r.coin), typeParam, kind)
		}
	}
	return links
}

// sumKey is what a line of the sums is about.
type sumKey struct{ coin, kind string }

// sumsOf adds up records by coin and kind; fills by pair and side. Amounts of different coins
// are never added.
func sumsOf(h history, list recordList) []histories.SumLine {
	at := map[sumKey]*histories.SumLine{}
	var lines []*histories.SumLine
	for _, r := range list {
		key := sumKey{string(r.coin), r.kind}
		if r.fill != nil {
			key.coin = r.fill.Symbol
		}
		line := at[key]
		if line == nil {
			line = &histories.SumLine{Of: key.coin, Kind: frame.KindWords(r.kind), Raw: r.kind, Coin: r.coin, Known: true}
			at[key] = line
			lines = append(lines, line)
		}
		line.Count++
		switch {
		case !r.change.Known() || !line.Sum.Add(r.change):
			line.Known = false // an unknown amount makes the sum unknown
		case r.change.Cmp("0") < 0:
			line.Out.Add(r.change)
		default:
			line.In.Add(r.change)
		}
		if r.fill != nil {
			line.Base = r.fill.BaseCoin
			line.Quantity.Add(r.fill.FillQuantity)
			if !r.fill.Fees.Known() || !line.Fees.Add(r.fill.Fees) {
				line.FeesUnknown++
			}
		}
	}
	slices.SortFunc(lines, func(a, b *histories.SumLine) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Raw, b.Raw))
	})
	sums := make([]histories.SumLine, len(lines))
	for i, line := range lines {
		sums[i] = *line
	}
	return sums
}

// shownParts is how many kinds a chart tells apart; the others are one part.
const shownParts = 5

// chartsOf returns the charts of a range: the flows of one coin by kind and day, the balance
// after them, and of fills the values and fees by pair.
func (s *Area) chartsOf(h history, q asked, now readingState, list recordList) (c histories.HistoryCharts) {
	if len(list) == 0 || q.at.Known() {
		return c
	}
	coins := choicesOf(list, func(r recorded) string { return string(r.coin) })
	counts := map[affiliate.Coin]int{}
	for _, r := range list {
		counts[r.coin]++
	}
	for _, coin := range coins {
		c.Coins = append(c.Coins, affiliate.Coin(coin))
	}
	coin := slices.MaxFunc(c.Coins, func(a, b affiliate.Coin) int { return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(b, a)) })
	c.Flows = flowsOf(h, q, now, list, coin)
	if balances := balancesOf(h, q, now, list, coin); balances.AnyKnown() {
		c.Balances = &balances
	}
	if h.stream == "" {
		if fees := feesOf(q, now, list); fees.AnyKnown() {
			c.Fees = &fees
		}
	}
	return c
}

// daysOf returns the days of a chart: those of the range that have begun.
func (q asked) daysOf(list recordList) affiliate.Days {
	days := q.query.Days
	days.Last = min(days.Last, max(q.query.Today, days.First))
	// "All time" begins long before most accounts: empty years say nothing.
	if oldest := affiliate.DayOf(list[len(list)-1].at.Time(), q.query.Zone); days.Len() > 400 && oldest > days.First {
		days.First = oldest
	}
	return days
}

// states says of which days all records are known.
func (q asked) states(days affiliate.Days, now readingState) []coverage.DayState {
	states := make([]coverage.DayState, days.Len())
	for i := range states {
		day := days.First + affiliate.Day(i)
		switch {
		case affiliate.MillisOf(day.Start(q.query.Zone)) < now.whole():
			states[i] = coverage.DayMissing
			if affiliate.MillisOf((day + 1).Start(q.query.Zone)) > now.whole() {
				states[i] = coverage.DayPartial
			}
		case day == q.query.Today:
			states[i] = coverage.DayRunning
		default:
			states[i] = coverage.DayCollected
		}
	}
	return states
}

func flowsOf(h history, q asked, now readingState, list recordList, coin affiliate.Coin) figures.DailySeries {
	days := q.daysOf(list)
	d := figures.DailySeries{Of: "Flows by kind", Coin: coin, State: q.states(days, now), Total: make([]decimal.Decimal, days.Len())}
	if h.stream == "" {
		d.Of = "Value by pair"
	}
	for day := days.First; day <= days.Last; day++ {
		d.Days = append(d.Days, day)
	}
	partOf := func(r recorded) string {
		if r.fill != nil {
			return affiliate.PairName(r.fill.Symbol)
		}
		return frame.KindWords(r.kind)
	}
	counts := map[string]int{}
	for _, r := range list {
		if r.coin == coin {
			counts[partOf(r)]++
		}
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	at := map[string]int{}
	for i, name := range names {
		at[name] = min(i, shownParts)
		if i <= shownParts {
			part := figures.SeriesPart{Name: name, Values: make([]decimal.Decimal, days.Len())}
			if i == shownParts && len(names) > shownParts+1 {
				part.Name = "Other"
			}
			d.Parts = append(d.Parts, part)
		}
	}
	for _, r := range list {
		i := int(affiliate.DayOf(r.at.Time(), q.query.Zone) - days.First)
		if r.coin != coin || i < 0 || i >= len(d.Total) {
			continue
		}
		if !r.change.Known() {
			d.State[i] = coverage.DayPartial // the day has more than its bar
			continue
		}
		part := d.Parts[at[partOf(r)]].Values
		amount := r.change.Decimal()
		part[i], d.Total[i] = part[i].Add(amount), d.Total[i].Add(amount)
	}
	return d
}

// balancesOf returns the balance at the end of each day, as the last bill of the coin states it.
// A day without bills has that of the day before; before the first bill it is unknown.
func balancesOf(h history, q asked, now readingState, list recordList, coin affiliate.Coin) figures.Lines {
	days := q.daysOf(list)
	line := figures.Curve{Name: string(coin), Values: make([]decimal.Decimal, days.Len()), Known: make([]bool, days.Len())}
	for _, r := range list { // the newest first: the first of a day is its last
		i := int(affiliate.DayOf(r.at.Time(), q.query.Zone) - days.First)
		if r.coin == coin && r.balance.Known() && i >= 0 && i < len(line.Values) && !line.Known[i] {
			line.Values[i], line.Known[i] = r.balance.Decimal(), true
		}
	}
	for i := 1; i < len(line.Values); i++ {
		if !line.Known[i] && line.Known[i-1] {
			line.Values[i], line.Known[i] = line.Values[i-1], true
		}
	}
	return figures.Lines{Of: "Balance after the last bill of the day", Unit: string(coin), Steps: stepsOf(days), Parts: []figures.Curve{line}}
}

func stepsOf(days affiliate.Days) (steps []affiliate.Days) {
	for day := days.First; day <= days.Last; day++ {
		steps = append(steps, affiliate.Days{First: day, Last: day})
	}
	return steps
}

// feesOf returns the fees of each day by pair, of the side with most fills. The exchange does
// not name the coin of a fee, so fees are neither added over pairs nor over sides.
func feesOf(q asked, now readingState, list recordList) figures.Lines {
	days := q.daysOf(list)
	sides, pairs := map[weex.Side]int{}, map[string]int{}
	for _, r := range list {
		sides[r.fill.Side]++
	}
	side := weex.Sell
	if sides[weex.Buy] >= sides[weex.Sell] {
		side = weex.Buy
	}
	for _, r := range list {
		if r.fill.Side == side {
			pairs[r.fill.Symbol]++
		}
	}
	var names []string
	for name := range pairs {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(pairs[b], pairs[a]), cmp.Compare(a, b)) })
	lines := figures.Lines{Of: "Fees of " + string(side) + " fills", Steps: stepsOf(days)}
	states := q.states(days, now)
	for _, name := range names[:min(len(names), shownParts)] {
		curve := figures.Curve{Name: affiliate.PairName(name) + ", " + string(side), Values: make([]decimal.Decimal, days.Len()), Known: make([]bool, days.Len())}
		for i := range curve.Known {
			curve.Known[i] = !states[i].Doubtful()
		}
		for _, r := range list {
			i := int(affiliate.DayOf(r.at.Time(), q.query.Zone) - days.First)
			if r.fill.Symbol == name && r.fill.Side == side && i >= 0 && i < len(curve.Values) {
				if !r.fill.Fees.Known() {
					curve.Known[i] = false
					continue
				}
				curve.Values[i] = curve.Values[i].Add(r.fill.Fees.Decimal())
			}
		}
		lines.Parts = append(lines.Parts, curve)
	}
	return lines
}
