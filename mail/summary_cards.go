package mail

import (
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
)

// Card is one figure with its comparisons.
type Card struct {
	Label, Value, Exact string
	Changes             []CardChange // first the comparison that the rest of the message uses
	Note                string       // what else belongs to the figure; may be empty
}

// CardChange is a change, its tone, and its reference: "week 34".
type CardChange struct{ Words, Tone, Against string }

// cardsOf returns the four figures at the top: what was earned in all coins, what of it was paid, and who
// earned it. Their comparisons are added later.
func cardsOf(e phrase.EarnedFacts, zone *time.Location, against string) []Card {
	return []Card{earnedCard(e, zone, against), secondCard(e, zone, against), countCard("New invitees", e.Invitees.Registered, against), countCard("Active traders", e.Invitees.ActiveTraders, against)}
}

func earnedCard(e phrase.EarnedFacts, zone *time.Location, against string) Card {
	card := Card{Label: "Earned", Value: "0"}
	switch {
	case len(e.Cards) == 0 && e.Empty != "" && e.Empty != coverage.EmptyTruly && e.Empty != coverage.EmptyFiltered:
		card.Value = phrase.Dash
	case len(e.Cards) > 0:
		change, _ := e.Change()
		card.Value, card.Exact, card.Changes = e.Total().String(), e.Total().Exact(), deltas(change, against)
		switch {
		case e.Converted():
			card.Label, card.Exact = "Earned, all coins converted", phrase.Valuation(e.Valued.Valuation, zone)
		case len(e.Cards) > 1:
			card.Label = "Earned in " + affiliate.OneLine(string(e.Coin))
		}
	}
	return card
}

// secondCard says what was paid for the period, or if that is not known which fees it was earned from.
func secondCard(e phrase.EarnedFacts, zone *time.Location, against string) Card {
	if p := e.Payments; p != nil && p.Known() && p.Ruled() {
		card := Card{Label: "Paid for it", Note: "nothing of it is overdue"}
		card.Value, card.Exact = oneSum(payments.Amounts(p.InRange, func(b *payments.CoinBalance) affiliate.Sum { return b.Paid }), p.PaidWorth, zone, "nothing yet")
		if len(p.Overdue) > 0 {
			words, _ := oneSum(p.Overdue, p.OverdueWorth, zone, "")
			card.Note = words + " overdue"
		}
		return card
	}
	card := Card{Label: "Fees paid by invitees", Value: "0"}
	switch {
	case len(e.Cards) > 0:
		main := e.Cards[max(0, slices.IndexFunc(e.Cards, func(c figures.CoinCard) bool { return c.Coin == e.Coin }))]
		card = amountCard(card.Label, main.Fee, against)
	case e.Empty != "" && e.Empty != coverage.EmptyTruly && e.Empty != coverage.EmptyFiltered:
		card.Value = phrase.Dash
	}
	return card
}

// oneSum prints amounts of several coins as one, or lists them if a price is not known.
func oneSum(list []affiliate.Amount, worth figures.Valuation, zone *time.Location, none string) (words, exact string) {
	switch {
	case len(list) == 0:
		return none, ""
	case len(list) == 1:
		return list[0].String(), list[0].Exact()
	case worth.Known() && len(worth.Missing) == 0:
		return "≈" + phrase.Space + worth.Amount().String(), phrase.Valuation(worth, zone)
	}
	texts, exacts := make([]string, len(list)), make([]string, len(list))
	for i, a := range list {
		texts[i], exacts[i] = a.String(), a.Exact()
	}
	return phrase.Listed(texts), strings.Join(exacts, "\n")
}

func amountCard(label string, f figures.Figure, against string) Card {
	return Card{Label: label, Value: f.Amount.String(), Exact: f.Amount.Exact(), Changes: deltas(f.Change, against)}
}

func countCard(label string, c figures.Count, against string) Card {
	if !c.Known {
		return Card{Label: label, Value: phrase.Dash, Exact: c.Reason}
	}
	card := Card{Label: label, Value: phrase.Count(c.N), Changes: deltas(c.Change, against)}
	if c.AtLeast {
		card.Value, card.Exact = "≥ "+card.Value, c.Reason
	}
	return card
}

// deltas returns one change, or none without a comparison.
func deltas(c figures.Change, against string) []CardChange {
	words := phrase.Change(c).String()
	if words == "" {
		return nil
	}
	return []CardChange{{words, toneOf(c), against}}
}

// leadOf returns the line that mail programs show next to the subject.
func leadOf(e phrase.EarnedFacts) string {
	var parts []string
	if len(e.Cards) == 0 {
		parts = append(parts, phrase.Empty(e.Empty))
	} else {
		change, _ := e.Change()
		parts = append(parts, strings.TrimSpace(e.Total().String()+" "+phrase.Change(change).String()))
	}
	if n := e.Invitees.Registered; n.Known {
		parts = append(parts, phrase.Things(n.N, "new invitee"))
	}
	if n := e.Invitees.ActiveTraders; n.Known {
		parts = append(parts, phrase.Things(n.N, "active trader"))
	}
	return strings.Join(parts, " · ")
}
