package phrase

import (
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/tiers"
	"rebatedesk/terms"
)

// AgreedRate prints an agreed rate in percent, with all its digits.
func AgreedRate(rate affiliate.Number) string { return rate.Decimal().Shift(2).String() + Space + "%" }

// TermScope names what a term is about, without the value of its scope.
func TermScope(k terms.Key) string {
	switch {
	case k.Scope == terms.ScopeAll:
		return "Everyone"
	case k.Scope == terms.ScopeCode:
		return "Invite code"
	case k.Scope == terms.ScopeUID:
		return "Invitee"
	case k.Value == "":
		return "Every sub-affiliate"
	}
	return "Sub-affiliate"
}

// TermNarrowed says what else narrows a term: its account, product and source.
func TermNarrowed(k terms.Key) string {
	var parts []string
	if k.Account != "" {
		parts = append(parts, "account "+string(k.Account))
	}
	if k.Product != "" {
		parts = append(parts, k.Product.Label())
	}
	switch k.Source {
	case affiliate.Direct:
		parts = append(parts, "direct clients")
	case affiliate.SubAgent:
		parts = append(parts, "clients of sub-agents")
	}
	return strings.Join(parts, ", ")
}

// TierAgreement names what the rates of a tier are about.
func TierAgreement(t *tiers.Tier) string {
	key := t.Key
	if t.Who != "" {
		key.Value = string(t.Who)
	}
	words := TermScope(key)
	if key.Value != "" {
		words += " " + affiliate.Visible(key.Value)
	}
	if rest := TermNarrowed(key); rest != "" {
		words += ", " + affiliate.Visible(rest)
	}
	return words
}

// TierFigure prints a figure of tiers with its unit.
func TierFigure(by terms.TierBy, n affiliate.Number) string {
	if by == terms.TierByActiveTraders {
		return Things(int(n.Decimal().IntPart()), "active trader")
	}
	return affiliate.Amount{Value: n.Decimal(), Coin: "USDT"}.String()
}

// Tier says in a sentence what the next tier lacks, when it is reached at the present pace, and what it is
// worth.
func Tier(t *tiers.Tier) string {
	words := TierAgreement(t) + ": " + TierLacks(t)
	if worth := TierWorth(t); t.Who != "" && worth != "" {
		due := affiliate.Amount{Value: t.Worth[0].Value.Neg(), Coin: t.Worth[0].Coin}
		words += "; by what is known now " + due.String() + " more are due to it in the month"
	} else if worth != "" {
		words += "; by what is known now that is worth " + worth + " in the month"
	}
	return words + "."
}

// TierLacks says what the next tier lacks, and when it is reached at the present pace: "the rate becomes 45 %
// with 240,000.00 USDT more of volume, at the present pace on 27 November".
func TierLacks(t *tiers.Tier) string {
	words := "the rate becomes " + AgreedRate(t.Next.Rate) + " with " + TierFigure(t.By, t.Missing) + " more"
	if t.By == terms.TierByVolume {
		words += " of volume"
	}
	if t.ReachedOn != 0 {
		words += ", at the present pace on " + t.ReachedOn.Format("2 January")
	}
	return words
}

// TierWorth prints what a tier is worth; empty if that is not known.
func TierWorth(t *tiers.Tier) string {
	switch {
	case len(t.Worth) == 1:
		return t.Worth[0].String()
	case len(t.Worth) > 1 && len(t.Valued.Missing) == 0:
		return "≈" + Space + t.Valued.Amount().String()
	}
	return ""
}
