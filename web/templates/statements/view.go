// Package statements has the pages of statements to sub-affiliates.
package statements

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/statements"
	"rebatedesk/store/outbox"
	stored "rebatedesk/store/statements"
	"rebatedesk/web/templates/ui"
)

// StatementsPath is the address of the list of statements.
const StatementsPath = "/statements"

// StatementPath is the address of a statement.
func StatementPath(number string) string { return StatementsPath + "/" + url.PathEscape(number) }

// PayeePath is the address of the payee of a sub-affiliate.
func PayeePath(uid affiliate.UID) string {
	return StatementsPath + "/payees/" + url.PathEscape(string(uid))
}

// ListView is the list of statements.
type ListView struct {
	Query    stored.Query
	List     []stored.IssuedStatement // one page
	Count    int                      // of all pages
	Page     int                      // from 1
	Months   []affiliate.Day          // that have statements
	Month    statements.MonthShares
	OfMonth  []stored.IssuedStatement
	Token    string  // empty: the reader may not issue
	Form     ui.Form // as it was refused
	Problems string  // of several sub-affiliates, a line each
	Done     string
	Zone     *time.Location
}

// perPage is how many statements a page of the list has.
const perPage = 50

// Paged keeps the statements of a page, which is the first if the text is empty.
func (v *ListView) Paged(list []stored.IssuedStatement, page string) error {
	v.Count, v.Page = len(list), 1
	if page != "" {
		n, err := strconv.Atoi(page)
		if err != nil || n < 1 || n > v.pages() {
			return &query.ParamError{Param: "page", Value: page, Problem: "is no page of this list: there are " + strconv.Itoa(v.pages())}
		}
		v.Page = n
	}
	v.List = list[(v.Page-1)*perPage : min(v.Page*perPage, len(list))]
	return nil
}

func (v ListView) pages() int { return max(1, (v.Count+perPage-1)/perPage) }

// pageAddress is that of another page of the list.
func (v ListView) pageAddress(page int) string {
	values := url.Values{"page": {strconv.Itoa(page)}}
	if v.Query.Month != 0 {
		values.Set("month", v.Query.Month.Format("2006-01"))
	}
	if v.Query.UID != "" {
		values.Set("uid", string(v.Query.UID))
	}
	if v.Query.State != "" {
		values.Set("state", string(v.Query.State))
	}
	return StatementsPath + "?" + values.Encode() + "#statements"
}

// listWords counts the statements of the list and of the page.
func (v ListView) listWords() string {
	words := phrase.Things(v.Count, "statement") + ", newest first"
	if v.pages() > 1 {
		first := (v.Page - 1) * perPage
		words = fmt.Sprintf("%s–%s of %s, newest first", phrase.Count(first+1), phrase.Count(first+len(v.List)), phrase.Things(v.Count, "statement"))
	}
	return words
}

func (v ListView) month() string     { return v.Month.Days.First.Format("2006-01") }
func (v ListView) monthName() string { return v.Month.Days.First.Format("January 2006") }

// lead says in words what is issued and due for the month.
func (v ListView) lead() string {
	issued, open := 0, 0
	for _, d := range v.Month.Drafts {
		if _, ok := v.issued(d.UID); ok {
			issued++
		} else {
			open++
		}
	}
	name, share := v.monthName(), v.owedWords()
	if !v.Month.Agreed && issued == 0 {
		share = " What we owe is not known: no share is agreed."
	}
	switch {
	case len(v.Month.Drafts) == 0 && len(v.OfMonth) == 0:
		return "The exchange reports no sub-affiliate with business in " + name + "."
	case open == 0:
		return fmt.Sprintf("%s for %s: all are issued.", phrase.Things(issued, "statement"), name) + share
	case issued == 0:
		return fmt.Sprintf("No statement for %s is issued yet; %s had business.", name, phrase.Things(open, "sub-affiliate")) + share
	}
	return fmt.Sprintf("%s for %s issued, %s to go.", phrase.Things(issued, "statement"), name, phrase.Count(open)) + share
}

