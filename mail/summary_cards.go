package mail

import (
	"strings"

	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
)

// Card is one figure with its comparisons.
type Card struct {
	Label, Value, Exact string
	Changes             []CardChange // first the comparison that the rest of the message uses
}

// CardChange is a change, its tone, and its reference: "week 34".
type CardChange struct{ Words, Tone, Against string }

// cardsOf returns the four figures at the top. Their comparisons are added later.
func cardsOf(view overview.Report, against string) []Card {
	cards := []Card{{Label: "Commission", Value: "0"}, {Label: "Fees paid by invitees", Value: "0"}}
	if view.Empty != "" && view.Empty != coverage.EmptyTruly && view.Empty != coverage.EmptyFiltered {
		cards[0].Value, cards[1].Value = phrase.Dash, phrase.Dash
	}
	if len(view.Cards) > 0 {
		main := view.Cards[0]
		cards[0], cards[1] = amountCard("Commission", main.Commission, against), amountCard("Fees paid by invitees", main.Fee, against)
	}
	return append(cards, countCard("New invitees", view.Invitees.Registered, against), countCard("Active traders", view.Invitees.ActiveTraders, against))
}

func amountCard(label string, f figures.Figure, against string) Card {
	return Card{label, f.Amount.String(), f.Amount.Exact(), deltas(f.Change, against)}
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
func leadOf(view overview.Report) string {
	var parts []string
	for i, c := range view.Cards {
		if i == 3 {
			break
		}
		parts = append(parts, strings.TrimSpace(c.Commission.Amount.String()+" "+phrase.Change(c.Commission.Change).String()))
	}
	if len(parts) == 0 {
		parts = append(parts, phrase.Empty(view.Empty))
	}
	if n := view.Invitees.Registered; n.Known {
		parts = append(parts, phrase.Things(n.N, "new invitee"))
	}
	if n := view.Invitees.ActiveTraders; n.Known {
		parts = append(parts, phrase.Things(n.N, "active trader"))
	}
	return strings.Join(parts, " · ")
}
