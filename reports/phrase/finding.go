package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
)

// Fragment is a part of a sentence. Exact, if set, is the exact value of the amount that it
// prints.
type Fragment struct{ Text, Exact string }

// InviteeNote is what a finding says about one invitee, or about several together.
type InviteeNote struct {
	Name string // the UID, with its name if the reader may see it, or another name of several invitees
	Text []Fragment
}

// Statement is a finding in words.
type Statement struct {
	Severity attention.Severity
	Title    string     // in one line, without a full stop
	Text     []Fragment // sentences; may be empty
	Foreign  string     // foreign words, such as an error
	Invitees []InviteeNote
}

// String returns the finding in one line, without its severity and its invitees.
func (f Statement) String() string {
	text := f.Title
	if len(f.Text) > 0 {
		text += ". " + plain(f.Text)
	}
	if f.Foreign != "" {
		text = strings.TrimSuffix(text, ".") + ". " + Sentence(Foreign(f.Foreign))
	}
	return affiliate.OneLine(text)
}

// Severity names how urgent a finding is.
func Severity(s attention.Severity) string {
	switch s {
	case attention.SeverityAlert:
		return "Alert"
	case attention.SeverityWarning:
		return "Warning"
	}
	return "For information"
}

// About holds what the words of findings depend on, in addition to the finding.
type About struct {
	Zone    *time.Location
	Today   affiliate.Day
	Single  bool             // the findings are about one account, which need not be named
	Past    bool             // they are about a past state
	NextTry string           // when failed days are read next; may be empty
	Names   *people.NameBook // that the reader may see; nil: none
}

// Finding words a finding.
func (a About) Finding(f attention.Finding) Statement {
	var w Statement
	switch f := f.(type) {
	case attention.GapFinding:
		w = a.gaps(f)
	case attention.QuarantineFinding:
		w = a.quarantined(f)
	case attention.RefusedFinding:
		w = Statement{Title: "Earned cannot be compared with paid" + a.of(f.Account), Foreign: Told(f.Error),
			Text: say(Refused(f.Streams) + " " + RefusedHint + " Refused since " + Clock(f.Since.Time(), a.Zone) + ".")}
	case attention.PaymentFinding:
		w = a.payments(f)
	case attention.UnruledFinding:
		w = a.unruled(f)
	case attention.RunFinding:
		w = Statement{Title: "Collection fails", Text: say(a.runs(f)), Foreign: Told(f.Error)}
	case attention.StaleFinding:
		w = Statement{Title: "No collection has begun for hours",
			Text: say("The newest run" + a.of(f.Account) + " began on " + Clock(f.Last.Time(), a.Zone) + "; one is due every quarter of an hour by default.")}
	case attention.MailFinding:
		w = a.mails(f)
	case attention.ShippingFinding:
		w = a.shipping(f)
	case attention.ChannelFinding:
		w = Statement{Title: "The channel “" + affiliate.OneLine(f.Channel) + "” has stopped", Foreign: f.Answer,
			Text: say("Its receiver has refused every message since " + Clock(f.Since.Time(), a.Zone) + ". Nothing is sent to it until it is resumed.")}
	case attention.DropFinding:
		w = a.drop(f)
	case attention.RestatedFinding:
		w = a.restated(f)
	case attention.SilentFinding:
		w = a.silent(f)
	case attention.AgreedFinding:
		w = a.agreed(f)
	case attention.RateFinding:
		w = a.rates(f)
	case attention.ConcentrationFinding:
		w = a.concentration(f)
	case attention.FaultFinding:
		w = Statement{Title: "Nothing was found out about " + f.Check, Text: say(NotMade + " There may be more that needs attention.")}
	default:
		w = Statement{Title: "See the overview"}
	}
	w.Severity = f.Severity()
	return w
}

// say builds a sentence from texts, sentences and amounts. Amounts are printed rounded,
// with their exact value attached.
func say(parts ...any) []Fragment {
	var list []Fragment
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			list = append(list, Fragment{Text: part})
		case affiliate.Amount:
			list = append(list, Fragment{part.String(), part.Exact()})
		case Fragment:
			list = append(list, part)
		case []Fragment:
			list = append(list, part...)
		default:
			panic(fmt.Sprintf("phrase: a sentence of %T", part))
		}
	}
	return list
}

