package earnings

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates/ui"
)

// rankingWords are the titles of a ranking.
type rankingWords struct {
	ID      string
	Title   string
	Unknown string // a line without a name
}

func rankingOf(by figures.RankBy) rankingWords {
	w := rankingWords{ID: "ranking-" + string(by), Unknown: ui.NotGiven}
	switch by {
	case figures.RankInvitees:
		w.Title = "Top invitees"
	case figures.RankPairs:
		w.Title = "Top pairs"
	case figures.RankCodes:
		w.Title, w.Unknown = "Top invite codes", "Code not known"
	case figures.RankProducts:
		w.Title = "By product"
	case figures.RankSources:
		w.Title = "Direct and sub-agents"
	case figures.RankCoins:
		w.Title = "By coin"
	}
	return w
}

// rankName returns the displayed name of a line.
func rankName(by figures.RankBy, line figures.RankLine) string {
	switch by {
	case figures.RankProducts:
		return affiliate.Product(line.Name).Label()
	case figures.RankSources:
		return affiliate.Source(line.Name).Label()
	case figures.RankPairs:
		return affiliate.MarketPair(line.Name)
	}
	return line.Name
}

// rankHref links to the details of a line; it is empty if no query selects them.
func rankHref(by figures.RankBy, line figures.RankLine, l ui.Links) string {
	switch {
	case line.Name == "":
		return ""
	case by == figures.RankInvitees:
		return l.Invitee(line.Name)
	case by == figures.RankPairs:
		return l.To("/commissions", "symbol", line.Name)
	case by == figures.RankCodes:
		return l.To("/codes", "code", line.Name)
	case by == figures.RankProducts && affiliate.Product(line.Name).Known():
		return l.To("/commissions", "product", line.Name)
	case by == figures.RankSources && (line.Name == string(affiliate.Direct) || line.Name == string(affiliate.SubAgent)):
		return l.To("/commissions", "source", line.Name)
	case by == figures.RankCoins:
		return l.To("/commissions", "coin", line.Name)
	}
	return ""
}

// twoLines reports whether a second line has the code of an invitee, the days and the change.
func twoLines(line figures.RankLine) bool {
	return line.Commission.Change.Kind != figures.ChangeNone || len(line.Trend.Values) > 0
}

// rankDrivers returns the address of what moved the commission of a line; it is empty if no
// query selects it.
func rankDrivers(r figures.Ranking, line figures.RankLine, l ui.Links) string {
	narrow := map[figures.RankBy]func(*query.Query){
		figures.RankInvitees: func(q *query.Query) {
			q.UID, q.Account, q.By = affiliate.UID(line.Name), line.Account, string(drivers.PairDrivers)
		},
		figures.RankPairs:    func(q *query.Query) { q.Symbol = line.Name },
		figures.RankCodes:    func(q *query.Query) { q.Code = line.Name },
		figures.RankProducts: func(q *query.Query) { q.Product = affiliate.Product(line.Name) },
		figures.RankSources:  func(q *query.Query) { q.Source = affiliate.Source(line.Name) },
		figures.RankCoins:    func(q *query.Query) { q.Coin = affiliate.Coin(line.Name) },
	}[r.By]
	if rankHref(r.By, line, l) == "" {
		return ""
	}
	return l.Drivers(func(q *query.Query) {
		q.Coin = r.Coin
		narrow(q)
	})
}

func rankTitle(by figures.RankBy, line figures.RankLine) string {
	title := line.Commission.Amount.Exact() + " of " + phrase.Things(line.Records, "record") + ", fees paid by invitees " + line.Fee.Exact()
	if by == figures.RankPairs && line.Name != "" {
		title = line.Name + ": " + title
	}
	return title
}

// barOf returns the length of a line's bar: coins are compared only by their converted
// value.
func barOf(r figures.Ranking, line figures.RankLine) string {
	if r.By == figures.RankCoins {
		return ui.BarLength(line.Share.Percent, decimal.NewFromInt(100))
	}
	return ui.BarLength(line.Commission.Amount.Value, r.Lines[0].Commission.Amount.Value)
}

// shareWords explains what the shares of a ranking refer to.
func shareWords(r figures.Ranking, q query.Query) string {
	text := "Share of all " + string(r.Coin) + " commission in the range"
	if r.By == figures.RankCoins {
		text = "Share of the converted total"
		if len(r.Lines) > 0 && !r.Lines[0].Share.Known {
			text = "No shares: not every coin has a price to convert it by"
		}
	}
	if q.Compare != query.CompareNone && len(r.Lines) > 0 && r.Lines[0].Commission.Change.Open {
		text += "; changes up to now"
	}
	return text
}
