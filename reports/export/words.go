package export

import (
	"strings"

	"rebatedesk/affiliate"
)

// commonWords give the meaning and unit of columns that several tables have. A column that one
// table has, or that means something else there, says it itself: [Column.Means].
var commonWords = func() map[string]string {
	words := map[string]string{
		"bill_id":           "Id of the bill at the exchange.",
		"coin_id":           "Id of the coin at the exchange.",
		"amount":            "Amount, in coin; negative if it left the wallet.",
		"account":           "Account of the exchange, by its name in this program.",
		"invite_code":       "Invite code by which the invitee registered; unknown if neither the exchange nor the people file tells it.",
		"deal_time_utc":     "When the trade was made, UTC.",
		"first_seen_utc":    "When the program first read it, UTC.",
		"date":              "Day: of the reporting zone; of UTC for sub-affiliates.",
		"records":           "Number of commission records.",
		"register_time_utc": "When the invitee registered, UTC.",
		"kyc":               "Whether the identity is verified.",
		"last_trade_utc":    "Last trade, UTC.",
		"state":             "State of the invitee, such as active or silent.",
		"days_silent":       "Whole days since the last trade.",
		"usual_gap_days":    "Usual number of days between trades of this invitee.",
		"at_risk":           "Commission of a usual month that is at risk, in coin.",
		"name":              "Name of the invitee, if you may see it.",
		"difference":        "What happened minus what was due, in coin; a loss is negative.",
		"from":              "First day, included.",
		"to":                "Last day, included.",
		"registrations":     "Number of registrations.",
		"month":             "Calendar month, as 2026-09.",
		"records_closed":    "Records as closed.",
		"records_now":       "Records as known now.",
		"after_close":       "Commission that became known after the closing, in coin.",
		"active_traders":    "Invitees with a commission record.",
	}
	for _, f := range affiliate.CommissionFields {
		words[f.Column] = f.Words
	}
	for _, f := range affiliate.SummedFields {
		name := strings.ToUpper(f.Column[:1]) + strings.ReplaceAll(f.Column[1:], "_", " ")
		words[f.Column+"_closed"], words[f.Column+"_now"] = name+" as closed, in coin.", name+" as known now, in coin."
	}
	return words
}()

// WordsOf gives the meaning and unit of a column that is none of a table; empty: only its name is known.
func WordsOf(name string) string { return commonWords[name] }
