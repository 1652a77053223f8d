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
		return Comparison{"▲", Growth(c), "up"}
	case figures.ChangeDown:
		return Comparison{"▼", Growth(c), "down"}
	case figures.ChangeNew:
		return Comparison{"", "new", "from zero in the compared period"}
	case figures.ChangeSame:
		return Comparison{"", "no change", "against the compared period"}
	case figures.ChangeUnknown:
		return Comparison{"", Dash, "cannot be told: the compared period is not collected completely"}
	}
	return Comparison{}
}

// Points words how a percentage compares, in percentage points: "0.25 pp". It is empty if
// nothing is compared.
func Points(c figures.PointChange) Comparison {
	words := Change(figures.Change{Kind: c.Kind})
	if c.Kind == figures.ChangeUp || c.Kind == figures.ChangeDown {
		words.Text = affiliate.Cents(c.Points.Abs()) + Space + "pp"
		words.Meaning += ", in percentage points"
	}
	return words
}

// Growth prints a change without its sign: "12.5 %", "0.01 %", "× 136", "from nearly
// nothing". It is empty if nothing is compared, unknown, or without a percentage because
// the reference is zero or below.
func Growth(c figures.Change) string {
	switch {
	case c.Percent.IsZero():
		return ""
	case isFactor(c.Percent):
		return factor(c.Percent.Shift(-2).Add(decimal.NewFromInt(1)))
	}
	return percent(c.Percent.Abs())
}
