package findings

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/losses"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/recent"
	"rebatedesk/reports/snapshot"
)

var _ = register(Kind{
	Finding: Silent{},
	Check: &Check{Place: 70, Of: "silent invitees", Bound: true, Segments: true, Find: findSilent,
		Said: "invitees silent for more than three of their usual gaps, who brought 10 USDT or more a month"},
	Alert: &Alert{
		Name: "silence", Place: 50, Title: "An invitee stops trading",
		When:     "Somebody who used to bring more than a set amount in 30 days has been silent for much longer than usual.",
		Help:     "an invitee falls silent who brought more than --above in 30 days",
		Amount:   "Commission in 30 days. Invitees who brought less than the worth of 10 USDT are never reported.",
		Segments: true, Users: true,
		Words: func(w *Watched) string {
			return "An invitee who brought more than " + w.limit().Exact() + " in 30 days falls silent"
		},
		Signals: func(ctx context.Context, w *Watched) ([]Signal, error) {
			return silentSignals(ctx, w, func(coin affiliate.Coin, atRisk decimal.Decimal) bool {
				return coin == w.Coin && atRisk.GreaterThan(w.Amount.Decimal())
			})
		},
	},
	Events: []Event{{
		Name: "invitee.silent", Place: 70, Label: "A good invitee stops trading", When: "An invitee with commission at risk stopped trading.", Key: "silence|",
		Signals: func(ctx context.Context, w *Watched) ([]Signal, error) {
			return silentSignals(ctx, w, func(_ affiliate.Coin, atRisk decimal.Decimal) bool { return atRisk.IsPositive() })
		},
	}},
	Headline: counted("", "invitee", " stopped trading"),
})

// Silent says that invitees who brought commission no longer trade.
type Silent struct {
	Coins  []Silence         // most worth first, then those without a price
	Count  int               // of the invitees, each once
	Worth  figures.Valuation // of what is at risk in all coins
	Likely losses.LikelyLoss // how much of it is likely lost: of the one coin, otherwise converted
}

// Silence is what silent invitees used to bring in one coin.
type Silence struct {
	Coin   affiliate.Coin
	AtRisk decimal.Decimal // commission per thirty days of all those invitees
	Count  int
	Most   []SilentInvitee // most commission at risk first
}

// SilentInvitee is silent by the rule of [invitees.State], based on its own usual gap.
type SilentInvitee struct {
	Account  affiliate.Account
	UID      affiliate.UID
	Last     affiliate.Day // last day with a trade
	Days     int           // since then
	UsualGap figures.HalfDays
	AtRisk   decimal.Decimal // mean commission per thirty days, while it traded
}

// Severity is a warning.
func (Silent) Severity() Severity { return SeverityWarning }

func (f Silent) stake(*recent.Snapshot) stake {
	if !f.Worth.Known() {
		return stake{group: stakeUnknown}
	}
	return stake{group: stakeKnown, worth: f.Worth.Total}
}

func (f Silent) words(a About) Statement {
	w := Statement{Title: phrase.Things(f.Count, "invitee") + " stopped trading", Link: "See all " + phrase.Count(f.Count) + " under To do", Href: a.worklist()}
	they := "They"
	if f.Count == 1 {
		they, w.Link = "It", "See the invitee under To do"
	}
	w.Text = phrase.Say(they + " used to bring ")
	in := fmt.Sprintf(" in %d days", invitees.PresentDays)
	switch converted := len(f.Coins) > 1 && f.Worth.Known(); {
	case converted:
		w.Text = append(w.Text, phrase.Say(a.converted(f.Worth), in, ", converted: ")...)
		w.Text = append(w.Text, f.amounts()...)
	case len(f.Coins) == 1:
		w.Text = append(w.Text, phrase.Say(money(f.Coins[0].AtRisk, f.Coins[0].Coin), a.worth(f.Worth, false), in)...)
	default:
		w.Text = append(append(w.Text, f.amounts()...), phrase.Say(in)...)
	}
	if lost := phrase.LikelyLoss(f.Likely); lost != "" {
		w.Text = append(w.Text, phrase.Say("; "+lost)...)
	}
	w.Text = append(w.Text, phrase.Say(".")...)
	if missing := f.Worth.Missing; len(f.Coins) > 1 && len(missing) > 0 {
		w.Text = append(w.Text, phrase.Say(" "+phrase.Unpriced(missing))...)
	}
	return w
}

// amounts are what is at risk in each coin: "120.00 USDT, 3.00 USDC and 0.5 BTC".
func (f Silent) amounts() (list []phrase.Fragment) {
	for i, c := range f.Coins {
		switch {
		case i > 0 && i == len(f.Coins)-1:
			list = append(list, phrase.Say(" and ")...)
		case i > 0:
			list = append(list, phrase.Say(", ")...)
		}
		list = append(list, phrase.Say(money(c.AtRisk, c.Coin))...)
	}
	return list
}

// worklist returns the address of the list of exactly the invitees that a finding counts.
func (a About) worklist() string {
	q := query.Query{Range: query.Last30, Account: a.Query.Account, Segment: a.Query.Segment,
		AsOf: a.Query.AsOf, Page: 1, Per: query.DefaultPer}
	q.SetOwn("reason", "silent")
	q.SetOwn("show", "all")
	values := q.Values()
	values.Del("sort")
	return "/worklist?" + values.Encode()
}

