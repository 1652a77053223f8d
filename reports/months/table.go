package months

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/closings"
)

// listRow is a month and a coin, or a month without commission.
type listRow struct {
	month *Line
	coin  MonthCoin
}

// closed returns a value of the closing, or the zero value.
func closed[T any](m *Line, of func(*closings.Closing) T) (value T) {
	if m.Closing != nil {
		value = of(m.Closing)
	}
	return value
}

// sumColumns are the amounts as closed and as known now. The columns are fixed, because other programs
// read them: amounts that came later are last.
func sumColumns[R any](of func(*R) (*Line, *MonthCoin)) (columns []export.Column[R]) {
	for place, f := range affiliate.SummedFields {
		if f.Kind != affiliate.AmountField {
			continue
		}
		columns = append(columns, export.AmountColumn(f.Column+"_closed", func(r *R) affiliate.Number {
			month, coin := of(r)
			if month.Closing == nil {
				return ""
			}
			return coin.Closed.Of(place)
		}).Titled(f.Label+" as closed", nil), export.AmountColumn(f.Column+"_now", func(r *R) affiliate.Number {
			_, coin := of(r)
			return coin.Now.Of(place)
		}).Titled(f.Label+" now", nil))
		if f.Column == "commission" {
			columns = append(columns, export.AmountColumn("after_close", func(r *R) affiliate.Number {
				month, coin := of(r)
				return sumAsClosed(month, coin.After())
			}).Titled("Commission after close", nil))
		}
	}
	return columns
}

// sumAsClosed returns a sum of the closing; empty if the month was never closed.
func sumAsClosed(m *Line, sum affiliate.Sum) affiliate.Number {
	if m.Closing == nil {
		return ""
	}
	return number(sum)
}

func stateLabel(text string) string { return State(text).Label() }

func productLabel(text string) string { return affiliate.Product(text).Label() }

func sourceLabel(text string) string { return affiliate.Source(text).Label() }

var listColumns = append([]export.Column[listRow]{
	export.TextColumn("month", func(r *listRow) string { return closings.MonthText(r.month.First()) }).Titled("Month", nil),
	export.TextColumn("state", func(r *listRow) State { return r.month.State }).Means("Whether the month is open, closed or reopened.").Titled("State", stateLabel),
	export.TimeColumn("closed_utc", func(r *listRow) affiliate.Millis {
		return closed(r.month, func(c *closings.Closing) affiliate.Millis { return c.Closed })
	}).Means("When the month was closed, UTC.").Titled("Closed (UTC)", nil),
	export.TimeColumn("known_utc", func(r *listRow) affiliate.Millis {
		return closed(r.month, func(c *closings.Closing) affiliate.Millis { return c.Known })
	}).Means("Instant of whose state the closing is, UTC.").Titled("Known (UTC)", nil),
	export.TextColumn("closed_by", func(r *listRow) string {
		return closed(r.month, func(c *closings.Closing) string { return c.Actor })
	}).Means("Who closed it.").Titled("Closed by", nil),
	export.TextColumn("reason", func(r *listRow) string {
		return closed(r.month, func(c *closings.Closing) string { return c.Reason })
	}).Means("Reason that was given when the month was closed.").Titled("Reason", nil),
	export.TimeColumn("reopened_utc", func(r *listRow) affiliate.Millis {
		return closed(r.month, func(c *closings.Closing) affiliate.Millis { return c.Reopened })
	}).Means("When it was reopened, UTC.").Titled("Reopened (UTC)", nil),
	export.CoinColumn("coin", func(r *listRow) affiliate.Coin { return r.coin.Coin }).Titled("Coin", nil),
	export.KnownCountColumn("records_closed", func(r *listRow) (int64, bool) { return r.coin.Closed.Records, r.month.Closing != nil }).Titled("Records as closed", nil),
	export.CountColumn("records_now", func(r *listRow) int64 { return r.coin.Now.Records }).Titled("Records now", nil),
}, sumColumns(func(r *listRow) (*Line, *MonthCoin) { return r.month, &r.coin })...)

// File is the file of months.
var File = &export.Kind{Name: "months", Title: "Months", Stream: affiliate.Commissions,
	About: "Months that can be closed or are closed: sums as closed and as known now.",
	Table: table, Columns: export.Infos(listColumns), Object: export.ObjectOf(listObject),
}

// table has a row for each month and coin of the list, and one for each month without
// commission.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	list, err := Make(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	return listTable(&list), nil
}

func listTable(list *List) export.Table {
	var rows []listRow
	for i := range list.Months {
		m := &list.Months[i]
		if len(m.Coins) == 0 {
			rows = append(rows, listRow{month: m})
		}
		for _, coin := range m.Coins {
			rows = append(rows, listRow{m, coin})
		}
	}
	return export.TableOf(listColumns, each(rows))
}

