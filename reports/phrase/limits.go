package phrase

import (
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
)

// Limits says of accounts what their records do not tell, in a sentence for each exchange.
func Limits(list []coverage.Limit) (sentences []string) {
	var sheets []*affiliate.Sheet
	of := map[*affiliate.Sheet][]string{}
	for _, l := range list {
		if of[l.Sheet] == nil {
			sheets = append(sheets, l.Sheet)
		}
		of[l.Sheet] = append(of[l.Sheet], string(l.Account))
	}
	for _, sheet := range sheets {
		words := Listed(of[sheet]) + ": " + sheet.Title
		var parts []string
		if grain := Grain(sheet); grain != "" {
			parts = append(parts, "states "+grain)
		}
		if unknown := UnknownColumns(sheet); unknown != "" {
			parts = append(parts, "does not tell "+unknown+", which is left out of sums and rates")
		}
		sentences = append(sentences, words+" "+strings.Join(parts, ", and ")+".")
	}
	return sentences
}

// Grain says what one record of commission covers, if that is more than an instant.
func Grain(sheet *affiliate.Sheet) string {
	switch sheet.Grain {
	case affiliate.GrainDay:
		if sheet.DayZone == "UTC" {
			return "figures by day"
		}
		return "figures by day of " + sheet.DayZone + ", which count on the day on which it begins"
	case affiliate.GrainSpan:
		return "figures that only grow; what was added between two readings counts on the day of the first"
	}
	return ""
}

// unknownWords are the columns of commissions in words.
var unknownWords = map[string]string{"fee": "the fee", "rate": "the rate", "symbol": "the pair", "product_type": "the product", "invite_code": "the invite code"}

// UnknownColumns lists what an exchange never tells of a commission, in words.
func UnknownColumns(sheet *affiliate.Sheet) string {
	var words []string
	for _, column := range sheet.Unknown {
		word := unknownWords[column]
		if word == "" {
			word = strings.ReplaceAll(column, "_", " ")
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return Listed(words)
}
