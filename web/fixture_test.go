package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/store/records"
	"rebatedesk/web/handler"
)

// now is when the fixture is looked at.
var now = time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC)

// programme is a made-up affiliate programme that answers like package
// reports: enough for pages to look as they will.
type programme struct {
	records  []records.CommissionRow
	missing  map[affiliate.Day]bool // not collected
	partly   map[affiliate.Day]bool // collected for spot only
	empty    coverage.EmptyKind     // answer as if there were nothing
	accounts []affiliate.Account
	hold     func(ctx context.Context) // is called while the commissions are computed; nil: nothing is
	failure  error                     // every question fails
	panics   bool                      // every question panics
	broken   bool                      // exports fail midway
	endless  bool                      // exports end with their context only
	ended    chan struct{}             // closed when an endless export ends
}

func (p *programme) Basis(context.Context) (query.Basis, error) {
	return query.Basis{Now: now, Zone: time.UTC, First: affiliate.NewDay(2025, 11, 21)}, nil
}

// newProgramme is ninety days of commission of some hundred invitees.
func newProgramme() *programme {
	p := &programme{missing: map[affiliate.Day]bool{}, partly: map[affiliate.Day]bool{}, accounts: []affiliate.Account{"main"}}
	rnd := rand.New(rand.NewPCG(20, 26))
	today := affiliate.DayOf(now, time.UTC)
	for day := today - 89; day <= today; day++ {
		weight := 14 + int(day-today+89)/9
		if wd := day.Weekday(); wd == time.Saturday || wd == time.Sunday {
			weight = weight * 6 / 10
		}
		if day == today {
			weight = weight * 6 / 10
		}
		for range weight + rnd.IntN(8) {
			p.records = append(p.records, trade(rnd, day, day == today))
		}
	}
	slices.SortFunc(p.records, func(a, b records.CommissionRow) int { return int(b.DealTime - a.DealTime) })
	return p
}

var codes = []string{"spring26", "yt-alpha", "telegram", "x-launch", "", "vip"}

// trade is one record; a few invitees earn most.
func trade(rnd *rand.Rand, day affiliate.Day, running bool) records.CommissionRow {
	who := rnd.IntN(9)
	if rnd.IntN(3) == 0 {
		who = rnd.IntN(140)
	}
	milliseconds := 86_400_000
	if running {
		milliseconds = 14 * 3_600_000
	}
	at := day.Start(time.UTC).Add(time.Duration(rnd.IntN(milliseconds)) * time.Millisecond)
	volume := int64(rnd.IntN(9_000_000)+60_000) * int64(1+30/(who+2))
	c := affiliate.Commission{
		DealTime: affiliate.MillisOf(at), UID: affiliate.UID(fmt.Sprint(4_667_776_811 + int64(who)*7_919_033)),
		Product: affiliate.Futures, Symbol: "cmt_btcusdt", Source: affiliate.Direct, Coin: "USDT", Rate: "0.4",
	}
	if rnd.IntN(3) == 0 {
		c.Product, c.Symbol, c.Rate = affiliate.Spot, []string{"BTCUSDT_SPBL", "ETHUSDT_SPBL", "SOLUSDT_SPBL"}[rnd.IntN(3)], "0.35"
	} else {
		c.Symbol = []string{"cmt_btcusdt", "cmt_ethusdt", "cmt_solusdt", "cmt_dogeusdt"}[rnd.IntN(4)]
	}
	if who%5 == 3 {
		c.Source = affiliate.SubAgent
	}
	scale := int32(-2)
	switch rnd.IntN(12) {
	case 0:
		c.Coin, scale = "BTC", -7
	case 1:
		c.Coin, scale = "ETH", -5
	}
	taker, maker := decimal.New(volume, scale), decimal.New(volume/3, scale)
	fee := taker.Mul(decimal.New(6, -4)).Add(maker.Mul(decimal.New(2, -4)))
	if rnd.IntN(25) == 0 {
		fee = decimal.Zero
	}
	c.TakerAmount, c.MakerAmount = affiliate.Number(taker.String()), affiliate.Number(maker.String())
	c.Fee = affiliate.Number(fee.String())
	c.Commission = affiliate.Number(fee.Mul(c.Rate.Decimal()).String())
	return records.CommissionRow{Commission: c, Account: "main", InviteCode: codes[who%len(codes)], FirstSeen: affiliate.MillisOf(at.Add(time.Hour))}
}