// owedWords says what is owed in all, what of it is paid, and what is left.
func (v ListView) owedWords() string {
	due, paid, left := v.Month.Total()
	words := func(list []affiliate.Amount) string {
		var each []string
		for _, a := range list {
			switch {
			case a.Value.IsZero():
			case a.Coin == "" && len(list) > 1:
				each = append(each, owedExactly(a)+" without a coin")
			default:
				each = append(each, owedExactly(a))
			}
		}
		if len(each) == 0 {
			return "0"
		}
		return phrase.Listed(each)
	}
	said := " We owe " + words(due) + " in all"
	switch nothing := words(left) == "0"; {
	case words(due) == "0" && nothing:
	case words(paid) == "0":
		said += "; nothing of it is noted as paid"
	case nothing:
		said += ", and all of it is paid"
	default:
		said += ": " + words(paid) + " is paid, " + words(left) + " is left"
	}
	return said + "."
}

// owedExactly prints an exact amount with its coin, if it has one.
func owedExactly(a affiliate.Amount) string {
	words := affiliate.Grouped(a.Value.String())
	if a.Coin != "" {
		words += phrase.Space + string(a.Coin)
	}
	return words
}

// owedLines prints amounts of several coins, each in a line.
func owedLines(list []affiliate.Amount) templ.Component {
	var lines []templ.Component
	for _, a := range list {
		lines = append(lines, ui.Span("block whitespace-nowrap", "", owedExactly(a)))
	}
	if len(lines) == 0 {
		return ui.Text("0")
	}
	return ui.Join(lines...)
}

// unitWords says what the amounts are in.
func (v ListView) unitWords() string {
	due, _, _ := v.Month.Total()
	if len(due) == 0 || due[0].Coin == "" {
		return statements.NoUnit
	}
	return "The exchange states no unit or coin for its amounts of sub-affiliates. What is owed is in the coin of the terms, where one is agreed; nothing was converted."
}

// owesUs reports whether a sub-affiliate owes something to us.
func owesUs(s statements.Share) bool {
	return slices.ContainsFunc(s.Left(), func(a affiliate.Amount) bool { return a.Value.IsNegative() })
}

// issued returns the statement in force of a sub-affiliate for the month.
func (v ListView) issued(uid affiliate.UID) (stored.IssuedStatement, bool) {
	for _, one := range v.OfMonth {
		if one.UID == uid && one.CorrectedBy == "" {
			return one, true
		}
	}
	return stored.IssuedStatement{}, false
}

// unagreed says with how many sub-affiliates no share is agreed, if one is with others.
func (v ListView) unagreed() string {
	n := 0
	for _, d := range v.Month.Drafts {
		if _, issued := v.issued(d.UID); len(d.Terms) == 0 && !issued {
			n++
		}
	}
	if n == 0 || !v.Month.Agreed {
		return ""
	}
	return "No share is agreed with " + phrase.Things(n, "sub-affiliate") + ": import terms of scope sub-affiliate."
}

// issuable reports whether any statement of the month can still be issued.
func (v ListView) issuable() bool {
	for _, d := range v.Month.Drafts {
		if _, ok := v.issued(d.UID); !ok && d.Refusal == "" {
			return true
		}
	}
	return false
}

// lacking reports whether a statement that can be issued needs a reason.
func (v ListView) lacking() bool {
	for _, d := range v.Month.Drafts {
		if _, ok := v.issued(d.UID); !ok && d.Refusal == "" && len(d.Lacks) > 0 {
			return true
		}
	}
	return false
}

// restated reports whether a statement says something else than the figures of now.
func (v ListView) restated(d statements.Draft) bool {
	one, ok := v.issued(d.UID)
	return ok && one.Due.Canonical() != d.Total().Due.Canonical()
}

func (v ListView) narrowed() bool {
	return v.Query.Month != 0 || v.Query.UID != "" || v.Query.State != ""
}

// neighbour is the address of the month before (-1) or after (+1).
func (v ListView) neighbour(step int) string {
	year, month, _ := v.Month.Days.First.Date()
	return StatementsPath + "?month=" + affiliate.NewDay(year, month+time.Month(step), 1).Format("2006-01")
}

