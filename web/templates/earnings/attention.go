package earnings

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates/ui"
)

// attentionAddress is where the list is, for the account and the instant of a
// page.
func attentionAddress(q query.Query) string {
	values := url.Values{}
	if q.Account != "" {
		values.Set("account", string(q.Account))
	}
	if !q.AsOf.IsZero() {
		values.Set("as_of", q.AsOf.Format(time.RFC3339Nano))
	}
	if query := values.Encode(); query != "" {
		return "/attention?" + query
	}
	return "/attention"
}

// attentionID names the place of the list. It is another one for each account
// and instant, so that no list is kept that is about others, and holds nothing
// that would need escaping in a selector.
func attentionID(q query.Query) string {
	return "attention-" + hex.EncodeToString([]byte(attentionAddress(q)))
}

// severityWords say how much a finding matters, with an icon and a colour.
type severityWords struct{ Word, Icon, Class string }

func severityOf(s attention.Severity) severityWords {
	switch s {
	case attention.SeverityAlert:
		return severityWords{"Alert", "alert", "text-error"}
	case attention.SeverityWarning:
		return severityWords{"Warning", "alert", "text-warning"}
	}
	return severityWords{"For information", "note", "text-muted"}
}

// finding is what is written of one: what it is, in figures, and where it can
// be looked into.
type finding struct {
	Severity severityWords
	Title    string
	Text     []phrase
	Foreign  string // somebody else's words, such as an error
	Names    []findingName
	Href     string
	Link     string
}

// findingName is an invitee of a finding.
type findingName struct {
	UID, Href string
	Text      []phrase
}

// phrase is a part of a sentence. Exact, where there is one, is the whole value
// of the amount that it is.
type phrase struct{ Text, Exact string }

// say makes a sentence of texts, of amounts, which read as on the cards and have
// their exact value in the title, and of sentences.
func say(parts ...any) []phrase {
	var list []phrase
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			list = append(list, phrase{Text: part})
		case affiliate.Amount:
			list = append(list, phrase{part.String(), part.Exact()})
		case phrase:
			list = append(list, part)
		case []phrase:
			list = append(list, part...)
		default:
			panic(fmt.Sprintf("templates: a sentence of %T", part))
		}
	}
	return list
}

// plus is an amount with its sign.
func plus(a affiliate.Amount) phrase {
	if a.Value.IsPositive() {
		return phrase{"+" + a.String(), "+" + a.Exact()}
	}
	return phrase{a.String(), a.Exact()}
}

// findingOf writes a finding down.
func (v AttentionView) findingOf(f attention.Finding, run ui.Run) finding {
	var w finding
	switch f := f.(type) {
	case attention.GapFinding:
		w = v.gapWords(f, run)
	case attention.RunFinding:
		w = finding{Title: "Collection fails", Text: say(v.runWords(f)), Foreign: f.Error, Href: "/collection", Link: "See the runs"}
	case attention.StaleFinding:
		w = finding{Title: "Collection stands still", Href: "/collection", Link: "See the collection",
			Text: say("No run" + v.of(f.Account) + " has begun since " + ui.Clock(f.Last.Time(), v.zone()) + "; one is due every quarter of an hour by default.")}
	case attention.MailFinding:
		w = v.mailWords(f)
	case attention.DropFinding:
		w = v.dropWords(f)
	case attention.RestatedFinding:
		w = v.restatedWords(f)
	case attention.SilentFinding:
		w = v.silentWords(f)
	case attention.RateFinding:
		w = v.rateWords(f)
	case attention.ConcentrationFinding:
		w = v.concentrationWords(f)
	}
	w.Severity = severityOf(f.Severity())
	return w
}

func (v AttentionView) zone() *time.Location { return ui.ZoneOf(v.Links.Query) }

// of names an account where the list is about several.
func (v AttentionView) of(account affiliate.Account) string {
	if v.Links.Query.Account != "" || account == "" || account == "main" {
		return ""
	}
	return " of " + string(account)
}

// within is the address of a page about some days, with further parameters.
func (v AttentionView) within(path string, days affiliate.Days, params ...string) string {
	values := url.Values{"from": {days.First.String()}, "to": {days.Last.String()}}
	for i := 0; i+1 < len(params); i += 2 {
		values.Set(params[i], params[i+1])
	}
	q := v.Links.Query
	if q.Account != "" {
		values.Set("account", string(q.Account))
	}
	if !q.AsOf.IsZero() {
		values.Set("as_of", q.AsOf.Format(time.RFC3339Nano))
	}
	return path + "?" + values.Encode()
}

func money(value decimal.Decimal, coin affiliate.Coin) affiliate.Amount {
	return affiliate.Amount{Value: value, Coin: coin}
}

// worth says after one or several amounts of a coin what they come to, where it
// is another coin, or that nobody knows.
func (v AttentionView) worth(of figures.Valuation, together bool) []phrase {
	switch {
	case of.Known() && together:
		return say(" (", v.converted(of), " up and down together)")
	case of.Known():
		return say(" (", v.converted(of), ")")
	case len(of.Missing) > 0:
		return say(" (not converted: no price is known)")
	}
	return nil
}

