package mail

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// Schedule defines what is sent to whom, and when.
type Schedule struct {
	outbox.Subscription
	zone *time.Location // of its hour
}

// Limits of a schedule.
const (
	DefaultDeadline = 12 // hours
	MostDeadline    = 20 // hours: before the next day's summary is due
	MostRecipients  = 500
)

// ParseSchedule checks a schedule. It returns a *store.RuleError for each invalid
// setting, joined.
func ParseSchedule(s outbox.Subscription) (Schedule, error) {
	var errs faults
	s.Kind = outbox.KindSchedule
	if !dispatch.Every(s.Every).Known() {
		errs.add("every", "A summary is daily, weekly or monthly, not “%s”.", mailer.Cut(affiliate.OneLine(s.Every), 40))
	}
	zone, err := time.LoadLocation(s.Zone)
	if s.Zone == "" || s.Zone == "Local" || err != nil {
		errs.add("zone", "There is no time zone “%s”: give one such as Europe/Berlin or UTC.", mailer.Cut(affiliate.OneLine(s.Zone), 40))
	}
	if s.Hour < 0 || s.Hour > 23 || s.Minute < 0 || s.Minute > 59 {
		errs.add("at", "There is no time %d:%02d.", s.Hour, s.Minute)
	}
	if s.Weekday < time.Sunday || s.Weekday > time.Saturday {
		errs.add("weekday", "There is no such day of the week.")
	}
	if s.MonthDay < 1 || s.MonthDay > 31 {
		errs.add("month_day", "The day of the month is from 1 to 31, not %d.", s.MonthDay)
	}
	if s.Deadline < 1 || s.Deadline > MostDeadline {
		errs.add("deadline", "The deadline is from 1 to %d hours after the summary is due, not %d.", MostDeadline, s.Deadline)
	}
	errs.limit("skip_below", "the amount below which nothing is sent", s.SkipBelow, s.SkipCoin)
	errs.limit("correct_above", "the amount of a correction", s.CorrectAbove, s.CorrectCoin)
	errs.join(checkSections(s.Sections))
	s.Recipients, err = checkRecipients(s.Recipients)
	errs.join(err)
	s.Product = affiliate.Choose(affiliate.Choices(s.Product))
	return Schedule{s, zone}, errs.err()
}

// faults collects all errors in a user's input.
type faults []error

// add records an error in a field.
func (f *faults) add(field, format string, args ...any) {
	*f = append(*f, &store.RuleError{Problem: fmt.Sprintf(format, args...), Field: field})
}

func (f *faults) join(err error) {
	if err != nil {
		*f = append(*f, err)
	}
}

// limit checks an amount with its coin; both may be omitted.
func (f *faults) limit(field, what string, amount affiliate.Number, coin affiliate.Coin) {
	if amount == "" && coin == "" {
		return
	}
	if n, err := affiliate.ParseNumber(string(amount)); err != nil || !n.Known() || n.Decimal().IsNegative() || coin == "" {
		f.add(field, "For %s give a number and its coin, such as 100 USDT.", what)
	}
}

func (f faults) err() error { return errors.Join(f...) }

// AdHoc holds the settings of a summary by hand that a schedule does not have.
func AdHoc(every dispatch.Every, account affiliate.Account) (Schedule, error) {
	if !every.Known() {
		return Schedule{}, &store.RuleError{Problem: fmt.Sprintf("A summary is daily, weekly or monthly, not “%s”.", every)}
	}
	return Schedule{outbox.Subscription{Every: string(every), Account: account}, time.UTC}, nil
}

// checkRecipients returns recipients with their addresses in the form that mail servers
// know. It reports all invalid addresses at once.
func checkRecipients(given []outbox.Recipient) (list []outbox.Recipient, err error) {
	if len(given) == 0 || len(given) > MostRecipients {
		return nil, &store.RuleError{Problem: fmt.Sprintf("Give from 1 to %d recipients.", MostRecipients), Field: "recipients"}
	}
	var errs []error
	seen := map[string]bool{}
	for _, r := range given {
		address, err := ParseRecipient(r.Address)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if key := strings.ToLower(address); seen[key] {
			errs = append(errs, &store.RuleError{Problem: fmt.Sprintf("The recipient %q is given twice.", r.Label()), Field: "recipients"})
		} else {
			seen[key] = true
		}
		r.Address = address
		list = append(list, r)
	}
	return list, errors.Join(errs...)
}

// Times returns when the periods of a schedule are due, with days of the reporting zone.
func (s Schedule) Times(reporting *time.Location) dispatch.Schedule {
	return dispatch.Schedule{Every: dispatch.Every(s.Every), Weekday: s.Weekday, MonthDay: s.MonthDay, Hour: s.Hour, Minute: s.Minute,
		Zone: s.zone, Days: reporting, Deadline: s.Deadline}
}