// matching are the records of a query in some other days, newest first. Charts
// ask for each of their days, and records are large: under the race detector
// most of the time would go into copies of those of other days.
func (p *programme) matching(q query.Query, days affiliate.Days) []records.CommissionRow {
	var rows []records.CommissionRow
	within := days.Range(q.Zone)
	for i := range p.records {
		r := &p.records[i]
		fits := within.Contains(r.DealTime) && (q.Account == "" || r.Account == q.Account) &&
			(q.Product == "" || r.Product == q.Product) && (q.Coin == "" || r.Coin == q.Coin) &&
			(q.UID == "" || r.UID == q.UID) && (q.Symbol == "" || r.Symbol == q.Symbol) &&
			(q.Source == "" || r.Source == q.Source) && (q.Code == "" || r.InviteCode == q.Code) &&
			(q.Text == "" || strings.Contains(string(r.UID)+r.InviteCode+r.Symbol, q.Text))
		if !fits {
			continue
		}
		day := affiliate.DayOf(r.DealTime.Time(), q.Zone)
		if !p.missing[day] && (!p.partly[day] || r.Product == affiliate.Spot) {
			rows = append(rows, *r)
		}
	}
	return rows
}

func totals(rows []records.CommissionRow) []figures.Totals {
	var list []figures.Totals
	for n := range rows {
		r := &rows[n]
		i := slices.IndexFunc(list, func(t figures.Totals) bool { return t.Coin == r.Coin })
		if i < 0 {
			i, list = len(list), append(list, figures.Totals{Coin: r.Coin})
		}
		t := &list[i]
		t.Records++
		t.Commission = t.Commission.Add(value(r.Commission.Commission))
		t.Fee = t.Fee.Add(value(r.Fee))
		t.TakerAmount = t.TakerAmount.Add(value(r.TakerAmount))
		t.MakerAmount = t.MakerAmount.Add(value(r.MakerAmount))
	}
	slices.SortStableFunc(list, func(a, b figures.Totals) int { return int(b.Records - a.Records) })
	return list
}

func value(n affiliate.Number) decimal.Decimal {
	if !n.Known() {
		return decimal.Zero
	}
	return n.Decimal()
}

func (p *programme) coverage(q query.Query) coverage.Coverage {
	c := coverage.Coverage{
		Through: affiliate.MillisOf(now),
		LastRun: coverage.RunLine{Started: affiliate.MillisOf(now.Add(-90 * time.Second)), Finished: affiliate.MillisOf(now), Records: 214},
	}
	for day := q.Days.First; day <= min(q.Days.Last, q.Today); day++ {
		c.Wanted++
		if !p.missing[day] && !p.partly[day] && p.empty != coverage.EmptyNotCollected && p.empty != coverage.EmptyFailed {
			c.Collected++
			continue
		}
		gap := coverage.Gap{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}, Days: affiliate.Days{First: day, Last: day}}
		if p.empty == coverage.EmptyFailed {
			gap.Reason = "the exchange refused the signature (40009): check API_SECRET"
		}
		if n := len(c.Gaps); n > 0 && c.Gaps[n-1].Days.Last == day-1 {
			c.Gaps[n-1].Days.Last = day
		} else {
			c.Gaps = append(c.Gaps, gap)
		}
		if c.Through > affiliate.MillisOf(day.Start(q.Zone)) {
			c.Through = affiliate.MillisOf(day.Start(q.Zone))
		}
	}
	if c.Collected == 0 {
		c.Through = 0
	}
	return c
}

func (p *programme) answer() error {
	if p.panics {
		panic("a fault of the fixture")
	}
	return p.failure
}

