package mail

import (
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/findings"
	"rebatedesk/store/outbox"
)

// Limits of an alert.
const (
	MostAlertHours = 720
	MostApart      = 168 // hours
	dayMinutes     = 24 * 60
)

// Alert defines which findings are reported to whom, and when they are held back.
type Alert struct {
	outbox.Subscription
	zone *time.Location // of its quiet time
	kind *findings.Kind // what it watches
}

// ParseAlert checks an alert and drops the settings that its condition does not use. It
// returns a *store.RuleError for each invalid setting, joined.
func ParseAlert(a outbox.Subscription) (Alert, error) {
	var errs faults
	a.Kind = outbox.KindAlert
	zone, err := time.LoadLocation(a.Zone)
	kind, about := findings.AlertKind(a.Watches), findings.Alert{}
	if kind != nil {
		about = *kind.Alert
	} else {
		errs.add("watches", "An alert watches one of %s, not “%s”.", strings.Join(findings.AlertNames(nil), ", "), mailer.Cut(affiliate.OneLine(a.Watches), 40))
	}
	if a.Zone == "" || a.Zone == "Local" || err != nil {
		errs.add("zone", "There is no time zone “%s”: give one such as Europe/Berlin or UTC.", mailer.Cut(affiliate.OneLine(a.Zone), 40))
	}
	if about.Hours > 0 && (a.Hours < 1 || a.Hours > MostAlertHours) {
		errs.add("hours", "It must last for 1 to %d hours, not %d.", MostAlertHours, a.Hours)
	}
	if about.Percent > 0 && (a.Percent < 1 || a.Percent > 99) {
		errs.add("percent", "Give a percentage of the usual commission from 1 to 99, not %d.", a.Percent)
	}
	if about.Amount != "" && !isLimit(a.Amount, a.Coin) {
		errs.add("amount", "Give the amount with its coin, such as 100 USDT.")
	}
	if a.QuietFrom < 0 || a.QuietFrom >= dayMinutes || a.QuietUntil < 0 || a.QuietUntil >= dayMinutes {
		errs.add("quiet", "The quiet time is from one time of day to another, such as 22:00 to 07:00.")
	}
	if a.Apart < 0 || a.Apart > MostApart {
		errs.add("apart", "Between two mails may be from 0 to %d hours, not %d.", MostApart, a.Apart)
	}
	if a.Segment != "" && !about.Segments {
		errs.add("segment", "This alert is about whole accounts: leave the segment empty.")
	}
	if a.AsUser != "" && !about.Users {
		errs.add("as_user", "This alert is about whole accounts: it cannot be about the invitees of one user.")
	}
	a.Recipients, err = checkRecipients(a.Recipients)
	errs.join(err)
	if about.Hours == 0 {
		a.Hours = 0
	}
	if about.Amount == "" && about.Coin == "" {
		a.Coin = ""
	}
	if about.Amount == "" {
		a.Amount = ""
	}
	if about.Percent == 0 {
		a.Percent = 0
	}
	return Alert{a, zone, kind}, errs.err()
}

func isLimit(amount affiliate.Number, coin affiliate.Coin) bool {
	n, err := affiliate.ParseNumber(string(amount))
	return err == nil && n.Known() && n.Decimal().IsPositive() && coin != ""
}

// Words describes the watched condition in words.
func (a Alert) Words() string {
	words := a.kind.Alert.Words(&findings.Watched{Subscription: a.Subscription})
	if a.Segment != "" {
		words += ", in the segment “" + affiliate.OneLine(a.Segment) + "”"
	}
	if a.AsUser != "" {
		words += ", among the invitees of " + affiliate.OneLine(a.AsUser)
	}
	return words
}

// quiet reports whether an instant lies in the quiet time, and when that ends. An hour
// that clocks show twice ends when they show its end for the first time.
func (a Alert) quiet(now time.Time) (end time.Time, quiet bool) {
	local := now.In(a.zone)
	minute, from, until := local.Hour()*60+local.Minute(), a.QuietFrom, a.QuietUntil
	year, month, day := local.Date()
	switch {
	case from <= until && (minute < from || minute >= until):
		return time.Time{}, false
	case from > until && minute < from && minute >= until:
		return time.Time{}, false
	case minute >= until:
		day++
	}
	end = affiliate.LocalTime(year, month, day, until/60, until%60, a.zone)
	return end, end.After(now)
}

// ParseQuiet reads a quiet time such as "22:00-07:00" as minutes of the day. An empty
// text means never quiet. Two equal times would be stored as never, so they are
// refused.
func ParseQuiet(text string) (from, until int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, last, _ := strings.Cut(text, "-")
	for _, one := range []struct {
		text string
		to   *int
	}{{first, &from}, {last, &until}} {
		at, err := time.Parse("15:04", strings.TrimSpace(one.text))
		if err != nil {
			return 0, 0, fmt.Errorf("%q is no time of day from one hour to another, such as 22:00-07:00", mailer.Cut(affiliate.OneLine(text), 40))
		}
		*one.to = at.Hour()*60 + at.Minute()
	}
	if from == until {
		return 0, 0, fmt.Errorf("%q begins and ends at the same time; give two times such as 22:00-07:00", mailer.Cut(affiliate.OneLine(text), 40))
	}
	return from, until, nil
}

// QuietWords names the quiet time of an alert with its zone; it is empty if the alert
// is never quiet.
func QuietWords(a outbox.Subscription) string {
	if a.QuietFrom == a.QuietUntil {
		return ""
	}
	return fmt.Sprintf("%02d:%02d-%02d:%02d %s", a.QuietFrom/60, a.QuietFrom%60, a.QuietUntil/60, a.QuietUntil%60, a.Zone)
}

// The reasons why an alert holds back.
const (
	HeldByQuiet = "quiet time"
	HeldByPace  = "another mail went out shortly before"
)

// Held returns until when an alert holds back its findings, and why. An empty reason
// means that it holds nothing back. A mail dated in the future was sent under a wrong
// clock and is ignored.
func (a Alert) Held(now time.Time) (until time.Time, why string) {
	told := a.Told.Time()
	if apart := told.Add(time.Duration(a.Apart) * time.Hour); a.Told.Known() && !told.After(now) && now.Before(apart) {
		until, why = apart, HeldByPace
	} else {
		until = now
	}
	if end, quiet := a.quiet(until); quiet {
		return end, HeldByQuiet
	}
	return until, why
}