// monthChoices are the months of the filter.
func (v ListView) monthChoices() []ui.Pair {
	choices := []ui.Pair{{Value: "", Name: "All months"}}
	seen := false
	for _, m := range v.Months {
		seen = seen || m == v.Query.Month
		choices = append(choices, ui.Pair{Value: m.Format("2006-01"), Name: m.Format("January 2006")})
	}
	if v.Query.Month != 0 && !seen {
		choices = append(choices, ui.Pair{Value: v.Query.Month.Format("2006-01"), Name: v.Query.Month.Format("January 2006")})
	}
	return choices
}

var stateChoices = []ui.Pair{{Value: "", Name: "All states"}, {Value: "issued", Name: "Issued"}, {Value: "sent", Name: "Sent"}, {Value: "paid", Name: "Paid"}, {Value: "corrected", Name: "Corrected"}}

// stateWords are the word of a state and its severity.
func stateWords(i stored.IssuedStatement) (words, class string) {
	switch i.State() {
	case stored.StateCorrected:
		return "Corrected", "text-muted"
	case stored.StatePaid:
		return "Paid", "text-success"
	case stored.StateSent:
		return "Sent", "text-primary"
	}
	if i.Waiting {
		return "On its way", "text-primary"
	}
	return "Issued", "text-base-content"
}

// payeeName is the name of a payee, or the UID.
func payeeName(i stored.IssuedStatement) string {
	if i.Name != "" {
		return i.Name
	}
	return string(i.UID)
}

// StatementView is the page of a statement.
type StatementView struct {
	reports.StatementPage
	Payee       stored.Payee
	Token       string // empty: the reader may not change anything
	MayDownload bool
	CanMail     bool // a mail server is set
	Mails       []outbox.Attempt
	Queued      int     // mails so far
	Mail        ui.Form // as they were refused
	Pay         ui.Form
	Correction  ui.Form
	Done        string
	Zone        *time.Location
}

// stands says what became of the statement.
func (v StatementView) stands() string {
	switch v.State() {
	case stored.StateCorrected:
		return ""
	case stored.StatePaid:
		return fmt.Sprintf("Paid on %s, %s (noted by %s).", v.Payment.Day.Format("2 January 2006"), v.Payment.Reference, v.Payment.Actor)
	case stored.StateSent:
		return "Sent " + phrase.Clock(v.Sent.Time(), v.Zone) + ", not noted as paid."
	}
	if v.Waiting {
		return "A mail is on its way. It is not noted as paid."
	}
	return "Not sent by mail, not noted as paid."
}

// changeWords says what a correction would change.
func (v StatementView) changeWords() string {
	k := v.Now.Corrects
	words := fmt.Sprintf("Since it was issued, %s changed", phrase.Things(len(k.Changes), "line"))
	if !k.Difference.IsZero() {
		words += fmt.Sprintf(": we would owe %s, a difference of %s", statements.Exact(v.Now.Total().Due), phrase.Signed(k.Difference.Decimal()))
	} else {
		words += ", without a difference in what we owe"
	}
	return words + "."
}

func (v StatementView) several() bool {
	for _, l := range v.Content.Lines {
		if l.Account != v.Content.Lines[0].Account {
			return true
		}
	}
	return false
}

// PayeeView is the form of a payee.
type PayeeView struct {
	UID   affiliate.UID
	Form  ui.Form
	List  []stored.IssuedStatement
	Token string
	Done  string
}

func lines(text string) []string { return strings.Split(text, "\n") }