func (p *programme) Overview(_ context.Context, q query.Query) (overview.Report, error) {
	if err := p.answer(); err != nil {
		return overview.Report{}, err
	}
	o := overview.Report{Query: q, Coverage: p.coverage(q), Empty: p.empty, Coin: q.Coin, Options: p.options()}
	unknown := figures.Count{Reason: "the invitees of these days have not been read yet"}
	o.Invitees = invitees.InviteeCards{Registered: unknown, FirstDepositors: unknown, FirstTraders: unknown, ActiveTraders: unknown}
	rows := p.matching(q, q.Days)
	if p.empty != "" || len(rows) == 0 {
		if o.Empty == "" {
			o.Empty = coverage.EmptyFiltered
		}
		return o, nil
	}
	now, before := totals(rows), totals(p.matching(q, previous(q.Days)))
	for _, t := range now {
		o.Cards = append(o.Cards, card(t, before, q.Compare))
	}
	if o.Coin == "" {
		o.Coin = now[0].Coin
	}
	o.Volume = volumeOf(now)
	o.UnknownCode = p.unknownCode(q)
	o.Invitees = inviteeCards(q.Compare)
	o.Users, o.Funnel = users(q), funnel()
	o.Daily = p.daily(q, o.Coin)
	o.Rankings, o.Splits = p.rankings(rows, o.Coin, now)
	return o, nil
}

func previous(days affiliate.Days) affiliate.Days {
	n := affiliate.Day(days.Len())
	return affiliate.Days{First: days.First - n, Last: days.First - 1}
}

// volumeOf is the volume of all coins, not compared.
func volumeOf(totals []figures.Totals) figures.Figure {
	f := figures.Figure{Change: figures.Change{Kind: figures.ChangeNone}}
	for _, t := range totals {
		f.Amount.Value = f.Amount.Value.Add(t.Volume())
	}
	return f
}

func card(t figures.Totals, before []figures.Totals, compare query.Compare) figures.CoinCard {
	var b figures.Totals
	for _, old := range before {
		if old.Coin == t.Coin {
			b = old
		}
	}
	figure := func(value, reference decimal.Decimal) figures.Figure {
		f := figures.Figure{Amount: affiliate.Amount{Value: value, Coin: t.Coin}, Reference: affiliate.Amount{Value: reference, Coin: t.Coin}}
		f.Change = changed(value, reference, compare)
		return f
	}
	return figures.CoinCard{Coin: t.Coin, Records: t.Records, Commission: figure(t.Commission, b.Commission),
		Fee: figure(t.Fee, b.Fee)}
}

func changed(value, reference decimal.Decimal, compare query.Compare) figures.Change {
	switch {
	case compare == query.CompareNone:
		return figures.Change{Kind: figures.ChangeNone}
	case compare == query.CompareYear:
		return figures.Change{Kind: figures.ChangeUnknown}
	case reference.IsZero():
		return figures.Change{Kind: figures.ChangeNew}
	}
	percent := value.Sub(reference).Shift(2).DivRound(reference, 1)
	if percent.IsNegative() {
		return figures.Change{Kind: figures.ChangeDown, Percent: percent}
	}
	return figures.Change{Kind: figures.ChangeUp, Percent: percent}
}

func inviteeCards(compare query.Compare) invitees.InviteeCards {
	count := func(n, before int64) figures.Count {
		return figures.Count{N: n, Known: true, Reference: before,
			Change: changed(decimal.NewFromInt(n), decimal.NewFromInt(before), compare)}
	}
	return invitees.InviteeCards{Registered: count(1284, 1102), FirstDepositors: count(312, 330), FirstTraders: count(274, 0), ActiveTraders: count(139, 121)}
}