func each[T any](rows []T) func(func(T, error) bool) {
	return func(yield func(T, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// monthRow is a row of one month.
type monthRow struct {
	month *Line
	MonthRow
}

var monthColumns = append([]export.Column[monthRow]{
	export.TextColumn("month", func(r *monthRow) string { return closings.MonthText(r.month.First()) }).Titled("Month", nil),
	export.TextColumn("state", func(r *monthRow) State { return r.month.State }).Means("Whether the month is open, closed or reopened.").Titled("State", stateLabel),
	export.TextColumn("account", func(r *monthRow) affiliate.Account { return r.Account }).Titled("Account", nil),
	export.TextColumn("product_type", func(r *monthRow) affiliate.Product { return r.Product }).Titled("Product", productLabel),
	export.TextColumn("source_type", func(r *monthRow) affiliate.Source { return r.Source }).Titled("Source", sourceLabel),
	export.CoinColumn("coin", func(r *monthRow) affiliate.Coin { return r.MonthRow.Coin }).Titled("Coin", nil),
	export.KnownCountColumn("records_closed", func(r *monthRow) (int64, bool) { return r.Closed.Records, r.month.Closing != nil }).Titled("Records as closed", nil),
	export.CountColumn("records_now", func(r *monthRow) int64 { return r.Now.Records }).Titled("Records now", nil),
}, sumColumns(func(r *monthRow) (*Line, *MonthCoin) { return r.month, &r.MonthCoin })...)

// listObject returns the list as its JSON has it, with its table.
func listObject(ctx context.Context, q *snapshot.Snapshot) ([]jsonMonth, export.Table, error) {
	list, err := Make(ctx, q)
	if err != nil {
		return nil, export.Table{}, err
	}
	return jsonList(list), listTable(&list), nil
}

// OneFile is the file of one month.
var OneFile = &export.Kind{Name: "month", Stream: affiliate.Commissions, Table: oneTable, Columns: export.Infos(monthColumns), Object: export.ObjectOf(oneObject)}

// oneTable has a row for each account, product, coin and source of one month.
func oneTable(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	d, err := MakeOne(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	return monthTable(&d), nil
}

func monthTable(d *Detail) export.Table {
	rows := make([]monthRow, 0, len(d.Rows))
	for _, row := range d.Rows {
		rows = append(rows, monthRow{&d.Line, row})
	}
	return export.TableOf(monthColumns, each(rows))
}

// jsonMonth is a month for programs. Amounts are text; null is unknown.
type jsonMonth struct {
	Month   string       `json:"month"`
	State   State        `json:"state"`
	Ready   bool         `json:"ready"` // it can be closed
	Closing *jsonClosing `json:"closing"`
	Coins   []jsonCoin   `json:"coins"`
	Owed    []jsonOwed   `json:"on_balance"` // empty: nothing of the month is known to be due
}

// jsonOwed is what the exchange owes of a month on balance, positive if it owes.
type jsonOwed struct {
	Coin    affiliate.Coin   `json:"coin"`
	Balance affiliate.Number `json:"balance"`
}

type jsonCoin struct {
	Coin             affiliate.Coin   `json:"coin"`
	Records          int64            `json:"records"`
	Fee              affiliate.Number `json:"fee"`
	Commission       affiliate.Number `json:"commission"`
	RecordsClosed    *int64           `json:"records_closed"`
	FeeClosed        *string          `json:"fee_closed"`
	CommissionClosed *string          `json:"commission_closed"`
	AfterClose       *string          `json:"after_close"`
}

type jsonClosing struct {
	Closed      string   `json:"closed_utc"`
	Known       string   `json:"known_utc"`
	Zone        string   `json:"zone"`
	Actor       string   `json:"closed_by"`
	Complete    bool     `json:"complete"`
	Proof       []string `json:"proof"`
	Reason      string   `json:"reason"`
	Reopened    string   `json:"reopened_utc"`
	ReopenedBy  string   `json:"reopened_by"`
	ReopenedWhy string   `json:"reopened_reason"`
}

// JSONOf returns the list as programs read it.
func JSONOf(list List) any { return jsonList(list) }

func jsonList(list List) []jsonMonth {
	out := []jsonMonth{}
	for i := range list.Months {
		out = append(out, jsonOf(&list.Months[i]))
	}
	return out
}

func jsonOf(m *Line) jsonMonth {
	out := jsonMonth{Month: closings.MonthText(m.First()), State: m.State, Ready: m.InForce() == nil && m.Readiness.Ready(), Coins: []jsonCoin{}, Owed: []jsonOwed{}}
	for i := range m.Owed.Coins {
		out.Owed = append(out.Owed, jsonOwed{m.Owed.Coins[i].Coin, number(m.Owed.Coins[i].Owed())})
	}
	if m.Closing != nil {
		out.Closing = jsonClosingOf(m.Closing)
	}
	for i := range m.Coins {
		out.Coins = append(out.Coins, jsonCoinOf(&m.Coins[i], m.Closing != nil))
	}
	return out
}

// jsonCoinOf returns the sums of a coin. Those of a month that was never closed are unknown.
func jsonCoinOf(c *MonthCoin, closed bool) jsonCoin {
	one := jsonCoin{Coin: c.Coin, Records: c.Now.Records, Fee: number(c.Now.Fee), Commission: number(c.Now.Commission)}
	if closed {
		after := c.After()
		records, commission, change := c.Closed.Records, c.Closed.Commission.String(), after.String()
		one.RecordsClosed, one.CommissionClosed, one.AfterClose = &records, &commission, &change
		if fee := string(c.Closed.Of(affiliate.SummedFields.Place("fee"))); fee != "" {
			one.FeeClosed = &fee
		}
	}
	return one
}

func jsonClosingOf(c *closings.Closing) *jsonClosing {
	return &jsonClosing{
		Closed: c.Closed.String(), Known: c.Known.String(), Zone: c.Zone, Actor: c.Actor, Complete: c.Complete, Proof: slices.Concat([]string{}, c.Proof),
		Reason: c.Reason, Reopened: c.Reopened.String(), ReopenedBy: c.ReopenedBy, ReopenedWhy: c.ReopenedWhy,
	}
}

// jsonDetail is one month with everything that is known of its closings.
type jsonDetail struct {
	jsonMonth
	Sums     []jsonRow      `json:"sums"`
	Coverage []jsonCoverage `json:"coverage"`
	Payments []jsonPayment  `json:"open_payments"`
	Findings []jsonFinding  `json:"findings"`
	History  []*jsonClosing `json:"closings"`
}

type jsonRow struct {
	Account affiliate.Account `json:"account"`
	Product affiliate.Product `json:"product_type"`
	Source  string            `json:"source_type"`
	jsonCoin
}

type jsonCoverage struct {
	Account   affiliate.Account `json:"account"`
	Stream    string            `json:"stream"`
	Days      int               `json:"utc_days"`
	Collected int               `json:"collected"`
	Settled   int               `json:"settled"`
	Verified  int               `json:"verified"`
	Failed    int               `json:"failed"`
	Missing   int               `json:"missing"`
	Beyond    int               `json:"out_of_reach"`
	Read      string            `json:"last_read_utc"`
}

type jsonPayment struct {
	Account    affiliate.Account `json:"account"`
	Coin       affiliate.Coin    `json:"coin"`
	Kind       string            `json:"kind"`
	From       string            `json:"period_from_utc"`
	To         string            `json:"period_to_utc"`
	State      string            `json:"state"`
	Earned     affiliate.Number  `json:"earned"`
	Paid       affiliate.Number  `json:"paid"`
	Difference affiliate.Number  `json:"difference"`
}

type jsonFinding struct {
	Kind    string            `json:"kind"`
	Account affiliate.Account `json:"account"`
	Coin    affiliate.Coin    `json:"coin"`
	Records int64             `json:"records"`
	Amount  affiliate.Number  `json:"amount"`
	Words   string            `json:"words"`
}

// oneObject returns a month as its JSON has it, with its table.
func oneObject(ctx context.Context, q *snapshot.Snapshot) (jsonDetail, export.Table, error) {
	d, err := MakeOne(ctx, q)
	if err != nil {
		return jsonDetail{}, export.Table{}, err
	}
	out := jsonDetail{jsonMonth: jsonOf(&d.Line), Sums: []jsonRow{}, Coverage: []jsonCoverage{}, Payments: []jsonPayment{}, Findings: []jsonFinding{}, History: []*jsonClosing{}}
	for i := range d.Rows {
		row := &d.Rows[i]
		out.Sums = append(out.Sums, jsonRow{row.Account, row.Product, string(row.Source), jsonCoinOf(&row.MonthCoin, d.Closing != nil)})
	}
	for _, c := range d.Details.Coverage {
		out.Coverage = append(out.Coverage, jsonCoverage{c.Account, c.Stream.String(), c.Days, c.Collected, c.Settled, c.Verified, c.Failed, c.Missing, c.Beyond, c.Read.String()})
	}
	for _, p := range d.Details.Payments {
		out.Payments = append(out.Payments, jsonPayment{p.Account, p.Coin, p.Kind, p.From.String(), p.To.String(), p.State, p.Earned, p.Paid, p.Difference})
	}
	for _, f := range d.Details.Findings {
		out.Findings = append(out.Findings, jsonFinding(f))
	}
	for i := range d.History {
		out.History = append(out.History, jsonClosingOf(&d.History[i]))
	}
	return out, monthTable(&d), nil
}