// converted is a converted amount. Its title tells the prices, their time and
// their source.
func (v AttentionView) converted(of figures.Valuation) phrase {
	return phrase{"≈" + ui.Space + of.Amount().String(), ui.ValuedTitle(of, v.zone())}
}

func (v AttentionView) gapWords(f attention.GapFinding, run ui.Run) finding {
	w := finding{Href: "/collection", Link: "See the collection", Foreign: f.Reason}
	what := ui.Things(len(f.Streams), "kind") + " of records"
	if len(f.Streams) == 1 {
		what = ui.StreamWords(f.Streams[0])
	}
	w.Title = ui.Capital(what) + v.of(f.Account) + ": " + ui.Things(f.Days, "day") + " not collected"
	if f.Reason != "" {
		w.Title = ui.Capital(what) + v.of(f.Account) + ": " + ui.Things(f.Days, "day") + " failed"
	}
	text := ui.Capital(ui.GapWords(f.Gaps)) + ". "
	if ago := int(v.today() - f.Oldest); ago > 0 {
		text += "The oldest is " + ui.Things(ago, "day") + " old. "
	}
	if v.Links.Query.Past() {
		w.Text, w.Href, w.Link = say(strings.TrimSpace(text)), v.Links.Now(), "See what is missing now"
		return w
	}
	w.Text = say(text + "Next try " + run.NextTry() + ".")
	return w
}

func (v AttentionView) today() affiliate.Day { return v.Report.Days.Last }

func (v AttentionView) runWords(f attention.RunFinding) string {
	text := "The last run" + v.of(f.Account) + " failed"
	if f.InARow > 1 {
		text = "The last " + strconv.Itoa(f.InARow) + " runs" + v.of(f.Account) + " failed"
	}
	text += ", since " + ui.Clock(f.Since.Time(), v.zone())
	if f.Slices > 0 {
		text += "; the newest could not read " + ui.Things(f.Slices, "window")
	}
	return text + "."
}

func (v AttentionView) mailWords(f attention.MailFinding) finding {
	w := finding{Title: "Mail does not get out", Href: "/summaries/deliveries?state=waiting", Link: "See what waits", Foreign: f.Answer}
	w.Text = say(ui.Things(f.Failing, "mail") + " tried in vain, and tried again, the oldest of " + ui.Clock(f.Since.Time(), v.zone()) + ".")
	if f.Dead > 0 {
		w.Title, w.Href, w.Link = ui.Things(f.Dead, "mail")+" given up", "/summaries/deliveries?state=dead", "See what was given up"
		w.Text = say("In the last day. Nobody gets them unless they are sent again.")
	}
	return w
}

func (v AttentionView) dropWords(f attention.DropFinding) finding {
	w := finding{Title: "Yesterday brought " + ui.Percent(f.Drop.Percent) + " less than usual", Link: "Why is this low?",
		Href: v.within("/commissions", f.Days, "coin", string(f.Coin)) + "#why"}
	usual := "the mean of " + strconv.Itoa(f.Of) + " " + f.Days.First.Weekday().String() + "s before"
	if f.Days.Len() > 1 {
		w.Title = "The last 7 days brought " + ui.Percent(f.Drop.Percent) + " less than usual"
		usual = "the mean of " + strconv.Itoa(f.Of) + " weeks before"
	}
	w.Text = say(money(f.Now, f.Coin), " on "+ui.DayWords(f.Days)+"; usual is ", money(f.Usual, f.Coin), ", "+usual+". That is ", money(f.Usual.Sub(f.Now), f.Coin), v.worth(f.Worth, false), " less.")
	return w
}

func (v AttentionView) restatedWords(f attention.RestatedFinding) finding {
	w := finding{Title: "Figures in " + string(f.Coin) + " changed afterwards", Link: "See the restatements",
		Href: v.within("/collection/restatements", f.Days, "coin", string(f.Coin))}
	w.Text = say(ui.Things(f.Records, "record") + " of " + ui.DayWords(f.Days) + " arrived late, changed or disappeared, noticed in the last 30 days: ")
	both := !f.Up.IsZero() && !f.Down.IsZero()
	if !f.Up.IsZero() {
		w.Text = append(w.Text, plus(money(f.Up, f.Coin)))
	}
	if both {
		w.Text = append(w.Text, phrase{Text: " and "})
	}
	if !f.Down.IsZero() {
		w.Text = append(w.Text, plus(money(f.Down, f.Coin)))
	}
	w.Text = append(w.Text, v.worth(f.Worth, both)...)
	if f.Share.Known {
		w.Text = append(w.Text, say(". Up and down together that is "+ui.Percent(f.Share.Percent)+" of what these 30 days brought")...)
	}
	w.Text = append(w.Text, phrase{Text: "."})
	return w
}