// plain returns a sentence as text.
func plain(parts []Fragment) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

func money(value decimal.Decimal, coin affiliate.Coin) affiliate.Amount {
	return affiliate.Amount{Value: value, Coin: coin}
}

// plus returns an amount with its sign.
func plus(value decimal.Decimal, coin affiliate.Coin) Fragment {
	a := money(value, coin)
	return Fragment{WithSign(value, a.String()), WithSign(value, a.Exact())}
}

// of names an account if the findings are about several.
func (a About) of(account affiliate.Account) string {
	if a.Single || account == "" || account == "main" {
		return ""
	}
	return " of " + string(account)
}

// worth gives the converted value of amounts of another coin, or says that it is unknown.
func (a About) worth(of figures.Valuation, together bool) []Fragment {
	switch {
	case of.Known() && together:
		return say(" (", a.converted(of), " up and down together)")
	case of.Known():
		return say(" (", a.converted(of), ")")
	case len(of.Missing) > 0:
		return say(" (not converted: no price is known)")
	}
	return nil
}

// converted returns a converted amount. Its exact value gives the prices, their time and
// their source.
func (a About) converted(of figures.Valuation) Fragment {
	return Fragment{"≈" + Space + of.Amount().String(), Valuation(of, a.Zone)}
}

func (a About) gaps(f attention.GapFinding) Statement {
	streams := Things(len(f.Streams), "kind") + " of records"
	if len(f.Streams) == 1 {
		streams = Stream(f.Streams[0])
	}
	state := " not collected"
	if f.Reason != "" {
		state = " failed"
	}
	w := Statement{Title: Capital(streams) + a.of(f.Account) + ": " + Things(f.Days, "day") + state, Foreign: Told(f.Reason)}
	text := Capital(Gaps(f.Gaps)) + "."
	if ago := int(a.Today - f.Oldest); ago > 0 {
		text += " The oldest is " + Things(ago, "day") + " old."
	}
	if a.NextTry != "" && !a.Past {
		text += " Next try " + a.NextTry + "."
	}
	w.Text = say(text)
	return w
}

func (a About) quarantined(f attention.QuarantineFinding) Statement {
	text := Capital(Gaps(f.Gaps)) + ". The record is kept as received and is in no figure, so its day is incomplete until the exchange sends it right."
	if f.Records > 1 {
		text = Capital(Gaps(f.Gaps)) + ". The records are kept as received and are in no figure, so their days are incomplete until the exchange sends them right."
	}
	if a.NextTry != "" && !a.Past {
		text += " Next try " + a.NextTry + "."
	}
	return Statement{Title: Things(f.Records, "record") + " of the exchange could not be read" + a.of(f.Account), Text: say(text), Foreign: strings.TrimPrefix(f.Reason, "1 record could not be read: ")}
}

func (a About) runs(f attention.RunFinding) string {
	text := "The last run" + a.of(f.Account) + " failed"
	if f.InARow > 1 {
		text = "The last " + strconv.Itoa(f.InARow) + " runs" + a.of(f.Account) + " failed"
	}
	text += ", since " + Clock(f.Since.Time(), a.Zone)
	if f.Slices > 0 {
		text += "; the newest could not read " + Things(f.Slices, "window")
	}
	return text + "."
}

func (a About) mails(f attention.MailFinding) Statement {
	if f.Dead > 0 {
		return Statement{Title: Things(f.Dead, "mail") + " given up", Foreign: f.Answer,
			Text: say("In the last day. Nobody gets them unless they are sent again.")}
	}
	return Statement{Title: "Mail does not get out", Foreign: f.Answer,
		Text: say(Things(f.Failing, "mail") + " failed and will be retried, the oldest of " + Clock(f.Since.Time(), a.Zone) + ".")}
}

func (a About) shipping(f attention.ShippingFinding) Statement {
	title := "The delivery “" + affiliate.OneLine(f.Name) + "” fails"
	if f.Failing > 1 {
		title = Count(f.Failing) + " scheduled deliveries fail"
	}
	return Statement{Title: title, Foreign: f.Answer,
		Text: say(Capital(Things(f.Waiting, "file")) + " waiting, the oldest since " + Clock(f.Since.Time(), a.Zone) + ". Earlier files stay as they are.")}
}

