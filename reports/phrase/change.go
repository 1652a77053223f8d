package phrase

import (
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

// Comparison is a change in words: a sign, a text, and their meaning.
type Comparison struct{ Sign, Text, Meaning string }

// String returns the sign and the text: "▲ 12.5 %".
func (c Comparison) String() string { return strings.TrimSpace(c.Sign + " " + c.Text) }

// Change words how a figure compares. It is empty if nothing is compared.
func Change(c figures.Change) Comparison {
	switch c.Kind {
	case figures.ChangeUp:
		return Comparison{"▲", growthOrAmount(c), "up" + fromWhere(c)}
	case figures.ChangeDown:
		return Comparison{"▼", growthOrAmount(c), "down" + fromWhere(c)}
	case figures.ChangeSame:
		return Comparison{"", "no change", "against the compared period"}
	case figures.ChangeUnknown:
		return Comparison{"", Dash, "cannot be told: the compared period is not collected completely"}
	}
	return Comparison{}
}

// growthOrAmount prints a change without its sign: in percent or, if it has no percentage, as an
// amount.
func growthOrAmount(c figures.Change) string {
	if c.Relative() {
		return Growth(c)
	}
	return affiliate.Amount{Value: c.By.Value.Abs(), Coin: c.By.Coin}.String()
}

// fromWhere says why a change has no percentage.
func fromWhere(c figures.Change) string {
	switch {
	case c.Relative():
		return ""
	case c.From == 0:
		return ", from zero in the compared period"
	case c.From < 0:
		return ", from a negative amount in the compared period"
	}
	return ", to a negative amount"
}

// presences name in which of two periods an invitee or a code had commission.
var presences = map[figures.Presence]Comparison{
	figures.PresentNew:      {"", "new", "their first commission is in the range"},
	figures.PresentSince:    {"", "began in between", "no commission in the compared period; their first lies between the two periods"},
	figures.PresentBack:     {"", "traded again", "no commission in the compared period, and some before it"},
	figures.PresentNoLonger: {"", "stopped trading", "commission in the compared period, and none in the range"},
	figures.PresentInBoth:   {"", "in both periods", "commission in both periods"},
}

// Presence names a presence, with what it means.
func Presence(p figures.Presence) Comparison { return presences[p] }

// shortRange is how many days a range has at least in which somebody who did not trade has stopped.
const shortRange = 14

// pauses take the place of words of [Presence] in a shorter range, in which a pause says little.
var pauses = map[figures.Presence]Comparison{
	figures.PresentBack:     {"", "traded again", "no commission in the compared period, and some before it; both are short"},
	figures.PresentNoLonger: {"", "did not trade", "commission in the compared period, and none in the range, which is too short to say more"},
}

// PresenceIn is [Presence] in a range.
func PresenceIn(p figures.Presence, days affiliate.Days) Comparison {
	if words, ok := pauses[p]; ok && days.Len() < shortRange {
		if days.Len() == 1 {
			words.Text += " on " + days.First.Format("2 Jan")
		}
		return words
	}
	return Presence(p)
}

// PresentPeople names a number of invitees or codes, such as "invitee", by their presence: "28 invitees that stopped
// trading", or "2 new codes".
func PresentPeople(n int, one string, p figures.Presence, days affiliate.Days) string {
	if p == figures.PresentNew {
		return Things(n, Presence(p).Text+" "+one)
	}
	return Things(n, one) + " that " + PresenceIn(p, days).Text
}

// ChangeOf words how an invitee or a code compares: who had no commission in the compared period
// is named by what that means in a range, others have their change.
func ChangeOf(c figures.Change, p figures.Presence, days affiliate.Days) Comparison {
	if c.Kind == figures.ChangeNone || c.Kind == figures.ChangeUnknown || p == "" || p == figures.PresentInBoth || p == figures.PresentNoLonger {
		return Change(c)
	}
	return PresenceIn(p, days)
}

// Points words how a percentage compares, in percentage points: "0.25 pp". It is empty if
// nothing is compared.
func Points(c figures.PointChange) Comparison {
	words := Change(figures.Change{Kind: c.Kind, Percent: c.Points})
	if c.Kind == figures.ChangeUp || c.Kind == figures.ChangeDown {
		words.Text = affiliate.Cents(c.Points.Abs()) + Space + "pp"
		words.Meaning += ", in percentage points"
	}
	return words
}

// Growth prints a change without its sign: "12.5 %", "0.01 %", "× 136", "from nearly
// nothing". It is empty if nothing is compared, unknown, or without a percentage.
func Growth(c figures.Change) string {
	switch {
	case c.Percent.IsZero():
		return ""
	case isFactor(c.Percent):
		return factor(c.Percent.Shift(-2).Add(decimal.NewFromInt(1)))
	}
	return percent(c.Percent.Abs())
}
