package tiers

import (
	"context"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
	"rebatedesk/terms"
)

// The columns of the export are fixed, because other programs read them.
var columns = []export.Column[Tier]{
	export.TextColumn("term", func(t *Tier) string { return strconv.FormatInt(t.ID(), 10) }).Means("Number of the term that applies, or of the next one if none does yet."),
	export.TextColumn("about", (*Tier).About).Means("What the agreement is about."),
	export.TextColumn("measure", func(t *Tier) terms.TierBy { return t.By }).Means("volume, in USDT, or active_traders."),
	export.DecimalColumn("reached", func(t *Tier) affiliate.Number { return t.Figure.Figure }).Means("Figure of the month as far as it is known."),
	export.DecimalColumn("rate", func(t *Tier) affiliate.Number { return t.Current.Rate }).Means("Agreed rate at this figure, as a fraction; empty: none is agreed below the first tier."),
	export.DecimalColumn("next_from", func(t *Tier) affiliate.Number {
		return t.next(func(n *terms.Term) affiliate.Number { return n.TierFrom })
	}).Means("Figure from which the next tier applies; empty: the highest is reached."),
	export.DecimalColumn("missing", func(t *Tier) affiliate.Number { return t.Missing }).Means("What the figure lacks for the next tier."),
	export.DecimalColumn("next_rate", func(t *Tier) affiliate.Number { return t.next(func(n *terms.Term) affiliate.Number { return n.Rate }) }).Means("Rate of the next tier, as a fraction."),
	export.DecimalColumn("worth", (*Tier).WorthInUSDT).Means("What the commission of the month would be more at the next rate, by what is known now, in USDT at the prices of today; empty: not known."),
	export.DayColumn("reached_on", func(t *Tier) affiliate.Day { return t.ReachedOn }).Means("Day of the month on which the next tier is reached at the present pace; empty: not in this month."),
}

func (t *Tier) next(of func(*terms.Term) affiliate.Number) affiliate.Number {
	if t.Next == nil {
		return ""
	}
	return of(t.Next)
}

// About says in words what the agreement is about.
func (t *Tier) About() string {
	about := terms.Term{Account: t.Account, Scope: t.Scope, Value: t.Value, Product: t.Product, Source: t.Source}
	if t.Who != "" {
		about.Value = string(t.Who)
	}
	return about.About()
}

// WorthInUSDT is what the next tier is worth in the month; unknown if it is not known, or if a coin has no
// price.
func (t *Tier) WorthInUSDT() affiliate.Number {
	switch {
	case t.NoCoin.Known() || t.Next == nil || !t.Current.Rate.Known() || len(t.Valued.Missing) > 0:
		return ""
	case len(t.Worth) == 0:
		return "0"
	}
	return affiliate.Number(t.Valued.Amount().Value.String())
}

// File is the file of the tiers of a month.
var File = &export.Kind{Name: "tiers", Title: "Tiers", Stream: affiliate.Commissions,
	About: "How far the next tier of each agreed rate is in a month, and what it is worth.",
	Table: table, Columns: export.Infos(columns), Object: export.ObjectOf(object),
}

func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	r, err := Make(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	return export.TableOf(columns, export.Each(r.Tiers)), nil
}

// tierJSON is one tier. Numbers are strings, exact; null is unknown.
type tierJSON struct {
	Term      string            `json:"term"`
	About     string            `json:"about"`
	Measure   terms.TierBy      `json:"measure"`
	Reached   *affiliate.Number `json:"reached"`
	Rate      *affiliate.Number `json:"rate"`
	NextFrom  *affiliate.Number `json:"next_from"`
	Missing   *affiliate.Number `json:"missing"`
	NextRate  *affiliate.Number `json:"next_rate"`
	Worth     *affiliate.Number `json:"worth"` // USDT
	Coins     []coinJSON        `json:"worth_by_coin"`
	NoCoin    *affiliate.Number `json:"worth_without_coin"` // of a sub-affiliate whose agreement names no coin: negative, as more is due to it
	ReachedOn *string           `json:"reached_on"`
	Final     bool              `json:"final"` // the month is over and collected completely
}

type coinJSON struct {
	Coin   affiliate.Coin   `json:"coin"`
	Amount affiliate.Number `json:"amount"`
}

// object returns the tiers as their JSON has them, with their table.
func object(ctx context.Context, q *snapshot.Snapshot) ([]tierJSON, export.Table, error) {
	r, err := Make(ctx, q)
	if err != nil {
		return nil, export.Table{}, err
	}
	known := func(n affiliate.Number) *affiliate.Number {
		if !n.Known() {
			return nil
		}
		return &n
	}
	list := make([]tierJSON, 0, len(r.Tiers))
	for i := range r.Tiers {
		t := &r.Tiers[i]
		one := tierJSON{Term: strconv.FormatInt(t.ID(), 10), About: t.About(), Measure: t.By, Reached: known(t.Figure.Figure), Rate: known(t.Current.Rate),
			NextFrom: known(t.next(func(n *terms.Term) affiliate.Number { return n.TierFrom })), Missing: known(t.Missing),
			NextRate: known(t.next(func(n *terms.Term) affiliate.Number { return n.Rate })), Worth: known(t.WorthInUSDT()), NoCoin: known(t.NoCoin),
			Coins: []coinJSON{}, Final: !t.Figure.Provisional()}
		for _, a := range t.Worth {
			one.Coins = append(one.Coins, coinJSON{a.Coin, affiliate.Number(a.Value.String())})
		}
		if t.ReachedOn != 0 {
			day := t.ReachedOn.String()
			one.ReachedOn = &day
		}
		list = append(list, one)
	}
	return list, export.TableOf(columns, export.Each(r.Tiers)), nil
}
