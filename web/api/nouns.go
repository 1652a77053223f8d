package api

import "rebatedesk/reports/export"

// noun is a section of the description.
type noun struct{ title, words string }

// nouns say what each section is about. A test requires one for each operation.
var nouns = map[string]noun{
	"overview":       {"Overview", "Sums of commission for each day, account, product, coin and source."},
	"commissions":    {"Commissions", "Commission records, as the exchange listed them."},
	"payments":       {"Payments", "What was earned in each period against what was paid, and the bills behind it."},
	"rates":          {"Rates", "Agreed rates against paid rates."},
	"months":         {"Months", "Months that can be closed or are closed: sums as closed and as known now."},
	"changes":        {"Changes", "What became known between two instants. The differences per coin add up to the change of the sum."},
	"drivers":        {"Drivers", "What moved the commission between two periods. Contributions add up to the change, and so do effects."},
	"forecast":       {"Forecast", "Where a month or another range will end. 409 says which days are missing."},
	"worklist":       {"Worklist", "Whom it is worth calling, and why."},
	"invitees":       {"Invitees", "Invitees with their state and lifetime commission, and the commission records of one."},
	"codes":          {"Invite codes", "Registrations, deposits, trades and commission of each invite code."},
	"returns":        {"Cost and return", "What codes, tags and segments cost, and what they brought back."},
	"cohorts":        {"Cohorts", "Invitees by the week or month of registration, and what they did afterwards."},
	"sub-affiliates": {"Sub-affiliates", "Trading volume, fees and paid commission of sub-affiliates, for each UTC day."},
	"programmes":     {"Programmes", "Several accounts side by side."},
	"pivot":          {"Pivot table", "Sums, shares and changes by any two axes."},
	"statements":     {"Statements", "Statements to sub-affiliates as they were issued."},
	"summaries":      {"Summaries", "Mails with summaries: the message, and the files that are attached to it."},
	"people":         {"People", "Who is behind a UID: the people file."},
	"console":        {"Console", "What the exchange itself answers now, as files. Needs the scope console."},
	"proxy":          {"Proxy of the exchange", "The exchange's own endpoints. Status, content type and body are the exchange's, unchanged; what this server answers by itself carries the header X-Rebatedesk and an envelope of its own. Only endpoints that read are described here: endpoints for orders need the scope trade and are in the documentation of the exchange."},
	"health":         {"Health", "Whether the program runs and can serve pages. Open to everybody."},
	"openapi":        {"This description", "The description that you read, for programs."},
}

