package earnings

import (
	"net/url"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/sums"
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

// rankingView is a ranking of a page.
type rankingView struct {
	figures.Ranking
	Links    ui.Links
	Accounts bool // there are several
	Wide     bool // takes the room of two
}

// narrow limits a query to the records of a line. It returns false if no query selects them.
func (v rankingView) narrow(line figures.RankLine, q *query.Query) bool {
	if v.Coin != "" {
		q.Coin = v.Coin
	}
	switch v.By {
	case figures.RankInvitees:
		q.UID = affiliate.UID(line.Name)
		if account := ui.AccountOf(line.Account, v.Accounts); account != "" {
			q.Account = account
		}
	case figures.RankPairs:
		q.Symbol = line.Name
	case figures.RankCodes:
		q.Code = line.Name
	case figures.RankProducts:
		q.Product = affiliate.Product(line.Name)
		return q.Product.Known()
	case figures.RankSources:
		q.Source = affiliate.Source(line.Name)
		return q.Source == affiliate.Direct || q.Source == affiliate.SubAgent
	case figures.RankCoins:
		q.Coin = affiliate.Coin(line.Name)
	}
	return line.Name != ""
}

// href links to the page about a line, where the sum is that of the line: the filters of the page and
// the coin of the ranking go with it. It is empty if no query selects the line.
func (v rankingView) href(line figures.RankLine) string {
	fits := true
	narrow := func(q *query.Query) { fits = v.narrow(line, q) }
	path := "/commissions"
	switch {
	case v.Links.Query.Text != "": // a search text means something else on the pages of people
	case v.By == figures.RankInvitees:
		path = "/invitees/" + url.PathEscape(line.Name)
		narrow = func(q *query.Query) {
			fits = v.narrow(line, q)
			q.UID, q.Code, q.Segment = "", "", "" // the page is about one invitee, whom these left
		}
	case v.By == figures.RankCodes:
		path = "/codes"
	}
	if href := v.Links.SameRecords(path, narrow); fits {
		return href
	}
	return ""
}

// all links to the page that lists every line in the order of the ranking, with the filters of the
// page, and says what it lists.
func (v rankingView) all() (href, words string) {
	inCoin := func(q *query.Query) { q.Coin = v.Coin }
	switch v.By {
	case figures.RankInvitees:
		if v.Links.Query.Text != "" {
			return v.Links.PivotBy(string(sums.AxisInvitee), v.Coin), "invitees"
		}
		return v.Links.SameRecords("/invitees", func(q *query.Query) {
			inCoin(q)
			q.State = invitees.ChoiceTraded
		}), "invitees"
	case figures.RankCodes:
		if v.Links.Query.Text != "" {
			return v.Links.PivotBy(string(sums.AxisCode), v.Coin), "invite codes"
		}
		return v.Links.SameRecords("/codes", inCoin), "invite codes"
	case figures.RankPairs:
		return v.Links.PivotBy(string(sums.AxisSymbol), v.Coin), "pairs"
	case figures.RankProducts:
		return v.Links.PivotBy(string(sums.AxisProduct), v.Coin), "products, by month"
	case figures.RankSources:
		return v.Links.PivotBy(string(sums.AxisSource), v.Coin), "sources, by month"
	}
	return v.Links.PivotBy(string(sums.AxisCoin), ""), "coins, by month"
}

// twoLines reports whether a second line has the code of an invitee, the days and the change.
func twoLines(line figures.RankLine) bool {
	return line.Commission.Change.Kind != figures.ChangeNone || len(line.Trend.Values) > 0
}

// drivers returns the address of what moved the commission of a line; it is empty if no query
// selects it.
func (v rankingView) drivers(line figures.RankLine) string {
	fits := true
	href := v.Links.Drivers(func(q *query.Query) {
		fits = v.narrow(line, q)
		if v.By == figures.RankInvitees {
			q.By = string(drivers.ByPair)
		}
	})
	if !fits {
		return ""
	}
	return href
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
func barOf(r figures.Ranking, line figures.RankLine) ui.Bar {
	if r.By == figures.RankCoins {
		return ui.BarOf(line.Share.Percent, decimal.Zero, decimal.NewFromInt(100))
	}
	return ui.BarOf(line.Commission.Amount.Value, r.Lines[len(r.Lines)-1].Commission.Amount.Value, r.Lines[0].Commission.Amount.Value)
}

// ofPositive reports whether shares are of the positive lines only.
func ofPositive(r figures.Ranking) bool {
	return slices.ContainsFunc(r.Lines, func(l figures.RankLine) bool { return l.Share.OfPositive })
}

// shareWords explains what the shares of a ranking refer to.
func shareWords(r figures.Ranking, q query.Query) string {
	text := "Share of all " + string(r.Coin) + " commission in the range"
	if ofPositive(r) {
		text = "Share of the positive " + string(r.Coin) + " commission in the range"
	}
	if r.By == figures.RankCoins {
		if text = "Share of the converted total"; ofPositive(r) {
			text = "Share of the positive part of the converted total"
		}
		if len(r.Lines) > 0 && !slices.ContainsFunc(r.Lines, func(l figures.RankLine) bool { return l.Share.Known }) {
			text = "No shares: not every coin has a price to convert it by"
		}
	}
	if q.Compare != query.CompareNone && len(r.Lines) > 0 && r.Lines[0].Commission.Change.Open {
		text += "; changes up to now"
	}
	return text
}
