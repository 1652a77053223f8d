package templates

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

// rankingWords are what a ranking is called.
type rankingWords struct {
	ID      string
	Title   string
	Unknown string // a line without a name
}

func rankingOf(by reports.RankBy) rankingWords {
	w := rankingWords{ID: "ranking-" + string(by), Unknown: notGiven}
	switch by {
	case reports.RankInvitees:
		w.Title = "Top invitees"
	case reports.RankPairs:
		w.Title = "Top pairs"
	case reports.RankCodes:
		w.Title, w.Unknown = "Top invite codes", "Code not known"
	case reports.RankProducts:
		w.Title = "By product"
	case reports.RankSources:
		w.Title = "Direct and sub-agents"
	case reports.RankCoins:
		w.Title = "By coin"
	}
	return w
}

// rankName is the name of a line to show.
func rankName(by reports.RankBy, line reports.RankLine) string {
	switch by {
	case reports.RankProducts:
		return affiliate.Product(line.Name).Label()
	case reports.RankSources:
		return affiliate.Source(line.Name).Label()
	}
	return line.Name
}

// rankHref leads to what is behind a line; empty where nothing can be asked for.
func rankHref(by reports.RankBy, line reports.RankLine, l Links) string {
	switch {
	case line.Name == "":
		return ""
	case by == reports.RankInvitees:
		return l.invitee(line.Name)
	case by == reports.RankPairs:
		return l.To("/commissions", "symbol", line.Name)
	case by == reports.RankCodes:
		return l.To("/codes", "code", line.Name)
	case by == reports.RankProducts && affiliate.Product(line.Name).Known():
		return l.To("/commissions", "product", line.Name)
	case by == reports.RankSources && (line.Name == string(affiliate.Direct) || line.Name == string(affiliate.SubAgent)):
		return l.To("/commissions", "source", line.Name)
	case by == reports.RankCoins:
		return l.To("/commissions", "coin", line.Name)
	}
	return ""
}

func rankTitle(line reports.RankLine) string {
	return line.Commission.Amount.Exact() + " of " + things(line.Records, "record") + ", fees paid by invitees " + line.Fee.Exact()
}

// barOf is the length of a line's bar: coins do not compare but by what they
// are worth.
func barOf(r reports.Ranking, line reports.RankLine) string {
	if r.By == reports.RankCoins {
		return share(line.Share.Percent, decimal.NewFromInt(100))
	}
	return share(line.Commission.Amount.Value, r.Lines[0].Commission.Amount.Value)
}

// shareWords say what the shares of a ranking are of.
func shareWords(r reports.Ranking, q reports.Query) string {
	text := "Share of all " + string(r.Coin) + " commission in the range"
	if r.By == reports.RankCoins {
		text = "Share of the converted total"
		if len(r.Lines) > 0 && !r.Lines[0].Share.Known {
			text = "No shares: not every coin has a price to convert it by"
		}
	}
	if q.Compare != reports.CompareNone && len(r.Lines) > 0 && r.Lines[0].Commission.Change.Open {
		text += "; changes up to now"
	}
	return text
}
