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
