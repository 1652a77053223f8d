package findings

import (
	"net/url"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
)

// InviteeNote is what a finding says about one invitee, or about several together.
type InviteeNote struct {
	Name string // the UID, with its name if the reader may see it, or another name of several invitees
	Text []phrase.Fragment
	Href string // of the page with more
}

// Statement is a finding in words.
type Statement struct {
	Severity   Severity
	Title      string            // in one line, without a full stop
	Text       []phrase.Fragment // sentences; may be empty
	Foreign    string            // foreign words, such as an error
	Invitees   []InviteeNote
	Link, Href string // to the page with the details
}

// String returns the finding in one line, without its severity and its invitees.
func (f Statement) String() string {
	text := f.Title
	if len(f.Text) > 0 {
		text += ". " + phrase.Plain(f.Text)
	}
	if f.Foreign != "" {
		text = strings.TrimSuffix(text, ".") + ". " + phrase.Sentence(phrase.Foreign(f.Foreign))
	}
	return affiliate.OneLine(text)
}

// About holds what the words and links of findings depend on, in addition to the finding.
type About struct {
	Query   query.Query // of the page; findings about one account need not name it
	Zone    *time.Location
	Today   affiliate.Day
	NextTry string           // when failed days are read next; may be empty
	Reading bool             // a collection is running, which reads days that were not tried yet
	Names   *people.NameBook // that the reader may see; nil: none
	// Invitee and Now are addresses: of the page of an invitee, and of the present state of this page. They
	// may be nil and empty where no links are shown.
	Invitee func(uid string) string
	Now     string
	Some    bool // the reader sees some invitees only
}

// Finding words a finding.
func (a About) Finding(f Finding) Statement {
	w := f.words(a)
	w.Severity = f.Severity()
	if gap, ok := f.(Gap); ok && a.isReading(gap) {
		w.Severity = SeverityInfo
	}
	return w
}

// of names an account if the findings are about several.
func (a About) of(account affiliate.Account) string {
	if a.Query.Account != "" || account == "" || account == "main" {
		return ""
	}
	return " of " + string(account)
}

// worth gives the converted value of amounts of another coin, or says that it is unknown.
func (a About) worth(of figures.Valuation, together bool) []phrase.Fragment {
	switch {
	case of.Known() && together:
		return phrase.Say(" (", a.converted(of), " up and down together)")
	case of.Known():
		return phrase.Say(" (", a.converted(of), ")")
	case len(of.Missing) > 0:
		return phrase.Say(" (not converted: no price is known)")
	}
	return nil
}

// converted returns a converted amount. Its exact value gives the prices, their time and
// their source.
func (a About) converted(of figures.Valuation) phrase.Fragment {
	return phrase.Fragment{Text: "≈" + phrase.Space + of.Amount().String(), Exact: phrase.Valuation(of, a.Zone)}
}

// invitee returns the address of the page of an invitee.
func (a About) invitee(uid affiliate.UID) string {
	if a.Invitee == nil {
		return ""
	}
	return a.Invitee(string(uid))
}

// within returns the address of a page about some days, with further parameters.
func (a About) within(path string, days affiliate.Days, params ...string) string {
	values := url.Values{"from": {days.First.String()}, "to": {days.Last.String()}}
	for i := 0; i+1 < len(params); i += 2 {
		values.Set(params[i], params[i+1])
	}
	if a.Query.Account != "" {
		values.Set("account", string(a.Query.Account))
	}
	if !a.Query.AsOf.IsZero() {
		values.Set("as_of", a.Query.AsOf.Format(time.RFC3339Nano))
	}
	return path + "?" + values.Encode()
}

func money(value decimal.Decimal, coin affiliate.Coin) affiliate.Amount {
	return affiliate.Amount{Value: value, Coin: coin}
}
