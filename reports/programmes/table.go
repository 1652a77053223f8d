package programmes

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
)

// row is one coin of a programme.
type row struct {
	*Column
	figures.Totals
}

// owed returns what is outstanding in the coin of the row, and excess what was paid too much; both
// are empty if that is not known.
func (r *row) owed() affiliate.Number { return r.of(r.Outstanding) }

func (r *row) excess() affiliate.Number { return r.of(r.Excess) }

func (r *row) of(list []affiliate.Amount) affiliate.Number {
	if r.WhyNoPayments != "" {
		return ""
	}
	for _, a := range list {
		if a.Coin == r.Coin {
			return affiliate.Number(a.Value.String())
		}
	}
	return "0"
}

// worth returns the converted commission in the coin of the row; empty if it has no rate.
func (r *row) worth() affiliate.Number {
	for _, c := range r.Valued.Coins {
		if c.Sum.Coin == r.Coin {
			return affiliate.Number(c.Value.String())
		}
	}
	return ""
}

func counted(c figures.Count) (int, bool) { return int(c.N), c.Known }

var columns = []export.Column[row]{
	export.TextColumn("account", func(r *row) affiliate.Account { return r.Account }),
	export.CoinColumn("coin", func(r *row) affiliate.Coin { return r.Coin }),
	export.CountColumn("records", func(r *row) int64 { return r.Records }),
	export.AmountColumn("commission", func(r *row) affiliate.Number { return affiliate.Number(r.Commission.String()) }),
	export.AmountColumn("commission_usdt", (*row).worth).Means("Commission of all coins, converted into USDT."),
	export.AmountColumn("fee", func(r *row) affiliate.Number { return affiliate.Number(r.Fee.String()) }),
	export.PercentColumn("share_of_fees_percent", func(r *row) (decimal.Decimal, bool) { return r.Column.Rate(r.Coin).Value() }).Means("Commission in percent of the fees."),
	export.AmountColumn("volume", func(r *row) affiliate.Number { return affiliate.Number(r.Totals.Volume().String()) }).Means("Traded volume, in coin."),
	export.AmountColumn("outstanding", (*row).owed).Means("Commission that is due and not paid, of all time, in coin."),
	export.AmountColumn("paid_too_much", (*row).excess).Means("What was paid twice, too much or for no period, of all time, in coin."),
	export.KnownColumn("new_invitees", func(r *row) (int, bool) { return counted(r.Registered) }).Means("Registrations in the range."),
	export.KnownColumn("active_traders", func(r *row) (int, bool) { return counted(r.ActiveTraders) }),
	export.IntegerColumn("days_collected", func(r *row) int64 { return int64(r.Coverage.Collected) }).Means("Days of the range that are collected."),
	export.IntegerColumn("days", func(r *row) int64 { return int64(r.Coverage.Wanted) }).Means("Days of the range that are due."),
}

// File is the file of the programmes side by side.
var File = &export.Kind{Name: "programmes", Title: "Programmes", Stream: affiliate.Commissions,
	About: "Several accounts side by side.",
	Table: table, Columns: export.Infos(columns),
}

// table has a row for each programme and coin. Counts of people and days are those of the
// programme, on each of its rows; a programme without commission has one row without a coin.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	view, err := Make(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	var rows []row
	for i := range view.Programmes {
		p := &view.Programmes[i]
		totals := slices.Clone(p.Totals)
		for _, a := range slices.Concat(p.Outstanding, p.Excess) { // in a coin without commission in the range
			if !slices.ContainsFunc(totals, func(t figures.Totals) bool { return t.Coin == a.Coin }) {
				totals = append(totals, figures.Totals{Coin: a.Coin})
			}
		}
		if len(totals) == 0 {
			totals = []figures.Totals{{}}
		}
		for _, t := range totals {
			rows = append(rows, row{p, t})
		}
	}
	return export.TableOf(columns, export.Each(rows)), nil
}
