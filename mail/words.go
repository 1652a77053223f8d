package mail

import (
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
)

// toneOf returns the tone of a change: up, down or neither.
func toneOf(c figures.Change) string {
	switch c.Kind {
	case figures.ChangeUp, figures.ChangeNew:
		return "up"
	case figures.ChangeDown:
		return "down"
	}
	return ""
}

// filterWords names the filters of a summary.
func filterWords(s Schedule) string {
	var parts []string
	var products, coins, codes []string
	for _, product := range affiliate.Choices(s.Product) {
		products = append(products, product.Label())
	}
	for _, coin := range affiliate.Choices(s.Coin) {
		coins = append(coins, affiliate.OneLine(string(coin)))
	}
	for _, code := range affiliate.Choices(s.Code) {
		codes = append(codes, affiliate.OneLine(code))
	}
	for _, values := range [][]string{products, coins} {
		if len(values) > 0 {
			parts = append(parts, phrase.Listed(values))
		}
	}
	switch len(codes) {
	case 0:
	case 1:
		parts = append(parts, "invite code "+codes[0])
	default:
		parts = append(parts, "invite codes "+phrase.Listed(codes))
	}
	return strings.Join(parts, ", ")
}