func isLink(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// shareColumns are the columns of what is owed for a month, paid and left.
func shareColumns(v ListView) []ui.Column[statements.Share] {
	type share = statements.Share
	cell := func(of func(*share) []affiliate.Amount) func(share) templ.Component {
		return func(s share) templ.Component {
			if !s.Agreed {
				return ui.Unknown("no share is agreed")
			}
			return owedLines(of(&s))
		}
	}
	draft := func(s share) statements.Draft { return v.Month.Of(s.UID) }
	left := cell((*share).Left)
	return []ui.Column[share]{
		ui.CellColumn("Sub-affiliate", func(s share) templ.Component { return draftPayee(s) }, ui.Names("min-w-36 max-w-56 font-normal whitespace-normal wrap-anywhere lg:max-w-80")),
		ui.CellColumn("We owe", cell((*share).Due), ui.Nums, ui.Classed("font-medium"), ui.Hinted("By the statement; without one by the figures and terms of now. Exact")),
		ui.CellColumn("Paid", cell(func(s *share) []affiliate.Amount { return s.Paid }), ui.Nums, ui.Hinted("Of the newest statement that is noted as paid")),
		ui.CellColumn("Left", func(s share) templ.Component {
			return ui.Join(left(s), ui.When(s.Agreed && owesUs(s), ui.Span("text-muted block text-xs", "", "owed to us")))
		}, ui.Nums, ui.Hinted("Owed and not noted as paid")),
		ui.CellColumn("Statement", func(s share) templ.Component { return draftStatement(draft(s), v) }, ui.Classed("min-w-40")),
		ui.TextColumn("Net trading fee", func(s share) string { return statements.Exact(draft(s).Total().Fee) }, ui.Nums),
		ui.TextColumn("Paid by the exchange", func(s share) string { return statements.Exact(draft(s).Total().Paid) }, ui.Nums, ui.Hinted("What the exchange says that it paid the sub-affiliate itself")),
	}
}

// shareFoot is what is owed to all, paid and left.
func shareFoot(v ListView) templ.Component {
	due, paid, left := v.Month.Total()
	if len(due) == 0 && len(paid) == 0 {
		return nil
	}
	type sum = struct{}
	return ui.Rows([]ui.Column[sum]{
		ui.TextColumn("", func(sum) string { return "Total" }, ui.Names("")),
		ui.CellColumn("", func(sum) templ.Component { return owedLines(due) }, ui.Nums),
		ui.CellColumn("", func(sum) templ.Component { return owedLines(paid) }, ui.Nums),
		ui.CellColumn("", func(sum) templ.Component { return owedLines(left) }, ui.Nums),
		ui.TextColumn("", func(sum) string { return "" }, ui.Spanning(3)),
	}, []sum{{}})
}

func statementColumns() []ui.Column[stored.IssuedStatement] {
	return []ui.Column[stored.IssuedStatement]{
		ui.CellColumn("Number", func(one stored.IssuedStatement) templ.Component {
			return ui.Join(ui.Link("text-link whitespace-nowrap", StatementPath(one.Number), ui.Text(one.Number)), ui.When(one.Corrects != "", ui.Span("text-muted block text-xs font-normal", "", "corrects "+one.Corrects)))
		}, ui.Names("font-medium")),
		ui.TextColumn("Month", func(one stored.IssuedStatement) string { return one.Month.Format("Jan 2006") }, ui.Classed("whitespace-nowrap")),
		ui.CellColumn("Sub-affiliate", func(one stored.IssuedStatement) templ.Component { return statementSubAffiliate(one) }, ui.Classed("min-w-36 max-w-56 whitespace-normal wrap-anywhere lg:max-w-80")),
		ui.CellColumn("We owe", func(one stored.IssuedStatement) templ.Component {
			return ui.Join(ui.Text(statements.Exact(one.Due)), ui.When(one.Corrects != "", ui.Span("text-muted block text-xs", "", phrase.Signed(one.Difference.Decimal()))))
		}, ui.Nums, ui.Hinted("Exact; the exchange states no unit")),
		ui.CellColumn("State", func(one stored.IssuedStatement) templ.Component { return state(one) }),
		ui.CellColumn("Paid", func(one stored.IssuedStatement) templ.Component {
			if one.Payment.Noted.Known() {
				return ui.Join(ui.Span("whitespace-nowrap", "", one.Payment.Day.Format("2 Jan 2006")), ui.ForeignStyled("text-muted block text-xs wrap-anywhere", one.Payment.Reference))
			}
			return ui.Span("text-muted", "", "not noted")
		}),
	}
}

func totalColumns() []ui.Column[stored.Total] {
	return []ui.Column[stored.Total]{
		ui.CellColumn("Product", func(total stored.Total) templ.Component {
			if total.Product == "" {
				return ui.Text("Total")
			}
			return ui.Text(total.Product.Label())
		}, ui.Names("")),
		ui.TextColumn("Days", func(total stored.Total) string { return strconv.Itoa(total.Days) }, ui.Nums),
		ui.TextColumn("Trading volume", func(total stored.Total) string { return statements.Exact(total.Volume) }, ui.Nums),
		ui.TextColumn("Net trading fee", func(total stored.Total) string { return statements.Exact(total.Fee) }, ui.Nums),
		ui.TextColumn("Paid by the exchange", func(total stored.Total) string { return statements.Exact(total.Paid) }, ui.Nums),
		ui.TextColumn("We owe", func(total stored.Total) string { return statements.Exact(total.Due) }, ui.Nums),
	}
}

func agreedColumns() []ui.Column[stored.Term] {
	return []ui.Column[stored.Term]{
		ui.TextColumn("Term", func(term stored.Term) string { return strconv.Itoa(term.Number) }, ui.Nums),
		ui.ForeignColumn("Agreed with", func(term stored.Term) string { return phrase.Capital(term.About) }),
		ui.TextColumn("Share", func(term stored.Term) string { return statements.SharePercent(term.Rate) }, ui.Nums),
		ui.TextColumn("From", func(term stored.Term) string { return term.From }, ui.Classed("whitespace-nowrap")),
		ui.CellColumn("To", func(term stored.Term) templ.Component {
			if term.To == "" {
				return ui.Span("text-muted", "", "further notice")
			}
			return ui.Text(term.To)
		}, ui.Classed("whitespace-nowrap")),
		ui.CellColumn("Note and reference", func(term stored.Term) templ.Component { return agreedNoteAnd(term) }, ui.Classed("wrap-anywhere whitespace-normal")),
	}
}

func correctionColumns(v StatementView) []ui.Column[stored.LineChange] {
	return []ui.Column[stored.LineChange]{
		ui.TextColumn("Day (UTC)", func(l stored.LineChange) string { return l.Day }, ui.Names("font-normal whitespace-nowrap")),
		ui.ForeignColumn("Account", func(l stored.LineChange) string { return string(l.Account) }, ui.If(v.several())),
		ui.TextColumn("Product", func(l stored.LineChange) string { return l.Product.Label() }),
		ui.CellColumn("Fee before", func(l stored.LineChange) templ.Component { return exact(l.FeeBefore, "there was no such line") }, ui.Nums),
		ui.CellColumn("Fee now", func(l stored.LineChange) templ.Component { return exact(l.FeeAfter, "the line is gone") }, ui.Nums),
		ui.CellColumn("Owed before", func(l stored.LineChange) templ.Component { return exact(l.DueBefore, "nothing was due") }, ui.Nums),
		ui.CellColumn("Owed now", func(l stored.LineChange) templ.Component { return exact(l.DueAfter, "nothing is due") }, ui.Nums),
	}
}

func lineColumns(v StatementView) []ui.Column[stored.Line] {
	return []ui.Column[stored.Line]{
		ui.TextColumn("Day (UTC)", func(l stored.Line) string { return l.Day }, ui.Names("font-normal whitespace-nowrap")),
		ui.ForeignColumn("Account", func(l stored.Line) string { return string(l.Account) }, ui.If(v.several())),
		ui.TextColumn("Product", func(l stored.Line) string { return l.Product.Label() }),
		ui.CellColumn("Trading volume", func(l stored.Line) templ.Component { return exact(l.Volume, "the exchange gave none") }, ui.Nums),
		ui.CellColumn("Net trading fee", func(l stored.Line) templ.Component { return exact(l.Fee, "the exchange gave none") }, ui.Nums),
		ui.CellColumn("Paid by the exchange", func(l stored.Line) templ.Component { return exact(l.Paid, "the exchange gave none") }, ui.Nums),
		ui.CellColumn("Term", func(l stored.Line) templ.Component {
			if l.Term > 0 {
				return ui.Text(strconv.Itoa(l.Term))
			}
			return ui.Unknown("no share is agreed for this day")
		}, ui.Nums),
		ui.CellColumn("Share", func(l stored.Line) templ.Component {
			if l.Term > 0 {
				return ui.Text(statements.SharePercent(l.Rate))
			}
			return ui.Unknown("no share is agreed for this day")
		}, ui.Nums),
		ui.CellColumn("We owe", func(l stored.Line) templ.Component {
			return exact(l.Due, "no share is agreed, or the fee is not known")
		}, ui.Nums),
	}
}
