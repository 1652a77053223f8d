package payments

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	stored "rebatedesk/store/payments"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
)

var utc = time.UTC

// RuleView is the page of the payout rules.
type RuleView struct {
	Query    query.Query
	Zone     *time.Location
	Rules    []payments.RuleInUse
	Accounts []affiliate.Account
	Token    string // empty: the reader may not change them
	Done     string // what was just done
	Form     ui.Form
	Reported ui.KnownStates // earlier states that the page can show
}

func (v RuleView) links() ui.Links {
	return ui.Links{Path: PayoutRulePath, Query: v.Query, Reported: v.Reported}
}

// holds says from when and until when rule i holds, if not always.
func (v RuleView) holds(i int) (words string) {
	if from := v.Rules[i].From; from != 0 {
		words = ", from " + from.Format("2 Jan 2006")
	}
	if i+1 < len(v.Rules) && v.Rules[i+1].Account == v.Rules[i].Account {
		words += ", until " + (v.Rules[i+1].From - 1).Format("2 Jan 2006")
	}
	return words
}

func (v RuleView) accountChoices() []ui.Pair {
	choices := ui.Pairs("Every account", "")
	for _, account := range v.Accounts {
		choices = append(choices, ui.Pair{Name: string(account), Value: string(account)})
	}
	return choices
}

// NewRuleForm returns the values of an empty form: the newest rule in use, from a day on.
func NewRuleForm(rules []payments.RuleInUse, today affiliate.Day) ui.Form {
	form := ui.Form{Values: map[string]string{"from": today.String(), "how": "set", "period": string(books.Day), "delay": "8h", "kinds": "apart",
		"direct": strings.Join(books.DefaultTypes()[:1], ", "), "sub": strings.Join(books.DefaultTypes()[1:], ", ")}}
	if len(rules) == 0 || rules[len(rules)-1].Score.Rule.Period == "" {
		return form
	}
	rule := rules[len(rules)-1].Score.Rule
	text := strings.Fields(rule.String()) // day+8h [within 2h] apart …
	form.Values["period"] = string(rule.Period)
	_, form.Values["delay"], _ = strings.Cut(text[0], "+")
	if text[1] == "within" {
		form.Values["within"] = text[2]
	}
	if rule.Together {
		form.Values["kinds"], form.Values["direct"], form.Values["sub"] = "together", strings.Join(rule.Types[books.All], ", "), ""
	} else {
		form.Values["direct"], form.Values["sub"] = strings.Join(rule.Types[books.Direct], ", "), strings.Join(rule.Types[books.Sub], ", ")
	}
	return form
}

// RuleIn composes the text of the rule that a form describes, in the form of the setting
// PAYOUT_RULE. Each faulty field gets its fault.
func RuleIn(fields url.Values, form *ui.Form) string {
	if fields.Get("how") == "auto" {
		return stored.AutoRule
	}
	when := fields.Get("period")
	if !slices.Contains(books.Periods(), books.Period(when)) {
		form.Fault("period", "Choose hour, day, week or month.")
		when = string(books.Month)
	}
	together := " " + fields.Get("kinds")
	if together != " together" && together != " apart" {
		form.Fault("kinds", "Choose whether both kinds are paid in one sum or apart.")
		together = " together"
	}
	if delay := strings.TrimSpace(fields.Get("delay")); delay != "" {
		when += "+" + delay
		form.Fault("delay", faultOf(when+together))
	}
	if within := strings.TrimSpace(fields.Get("within")); within != "" && form.Faults["delay"] == "" {
		when += " within " + within
		form.Fault("within", faultOf(when+together))
	}
	direct, sub := typesIn(fields.Get("direct")), typesIn(fields.Get("sub"))
	rule := when + together
	if together == " together" {
		if all := slices.Concat(direct, sub); len(all) > 0 {
			rule += " " + strings.Join(all, ",")
		}
		return rule
	}
	if len(direct) > 0 {
		rule += " direct=" + strings.Join(direct, ",")
	}
	if len(sub) > 0 {
		rule += " sub=" + strings.Join(sub, ",")
	}
	return rule
}

// faultOf says why a text is no rule; empty if it is one. A word with spaces inside would be
// read as several.
func faultOf(rule string) string {
	if _, err := books.ParseRule(rule); err != nil {
		return "Not usable: " + err.Error() + "."
	}
	return ""
}

// typesIn splits business types at commas, spaces and line breaks, and escapes them as rules
// write them.
func typesIn(text string) (types []string) {
	for _, business := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \r\n\t;", r) }) {
		types = append(types, url.QueryEscape(business))
	}
	return types
}

// RuleFormFields are the fields of the form.
var RuleFormFields = []string{"account", "from", "how", "period", "delay", "within", "kinds", "direct", "sub"}

var periodChoices = ui.Pairs("Every hour", string(books.Hour), "Every day", string(books.Day), "Every week, from Monday", string(books.Week), "Every calendar month", string(books.Month))

// scoreLine is what a rule explains in a coin.
type scoreLine struct {
	books.CoinScore
	name  string
	score books.Score
	first bool // of the rule
}

// scoreLines are those of a rule in use, and of its runner-up.
func scoreLines(rule payments.RuleInUse) (list []scoreLine) {
	add := func(name string, score books.Score) {
		for i, coin := range score.Coins {
			list = append(list, scoreLine{coin, name, score, i == 0})
		}
	}
	if rule.Known {
		add("In use", rule.Score)
	} else {
		add("Best try", rule.Score)
	}
	if rule.RunnerUp != nil {
		add("Runner-up", *rule.RunnerUp)
	}
	return list
}

func scoreColumns() []ui.Column[scoreLine] {
	return []ui.Column[scoreLine]{
		ui.CellColumn("Rule", func(l scoreLine) templ.Component {
			return ui.Either(l.first, ui.Text(l.name), ui.Span("sr-only", "", l.name))
		}, ui.Names("font-normal")),
		ui.CellColumn("Payments explained", func(l scoreLine) templ.Component {
			return ui.When(l.first, ui.Text(phrase.Count(l.score.Explained)+" of "+phrase.Count(l.score.Bills)))
		}, ui.Nums),
		ui.ForeignColumn("Coin", func(l scoreLine) affiliate.Coin { return l.Coin }),
		ui.CellColumn("Paid", func(l scoreLine) templ.Component { return ui.Amount(amountOf(l.Paid, l.Coin)) }, ui.Nums),
		ui.CellColumn("Explained to the last digit", func(l scoreLine) templ.Component { return ui.Amount(amountOf(l.Explained, l.Coin)) }, ui.Nums),
		ui.TextColumn("Share", func(l scoreLine) string { return share(l.CoinScore) }, ui.Nums),
	}
}