// columnWords give the meaning and unit of columns by name, or by kind and name where a kind
// means something else. A test requires words for each column.
var columnWords = map[string]string{
	"account":                                "Account of the exchange, by its name in this program.",
	"uid":                                    "UID of the invitee at the exchange. Digits, but not a number.",
	"sub_affiliate_uid":                      "UID of the sub-affiliate.",
	"invite_code":                            "Invite code by which the invitee registered; unknown if neither the exchange nor the people file tells it.",
	"product_type":                           "Product: SPOT, FUTURES and others, as the exchange names it.",
	"symbol":                                 "Trading pair, as the exchange writes it.",
	"source_type":                            "direct: an own invitee; sub: a client of a sub-agent.",
	"coin":                                   "Coin of the amounts in this row. Amounts of different coins are never added.",
	"deal_time_utc":                          "When the trade was made, UTC.",
	"deal_time_ms":                           "The same in milliseconds since 1970.",
	"taker_amount":                           "Traded amount as taker, in the coin of the pair that the exchange uses.",
	"maker_amount":                           "Traded amount as maker.",
	"fee":                                    "Trading fee, in coin.",
	"rate":                                   "Rebate rate that the exchange states, a fraction.",
	"commission":                             "Commission, in coin. Negative if it was taken back.",
	"first_seen_utc":                         "When the program first read it, UTC.",
	"last_seen_utc":                          "When the exchange last listed it, UTC.",
	"date":                                   "Day: of the reporting zone; of UTC for sub-affiliates.",
	"records":                                "Number of commission records.",
	"register_time_utc":                      "When the invitee registered, UTC.",
	"kyc":                                    "Whether the identity is verified.",
	"codes.kyc":                              "Registrations whose identity is verified.",
	"first_deposit_utc":                      "First deposit, UTC.",
	"first_trade_utc":                        "First trade, UTC.",
	"last_deposit_utc":                       "Last deposit, UTC.",
	"last_trade_utc":                         "Last trade, UTC.",
	"state":                                  "State of the invitee, such as active or silent.",
	"payments.state":                         "matched, short, over, missing, twice, late, pending or unexplained.",
	"months.state":                           "Whether the month is open, closed or reopened.",
	"month.state":                            "Whether the month is open, closed or reopened.",
	"days_silent":                            "Whole days since the last trade.",
	"usual_gap_days":                         "Usual number of days between trades of this invitee.",
	"lifetime_commission":                    "Commission of all time, in coin.",
	"at_risk":                                "Commission of a usual month that is at risk, in coin.",
	"at_risk_usdt":                           "The same of all coins, converted into USDT.",
	"name":                                   "Name of the invitee, if you may see it.",
	"drivers.name":                           "Name of the key, if there is one.",
	"tags":                                   "Tags, separated by a semicolon.",
	"trading_volume":                         "Trading volume, in USDT.",
	"net_trading_fee":                        "Trading fee after discounts, in USDT.",
	"paid_commission":                        "Commission paid to the sub-affiliate, in USDT.",
	"time_utc":                               "When the bill was made, UTC.",
	"time_ms":                                "The same in milliseconds since 1970.",
	"wallet":                                 "spot or funding.",
	"bill_id":                                "Id of the bill at the exchange.",
	"coin_id":                                "Id of the coin at the exchange.",
	"business_type":                          "Type of the bill, as the exchange names it.",
	"amount":                                 "Amount, in coin; negative if it left the wallet.",
	"balance_after":                          "Balance after it, in coin.",
	"period_from_utc":                        "First instant of the period, UTC.",
	"period_to_utc":                          "End of the period, UTC, not included.",
	"kind":                                   "direct, sub or all.",
	"returns.kind":                           "Kinds of the costs in this row.",
	"earned":                                 "Commission that was earned in the period, in coin.",
	"paid":                                   "What was paid for it, in coin.",
	"difference":                             "What happened minus what was due, in coin; a loss is negative.",
	"bills":                                  "Number of bills.",
	"first_paid_utc":                         "First payment, UTC.",
	"last_paid_utc":                          "Last payment, UTC.",
	"noticed_utc":                            "When the change became known, UTC.",
	"change":                                 "new, late, changed, removed or zeroed.",
	"drivers.change":                         "After minus before, in coin.",
	"commission_before":                      "Commission as of since, in coin; null: it was not there.",
	"commission_after":                       "Commission as of until, in coin; null: it is gone.",
	"from_utc":                               "First instant, UTC.",
	"to_utc":                                 "Last instant, UTC.",
	"agreed_rate":                            "Rate that was agreed, a fraction.",
	"paid_rate":                              "Rate that was paid, a fraction.",
	"agreed_commission":                      "Fee × agreed rate, in coin.",
	"term":                                   "The agreed term that applies.",
	"reason":                                 "Why: the most urgent reason for a call.",
	"months.reason":                          "Reason that was given when the month was closed.",
	"days_left":                              "Days until the exchange ends the tie to the invitee.",
	"owner":                                  "Who looks after the invitee.",
	"snoozed_until":                          "Day until which the invitee is set aside.",
	"note":                                   "Newest note.",
	"scope":                                  "What the cost is about: code, tag or segment.",
	"value":                                  "Its name.",
	"from":                                   "First day, included.",
	"to":                                     "Last day, included.",
	"invitees":                               "Number of invitees.",
	"invitees_in_other_rows":                 "How many of them are in other rows, too.",
	"registrations":                          "Number of registrations.",
	"registrations_complete":                 "Whether all registrations of the days are known.",
	"first_trades":                           "Number of first trades that cost something.",
	"cost":                                   "Cost, in coin.",
	"cost_coin":                              "Coin of the cost.",
	"return":                                 "Commission minus cost, in coin.",
	"return_percent":                         "Return in percent of the cost.",
	"paid_back":                              "Day on which the commission had paid the cost back.",
	"missing":                                "What is missing until then, in coin.",
	"converted":                              "Coins that were converted.",
	"not_final":                              "Why the figures can still change.",
	"unknown_because":                        "Why figures of the row are unknown.",
	"by":                                     "What the rows are split by.",
	"key":                                    "Its value, such as a UID or a code.",
	"before":                                 "Commission of the compared period, in coin.",
	"after":                                  "Commission of the period, in coin.",
	"presence":                               "new, lost, back or stayed.",
	"month":                                  "Calendar month, as 2026-09.",
	"closed_utc":                             "When the month was closed, UTC.",
	"known_utc":                              "Instant of whose state the closing is, UTC.",
	"closed_by":                              "Who closed it.",
	"reopened_utc":                           "When it was reopened, UTC.",
	"records_closed":                         "Records as closed.",
	"records_now":                            "Records as known now.",
	"fee_closed":                             "Fee as closed, in coin.",
	"fee_now":                                "Fee as known now, in coin.",
	"commission_closed":                      "Commission as closed, in coin.",
	"commission_now":                         "Commission as known now, in coin.",
	"after_close":                            "Commission that became known after the closing, in coin.",
	"commission_usdt":                        "Commission of all coins, converted into USDT.",
	"share_of_fees_percent":                  "Commission in percent of the fees.",
	"volume":                                 "Traded volume, in coin.",
	"outstanding":                            "Commission that is due and not paid, of all time, in coin.",
	"paid_too_much":                          "What was paid twice, too much or for no period, of all time, in coin.",
	"new_invitees":                           "Registrations in the range.",
	"active_traders":                         "Invitees with a commission record.",
	"days_collected":                         "Days of the range that are collected.",
	"days":                                   "Days of the range that are due.",
	"people_complete":                        "Whether all registrations are known.",
	"deposited":                              "Registrations that deposited.",
	"traded":                                 "Registrations that traded.",
	"kyc_percent":                            "Verified registrations, in percent.",
	"deposit_percent":                        "Registrations that deposited, in percent.",
	"trade_percent":                          "Registrations that traded, in percent.",
	"first_depositors":                       "Invitees whose first deposit is in the range.",
	"first_traders":                          "Invitees whose first trade is in the range.",
	"value_per_registration":                 "Commission for each registration, in coin.",
	"share_percent":                          "Share of the whole commission, in percent. Where some rows are negative it is the share of the positive ones, and negative ones have none.",
	"change_percent":                         "Change since the compared period, in percent. Empty if it was zero or negative then or is negative now: such a change is an amount only.",
	"cohort":                                 "week or month.",
	"registered_from":                        "First day of registration of the cohort.",
	"registered_to":                          "Last day of registration.",
	"age":                                    "Weeks or months since registration; 0 is the first.",
	"complete":                               "Whether all days of the cell are over and collected.",
	"active_percent":                         "Active traders in percent of the registrations.",
	"commission_per_registration":            "Commission for each registration, in coin.",
	"cumulative_complete":                    "Whether all days up to the end of the cell are collected.",
	"cumulative_commission":                  "Commission up to the end of the cell, in coin.",
	"cumulative_commission_per_registration": "The same for each registration, in coin.",
}

// WordsOf returns the meaning of a column of a kind.
func WordsOf(kind, column string) string {
	if words, ok := columnWords[kind+"."+column]; ok {
		return words
	}
	return columnWords[column]
}

// Unit says in which form a column's values are.
func Unit(c export.ColumnInfo) string {
	switch c.Type {
	case "time":
		return "time, RFC 3339, UTC, milliseconds"
	case "day":
		return "day, as 2026-09-07"
	case "decimal":
		return "exact decimal, as text"
	case "integer":
		return "whole number"
	case "boolean":
		return "true or false"
	}
	return "text"
}