func (p *programme) daily(q query.Query, coin affiliate.Coin) figures.DailySeries {
	d := figures.DailySeries{Coin: coin, By: q.By}
	futures, spot := figures.SeriesPart{Name: "Futures"}, figures.SeriesPart{Name: "Spot"}
	q.Coin = coin
	for day := q.Days.First; day <= q.Days.Last; day++ {
		sums := map[affiliate.Product]decimal.Decimal{}
		for _, r := range p.matching(q, affiliate.Days{First: day, Last: day}) {
			sums[r.Product] = sums[r.Product].Add(value(r.Commission.Commission))
		}
		d.Days = append(d.Days, day)
		futures.Values = append(futures.Values, sums[affiliate.Futures])
		spot.Values = append(spot.Values, sums[affiliate.Spot])
		d.Total = append(d.Total, sums[affiliate.Futures].Add(sums[affiliate.Spot]))
		state := coverage.DayCollected
		if p.missing[day] {
			state = coverage.DayMissing
		} else if p.partly[day] {
			state = coverage.DayPartial
		} else if day == q.Today {
			state = coverage.DayRunning
		}
		d.State = append(d.State, state)
		if q.Compare != query.CompareNone {
			other := day - affiliate.Day(q.Days.Len())
			sum := decimal.Zero
			for _, t := range totals(p.matching(q, affiliate.Days{First: other, Last: other})) {
				sum = sum.Add(t.Commission)
			}
			d.Reference, d.RefDays = append(d.Reference, sum), append(d.RefDays, other)
			d.RefKnown = append(d.RefKnown, !p.missing[other])
		}
	}
	d.Parts = []figures.SeriesPart{futures, spot}
	return d
}

// rankings are those of invitees and of products.
func (p *programme) rankings(rows []records.CommissionRow, coin affiliate.Coin, all []figures.Totals) (rankings, splits []figures.Ranking) {
	var whole decimal.Decimal
	for _, t := range all {
		if t.Coin == coin {
			whole = t.Commission
		}
	}
	invitees := ranked(figures.RankInvitees, rows, coin, whole, func(r records.CommissionRow) string { return string(r.UID) })
	products := ranked(figures.RankProducts, rows, coin, whole, func(r records.CommissionRow) string { return string(r.Product) })
	return []figures.Ranking{invitees}, []figures.Ranking{products}
}

func ranked(by figures.RankBy, rows []records.CommissionRow, coin affiliate.Coin, whole decimal.Decimal, name func(records.CommissionRow) string) figures.Ranking {
	r := figures.Ranking{By: by, Coin: coin, Total: affiliate.Amount{Value: whole, Coin: coin}}
	for _, row := range rows {
		if row.Coin != coin {
			continue
		}
		i := slices.IndexFunc(r.Lines, func(l figures.RankLine) bool { return l.Name == name(row) })
		if i < 0 {
			i = len(r.Lines)
			r.Lines = append(r.Lines, figures.RankLine{Name: name(row), Fee: affiliate.Amount{Coin: coin}})
			r.Lines[i].Commission.Amount.Coin = coin
			if by == figures.RankInvitees {
				r.Lines[i].Code = row.InviteCode
			}
		}
		l := &r.Lines[i]
		l.Records++
		l.Commission.Amount.Value = l.Commission.Amount.Value.Add(value(row.Commission.Commission))
		l.Fee.Value = l.Fee.Value.Add(value(row.Fee))
	}
	slices.SortFunc(r.Lines, func(a, b figures.RankLine) int { return b.Commission.Amount.Value.Cmp(a.Commission.Amount.Value) })
	r.OthersN = max(0, len(r.Lines)-10)
	r.Lines = r.Lines[:min(10, len(r.Lines))]
	return r
}

func (p *programme) options() question.Options {
	return question.Options{Accounts: p.accounts, Coins: []affiliate.Coin{"USDT", "BTC", "ETH"}, Codes: []string{"spring26", "telegram", "vip", "x-launch", "yt-alpha"}}
}

// Why knows of nothing unusual.
func (p *programme) Why(_ context.Context, q query.Query) (overview.Why, error) {
	return overview.Why{Coin: "USDT", Days: q.Days}, p.failure
}