func (a About) drop(f attention.DropFinding) Statement {
	less := money(f.Usual.Sub(f.Now), f.Coin).String() // no percentage leads below zero
	if f.Drop.Known {
		less = Percent(f.Drop.Percent)
	}
	w := Statement{Title: "Yesterday brought " + less + " less than usual"}
	usual := "the mean of " + strconv.Itoa(f.Of) + " " + f.Days.First.Weekday().String() + "s before"
	if f.Days.Len() > 1 {
		w.Title = "The last 7 days brought " + less + " less than usual"
		usual = "the mean of " + strconv.Itoa(f.Of) + " weeks before"
	}
	w.Text = say(money(f.Now, f.Coin), " on "+Days(f.Days)+"; usual is ", money(f.Usual, f.Coin), ", "+usual+". That is ",
		money(f.Usual.Sub(f.Now), f.Coin), a.worth(f.Worth, false), " less.")
	return w
}

// Restated says by how much records changed after their day had been collected, increases
// and decreases separately.
func Restated(n commissions.Restated, zone *time.Location) string { return plain(restated(n, zone)) }

func restated(n commissions.Restated, zone *time.Location) []Fragment {
	list := say(Things(n.Records, "record") + " of " + DaysIn(n.Days, zone) + " changed after the day had been collected, by ")
	switch {
	case n.Down.IsZero():
		return append(list, plus(n.Up, n.Coin))
	case n.Up.IsZero():
		return append(list, plus(n.Down, n.Coin))
	}
	up := Fragment{WithSign(n.Up, money(n.Up, n.Coin).Short()), plus(n.Up, n.Coin).Exact}
	return append(list, up, Fragment{Text: " and "}, plus(n.Down, n.Coin))
}

func (a About) restated(f attention.RestatedFinding) Statement {
	w := Statement{Title: "Figures in " + string(f.Coin) + " changed afterwards"}
	both := !f.Up.IsZero() && !f.Down.IsZero()
	w.Text = say(restated(f.Restated, a.Zone), a.worth(f.Worth, both), ", noticed in the last 30 days")
	if f.Share.Known {
		w.Text = append(w.Text, say(". Up and down together that is "+Percent(f.Share.Percent)+" of what these 30 days brought")...)
	}
	w.Text = append(w.Text, Fragment{Text: "."})
	return w
}

func (a About) silent(f attention.SilentFinding) Statement {
	w := Statement{Title: Things(f.Count, "invitee") + " stopped trading"}
	they := "They"
	if f.Count == 1 {
		they = "It"
	}
	w.Text = say(they+" used to bring ", money(f.AtRisk, f.Coin), a.worth(f.Worth, false), fmt.Sprintf(" in %d days", invitees.PresentDays))
	if lost := LikelyLoss(f.Likely); lost != "" {
		w.Text = append(w.Text, say("; "+lost)...)
	}
	w.Text = append(w.Text, say(".")...)
	if f.Together.Known() {
		w.Text = append(w.Text, say(" Of all coins they used to bring ", a.converted(f.Together), ".")...)
	}
	if missing := f.Together.Missing; len(missing) > 0 {
		w.Text = append(w.Text, say(" "+Unpriced(missing))...)
	}
	for _, one := range f.Most {
		w.Invitees = append(w.Invitees, InviteeNote{a.Names.Beside(one.UID),
			say("last trade "+Things(one.Days, "day")+" ago, usually "+every(one.UsualGap)+"; ", money(one.AtRisk, f.Coin), " a month")})
	}
	return w
}

// every says how often an invitee trades, by the usual gap.
func every(gap figures.HalfDays) string {
	if gap == figures.WholeDays(1) {
		return "every day"
	}
	return "every " + gap.Words()
}