// findSilent finds the invitees whose commission is at risk, by the same rule as
// [invitees.ChoiceAtRisk]. Those of all coins are one finding.
func findSilent(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	list, err := silences(ctx, s)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	past, err := invitees.ReadPastAbsences(ctx, s.Snapshot)
	if err != nil {
		return nil, err
	}
	worth := func(c Silence) decimal.Decimal {
		return s.Prices.Worth(affiliate.Amount{Value: c.AtRisk, Coin: c.Coin}).Total
	}
	slices.SortStableFunc(list, func(a, b Silence) int { return worth(b).Cmp(worth(a)) })
	f := Silent{Coins: list}
	type one struct {
		account affiliate.Account
		uid     affiliate.UID
	}
	each := map[one]bool{}
	var amounts []affiliate.Amount
	var risks []losses.CoinRisk
	for _, c := range list {
		risk := losses.CoinRisk{Coin: c.Coin}
		for _, i := range c.Most {
			each[one{i.Account, i.UID}] = true
			risk.Silent = append(risk.Silent, losses.RiskyInvitee{Days: i.Days, UsualGap: i.UsualGap, Usual: i.AtRisk})
		}
		if risk.LikelyLoss, err = losses.Likely(past, c.Coin, risk.Silent); err != nil {
			return nil, err
		}
		risks, amounts = append(risks, risk), append(amounts, affiliate.Amount{Value: c.AtRisk, Coin: c.Coin})
	}
	f.Count, f.Worth, f.Likely = len(each), s.Prices.Worth(amounts...), risks[0].LikelyLoss
	if len(risks) > 1 {
		f.Likely, err = losses.Together(past, risks, s.Prices)
	}
	return []Finding{f}, err
}

// MakeSilent lists, by coin, all invitees who fell silent.
func MakeSilent(ctx context.Context, q *snapshot.Snapshot) ([]Silence, error) {
	s, err := recent.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return silences(ctx, s)
}

// silences lists what silent invitees used to bring, by coin, with the highest amount at risk first in each.
func silences(ctx context.Context, s *recent.Snapshot) ([]Silence, error) {
	snapshot, err := invitees.ReadSnapshot(ctx, s.Snapshot)
	if err != nil {
		return nil, err
	}
	risks, err := invitees.ReadRisks(ctx, s.Snapshot, snapshot)
	if err != nil {
		return nil, err
	}
	byCoin := map[affiliate.Coin]*Silence{}
	for i := range snapshot.Lines {
		line := &snapshot.Lines[i]
		if s.Account != "" && line.Account != s.Account {
			continue
		}
		for _, amount := range risks.Of(line) {
			if !s.Matters(amount.Value, amount.Coin) {
				continue
			}
			f := byCoin[amount.Coin]
			if f == nil {
				f = &Silence{Coin: amount.Coin}
				byCoin[amount.Coin] = f
			}
			f.Count++
			f.AtRisk = f.AtRisk.Add(amount.Value)
			f.Most = append(f.Most, SilentInvitee{Account: line.Account, UID: line.UID, Last: line.LastTradeDay,
				Days: int(s.Today - line.LastTradeDay), UsualGap: line.UsualGap, AtRisk: amount.Value})
		}
	}
	var found []Silence
	for _, coin := range slices.Sorted(maps.Keys(byCoin)) {
		f := byCoin[coin]
		slices.SortFunc(f.Most, func(a, b SilentInvitee) int {
			return cmp.Or(b.AtRisk.Cmp(a.AtRisk), cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID))
		})
		found = append(found, *f)
	}
	return found, nil
}

// silentSignals reports invitees who stopped trading. An invitee who trades again and
// falls silent again is reported again.
func silentSignals(ctx context.Context, w *Watched, matters func(affiliate.Coin, decimal.Decimal) bool) (found []Signal, err error) {
	list, err := ask(ctx, w, query.Query{Account: w.Account, Segment: w.Segment, Zone: w.Zone, Today: w.today()}, MakeSilent)
	for _, f := range list {
		for _, one := range f.Most {
			if !matters(f.Coin, one.AtRisk) {
				continue
			}
			found = append(found, Signal{
				Key: fmt.Sprintf("silence|%s|%s|%s|%s", one.Account, one.UID, f.Coin, one.Last),
				Words: fmt.Sprintf("Invitee %s of %s stopped trading: the last trade was %s, %s ago, the usual gap is %s; it used to bring %s in 30 days",
					affiliate.OneLine(string(one.UID)), affiliate.OneLine(string(one.Account)), one.Last.Format("2 Jan 2006"), phrase.Things(one.Days, "day"), one.UsualGap.Words(), money(one.AtRisk, f.Coin)),
				Page:   withQuery("/invitees/"+url.PathEscape(string(one.UID)), "account", string(one.Account)),
				Detail: details("account", string(one.Account), "uid", string(one.UID), "coin", string(f.Coin), "at_risk", one.AtRisk.String(), "last_trade", one.Last.String(), "days_silent", fmt.Sprint(one.Days)),
			})
		}
	}
	return found, err
}