func (p *programme) Commissions(ctx context.Context, q query.Query) (commissions.Report, error) {
	if err := p.answer(); err != nil {
		return commissions.Report{}, err
	}
	if p.hold != nil {
		p.hold(ctx)
	}
	rows := p.matching(q, q.Days)
	r := commissions.Report{Query: q, Coverage: p.coverage(q), Empty: p.empty, Pages: 1, Options: p.options()}
	if p.empty != "" || len(rows) == 0 {
		if r.Empty == "" {
			r.Empty = coverage.EmptyFiltered
		}
		return r, nil
	}
	r.Totals, r.Records, r.UnknownCode = totals(rows), int64(len(rows)), p.unknownCode(q)
	r.Pages = (len(rows) + q.Per - 1) / q.Per
	first := min((q.Page-1)*q.Per, len(rows))
	r.Rows = rows[first:min(first+q.Per, len(rows))]
	coin := q.Coin
	if coin == "" {
		coin = r.Totals[0].Coin
	}
	r.Daily = p.daily(q, coin)
	return r, nil
}

// unknownCode counts the records that a filter by code leaves out because
// nobody knows whose they are.
func (p *programme) unknownCode(q query.Query) int64 {
	if q.Code == "" {
		return 0
	}
	var n int64
	q.Code = ""
	for _, r := range p.matching(q, q.Days) {
		if r.InviteCode == "" {
			n++
		}
	}
	return n
}

// Collection is a year of five streams, of which two have gaps.
func (p *programme) Collection(context.Context) (collection.Report, error) {
	if err := p.answer(); err != nil {
		return collection.Report{}, err
	}
	today := affiliate.DayOf(now, time.UTC)
	days := affiliate.Days{First: today - 364, Last: today}
	report := collection.Report{LastRun: coverage.RunLine{Started: affiliate.MillisOf(now.Add(-90 * time.Second)), Finished: affiliate.MillisOf(now), Records: 214}}
	for _, account := range p.accounts {
		for _, stream := range affiliate.Streams() {
			c := coverage.StreamCoverage{Account: account, Stream: stream, Days: days,
				Coverage: coverage.Coverage{Wanted: 365, Collected: 365, Through: affiliate.MillisOf(now)}}
			switch {
			case stream.Kind == affiliate.Invitees:
				c.OutOfReach, c.Coverage.Beyond = 1, 1
			case stream == affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}:
				whole := p.coverage(query.Query{Days: days, Zone: time.UTC, Today: today})
				c.Coverage = whole
			case stream == affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}:
				c.Coverage = failing(days)
			}
			report.Streams = append(report.Streams, c)
		}
	}
	return report, nil
}

// failing is a stream in which every other month fails.
func failing(days affiliate.Days) coverage.Coverage {
	c := coverage.Coverage{Wanted: days.Len(), Collected: days.Len()}
	for first := days.First; first+27 < days.Last; first += 60 {
		gap := coverage.Gap{Account: "main", Stream: affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot},
			Days: affiliate.Days{First: first, Last: first + 27}, Reason: "the exchange answered with a page instead of JSON (HTTP 502)"}
		c.Gaps = append(c.Gaps, gap)
		c.Collected -= gap.Days.Len()
	}
	return c
}

func (p *programme) OpenExport(_ context.Context, kind reports.ExportKind, q query.Query) (handler.Export, error) {
	if err := p.answer(); err != nil {
		return nil, err
	}
	return &exports{programme: p, name: string(kind) + "_" + q.Days.First.String(), rows: p.matching(q, q.Days)}, nil
}

type exports struct {
	*programme
	name string
	rows []records.CommissionRow
}

func (e *exports) FileName(f export.Format) string { return e.name + "." + string(f) }

func (e *exports) Write(ctx context.Context, w io.Writer, _ export.Format) (export.Summary, error) {
	for e.endless {
		if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
			return export.Summary{}, err
		}
		if ctx.Err() != nil {
			return export.Summary{}, ctx.Err()
		}
	}
	for i, r := range e.rows {
		if e.broken && i == len(e.rows)/2 {
			return export.Summary{}, errors.New("the disk failed")
		}
		if _, err := fmt.Fprintf(w, "%s,%s,%s\r\n", r.DealTime, r.UID, r.Commission.Commission); err != nil {
			return export.Summary{}, err
		}
	}
	return export.Summary{Rows: int64(len(e.rows))}, nil
}

func (e *exports) Close() error {
	if e.ended != nil {
		close(e.ended)
	}
	return nil
}