func (v AttentionView) silentWords(f attention.SilentFinding) finding {
	w := finding{Title: ui.Things(f.Count, "invitee") + " stopped trading", Href: v.atRisk(f.Coin), Link: "See all " + ui.Count(f.Count)}
	w.Text = say("At risk: ", money(f.AtRisk, f.Coin), v.worth(f.Worth, false), " a month.")
	if f.Together.Known() {
		w.Text = append(w.Text, say(" Of all coins ", v.converted(f.Together), " are at risk.")...)
	}
	if missing := f.Together.Missing; len(missing) > 0 {
		w.Text = append(w.Text, say(" "+ui.MissingWords(missing))...)
	}
	for _, one := range f.Most {
		w.Names = append(w.Names, findingName{string(one.UID), v.Links.Invitee(string(one.UID)),
			say("last trade "+ui.Things(one.Days, "day")+" ago, usually "+everyWords(one.UsualGap)+"; ", money(one.AtRisk, f.Coin), " a month")})
	}
	if f.Count == 1 {
		w.Link = "See the invitee in the list"
	}
	return w
}

// atRisk is the address of the list of exactly those that a finding counts.
func (v AttentionView) atRisk(coin affiliate.Coin) string {
	q := query.Query{Range: query.Last30, Compare: query.CompareNone, Account: v.Links.Query.Account, Coin: coin, State: invitees.ChoiceAtRisk,
		Sort: query.Sort{Field: "at-risk", Descending: true}, AsOf: v.Links.Query.AsOf, Page: 1, Per: query.DefaultPer}
	return "/invitees?" + q.Values().Encode()
}

// everyWords is how often somebody trades, by the usual gap.
func everyWords(gap figures.HalfDays) string {
	if gap == figures.WholeDays(1) {
		return "every day"
	}
	return "every " + gap.Words()
}

func (v AttentionView) rateWords(f attention.RateFinding) finding {
	w := finding{Title: "The share of fees of " + ui.Things(f.Count, "invitee") + " changed", Href: v.within("/commissions", v.Report.Days, "coin", string(f.Coin)), Link: "See the records"}
	lost, won := money(f.Lost, f.Coin), money(f.Won, f.Coin)
	w.Text = say("Commission ÷ fees paid by invitees, against the 90 days before. ")
	switch {
	case f.Won.IsZero():
		w.Text = append(w.Text, say("Lost so far: ", lost, v.worth(f.Worth, false), ".")...)
	case f.Lost.IsZero():
		w.Text = append(w.Text, say("Won so far: ", won, v.worth(f.Worth, false), ".")...)
	default:
		w.Text = append(w.Text, say("Lost so far: ", lost, "; won by others: ", won, v.worth(f.Worth, true), ".")...)
	}
	for _, c := range f.Most {
		days := affiliate.Days{First: c.Since, Last: v.today()}
		cost := say("lost ", money(c.Cost, f.Coin))
		if c.Cost.IsNegative() {
			cost = say("won ", money(c.Cost.Neg(), f.Coin))
		}
		w.Names = append(w.Names, findingName{string(c.UID), v.within("/commissions", days, "uid", string(c.UID), "product", string(c.Product)),
			say(c.Product.Label()+", "+ui.Percent(c.Old.Shift(2))+" → "+ui.Percent(c.New.Shift(2))+" since "+c.Since.Format("2 Jan")+"; ", cost)})
	}
	return w
}

func (v AttentionView) concentrationWords(f attention.ConcentrationFinding) finding {
	w := finding{Title: "One invitee earns you " + ui.Percent(f.One.Percent) + " of the commission", Href: v.Links.Invitee(string(f.First)), Link: "See " + string(f.First)}
	w.Text = say(money(f.FirstBrought, f.Coin), " of the ", money(f.Commission, f.Coin), " of the last 30 days.")
	if f.Invitees > 10 {
		w.Text = append(w.Text, say(" The top 5 of "+ui.Count(f.Invitees)+" earn "+ui.Percent(f.Five.Percent)+", the top 10 "+ui.Percent(f.Ten.Percent)+".")...)
	}
	return w
}

// checks are what was looked at, as the list says below it: runs and mails
// belong to no earlier state.
func (v AttentionView) checks() []string {
	if v.Links.Query.Past() {
		return attentionChecks
	}
	return slices.Insert(slices.Clone(attentionChecks), 1, presentChecks...)
}

var presentChecks = []string{
	"failed and missing runs",
	"mails that do not get out, or were given up in the last day",
}

var attentionChecks = []string{
	"days not collected, of every kind of record",
	"yesterday and the last 7 days, 30 % below their usual",
	"invitees silent for more than three of their usual gaps, who brought 10 USDT or more a month",
	"shares of fees of 30 days, 10 % off those of the 90 before",
	"records of any day that changed afterwards, noticed in the last 30 days, up and down together from 1 % of their commission",
	"one invitee with more than half of the commission",
}

// AttentionView is what needs attention, on a page of its own.
type AttentionView struct {
	Report attention.Report
	Links  ui.Links
}
