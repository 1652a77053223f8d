package feeds

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports/agenda"
	"rebatedesk/reports/books"
	"rebatedesk/reports/months"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/syndication"
)

// readAgain is how often programs are told to read the calendar again.
const readAgain = time.Hour

// Calendar sends the days of the agenda.
func (s *Area) Calendar(c *fiber.Ctx) error {
	r, err := s.Reports(c).Agenda(c.UserContext())
	if err != nil {
		return fmt.Errorf("the calendar: %w", err)
	}
	at := s.place(c)
	list := syndication.DateList{Name: "Rebatedesk (" + r.Zone.String() + ")", Product: "Rebatedesk", Every: readAgain}
	for i := range r.Ends {
		list.Dates = append(list.Dates, at.monthDates(&r.Ends[i], &r)...)
	}
	for _, due := range r.Statements {
		list.Dates = append(list.Dates, at.statementDate(due))
	}
	for i := range r.Overdue {
		list.Dates = append(list.Dates, at.overdueDate(&r.Overdue[i]))
	}
	for _, payout := range r.Payouts {
		list.Dates = append(list.Dates, at.payoutDate(payout))
	}
	seen := syndication.Calendar(list) // the stamp alone is no change
	list.Stamp = r.Today.Start(r.Zone)
	if r.Written.Known() {
		list.Stamp = r.Written.Time()
	}
	return send(c, syndication.CalendarType, syndication.Calendar(list), seen, 0)
}

// monthDates are the end of a month, and the day on which it can be closed or was.
func (p place) monthDates(m *agenda.MonthEnd, r *agenda.Report) []syndication.Date {
	if r.Judged && m.State == "" && m.Last < r.Today {
		return nil // before the first record
	}
	name, id := phrase.MonthName(m.First), m.First.Format("2006-01")
	end := syndication.Date{UID: "month-end-" + id + "@" + p.host, Day: m.Last, Summary: name + " ends"}
	if !r.Judged {
		return []syndication.Date{end}
	}
	page := p.page("/months/"+id, nil)
	if m.State == "" {
		page = p.page("/months", nil)
	}
	end.URL, end.Detail = page, "It can be closed from "+phrase.Days(affiliate.Days{First: m.Closable, Last: m.Closable})+" on, once all of it is collected and settled."
	closing := syndication.Date{UID: "month-close-" + id + "@" + p.host, Day: m.Closable, URL: page}
	switch {
	case m.Closed.Known():
		closing.Day, closing.Summary = affiliate.DayOf(m.Closed.Time(), r.Zone), name+" was closed"
		end.Detail = ""
	case m.Last >= r.Today || m.Closable > r.Today:
		closing.Summary, closing.Detail = name+" can be closed", end.Detail
	case m.State == months.Closable || m.Readiness.Ready():
		closing.Summary, closing.Detail = name+" can be closed", "All of it is collected and settled."
	default:
		closing.Summary = name + " cannot be closed yet"
		closing.Detail = strings.Join(phrase.MonthLacks(m.First, m.Readiness, r.Zone), "\n")
		closing.Urgent = true
	}
	return []syndication.Date{end, closing}
}

func (p place) statementDate(due agenda.StatementsDue) syndication.Date {
	id := due.First.Format("2006-01")
	d := syndication.Date{UID: "statements-" + id + "@" + p.host, Day: due.Day, Summary: "Statements of " + phrase.MonthName(due.First) + " are due",
		URL: p.page("/statements", url.Values{"month": {id}})}
	if due.Over {
		d.Summary += ": " + phrase.Things(due.Open, "statement") + " to issue"
	}
	return d
}

func (p place) overdueDate(o *agenda.OverduePayment) syndication.Date {
	unpaid := o.Unpaid()
	amount := unpaid.String() + " " + affiliate.Visible(string(o.Coin))
	words := "Nothing of it arrived."
	if o.State == books.Short {
		if words = "A part of it arrived."; phrase.GrownOnly(o.Line) {
			words = "The exchange added it after it had paid all that was earned then."
		}
	}
	account := affiliate.OneLine(string(o.Account))
	return syndication.Date{
		UID: fmt.Sprintf("overdue-%s-%s-%s-%d@%s", account, affiliate.Visible(string(o.Coin)), o.Kind, o.From, p.host), Day: o.Day, Urgent: true,
		Summary: "Payment overdue: " + amount + " (" + account + ")",
		Detail:  fmt.Sprintf("Commission of %s (%s), period %s: %s was due and is not paid. %s", account, o.Kind, phrase.PaymentPeriod(o.From, o.To), amount, words),
		URL:     p.home + payments.LineAddress(o.Key(), time.Time{}),
	}
}

func (p place) payoutDate(e agenda.ExpectedPayout) syndication.Date {
	account := affiliate.OneLine(string(e.Account))
	d := syndication.Date{
		UID: fmt.Sprintf("payout-%s-%d@%s", account, e.From, p.host), Day: e.Day, Summary: "Payout expected (" + account + ")",
		Detail: "By the payout rule in use, the commission of the period " + phrase.PaymentPeriod(e.From, e.To) + " is paid on this day.",
		URL:    p.page("/payments", url.Values{"account": {string(e.Account)}}),
	}
	if e.Period == books.Hour {
		// Its first hour may be over already: the id is that of the day.
		d.UID, d.Summary = fmt.Sprintf("payouts-%s-%s@%s", account, e.Day, p.host), "Payouts expected every hour ("+account+")"
		d.Detail = "By the payout rule in use, the commission of each hour is paid by the hour."
	}
	return d
}