func (a About) agreed(f attention.AgreedFinding) Statement {
	w := Statement{Title: Things(f.Count, "rate") + " changed"}
	against := "the rates before"
	if f.Agreed {
		w.Title, against = "Paid otherwise than agreed", "the agreed rates"
	}
	var lost, won []any
	for _, c := range f.Coins {
		if c.Lost.IsPositive() {
			lost = append(lost, money(c.Lost, c.Coin))
		}
		if c.Won.IsPositive() {
			won = append(won, money(c.Won, c.Coin))
		}
	}
	w.Text = say("In "+Period(f.Days)+", against "+against+", ", Things(f.Count, "finding")+". ")
	switch {
	case len(won) == 0:
		w.Text = append(w.Text, say("Lost: ", enumerated(lost), a.worth(f.Worth, false), ".")...)
	case len(lost) == 0:
		w.Text = append(w.Text, say("Won: ", enumerated(won), a.worth(f.Worth, false), ".")...)
	default:
		w.Text = append(w.Text, say("Lost: ", enumerated(lost), "; won elsewhere: ", enumerated(won), a.worth(f.Worth, true), ".")...)
	}
	for _, d := range f.Most {
		due, paid := DeviationRates(d)
		var sums []any
		for _, c := range d.Costs {
			sums = append(sums, money(c.Difference.Abs(), c.Coin))
		}
		verb := "lost "
		if d.Over {
			verb = "won "
		}
		w.Invitees = append(w.Invitees, InviteeNote{Name: DeviationOf(d, a.Names), Text: say(due+" → "+paid+" since "+d.Days.First.Format("2 Jan")+"; ", verb, enumerated(sums))})
	}
	return w
}

// enumerated joins amounts as [Listed] joins words.
func enumerated(parts []any) []Fragment {
	var list []Fragment
	for i, part := range parts {
		switch {
		case i > 0 && i == len(parts)-1:
			list = append(list, say(" and ")...)
		case i > 0:
			list = append(list, say(", ")...)
		}
		list = append(list, say(part)...)
	}
	return list
}

func (a About) rates(f attention.RateFinding) Statement {
	w := Statement{Title: "The share of fees in " + affiliate.OneLine(string(f.Coin)) + " of " + Things(f.Count, "invitee") + " changed"}
	lost, won := money(f.Lost, f.Coin), money(f.Won, f.Coin)
	w.Text = say("Commission ÷ fees paid by invitees, against the 90 days before. ")
	switch {
	case f.Won.IsZero():
		w.Text = append(w.Text, say("Lost so far: ", lost, a.worth(f.Worth, false), ".")...)
	case f.Lost.IsZero():
		w.Text = append(w.Text, say("Won so far: ", won, a.worth(f.Worth, false), ".")...)
	default:
		w.Text = append(w.Text, say("Lost so far: ", lost, "; won by others: ", won, a.worth(f.Worth, true), ".")...)
	}
	for _, c := range f.Most {
		cost := say("lost ", money(c.Cost, f.Coin))
		if c.Cost.IsNegative() {
			cost = say("won ", money(c.Cost.Neg(), f.Coin))
		}
		w.Invitees = append(w.Invitees, InviteeNote{a.Names.Beside(c.UID),
			say(c.Product.Label()+", "+Percent(c.Old.Shift(2))+" → "+Percent(c.New.Shift(2))+" since "+c.Since.Format("2 Jan")+"; ", cost)})
	}
	return w
}

func (a About) concentration(f attention.ConcentrationFinding) Statement {
	w := Statement{Title: "One invitee earns you " + Percent(f.One.Percent) + " of the commission"}
	w.Text = say("Invitee "+a.Names.Beside(f.First)+" brought ", money(f.FirstBrought, f.Coin), " of the ", money(f.Commission, f.Coin), " of the last 30 days.")
	if taken := f.Positive.Sub(f.Commission); taken.IsPositive() {
		w.Title = "One invitee earns you " + Percent(f.One.Percent) + " of what is earned before " + money(taken, f.Coin).String() + " that was taken back"
		w.Text = say("Invitee "+a.Names.Beside(f.First)+" brought ", money(f.FirstBrought, f.Coin), " of the ", money(f.Positive, f.Coin),
			" that invitees with a positive sum brought in the last 30 days. The others brought ", money(taken.Neg(), f.Coin), ".")
	}
	if f.Invitees > 10 {
		w.Text = append(w.Text, say(" The top 5 of "+Count(f.Invitees)+" earn "+Percent(f.Five.Percent)+", the top 10 "+Percent(f.Ten.Percent)+".")...)
	}
	return w
}
