package mail

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
)

// mostLines is the number of facts that a message spells out.
const mostLines = 12

// alertText is the content of an alert message, used by both of its parts.
type alertText struct {
	Subject string
	Title   string
	Name    string // of the alert, with its condition
	Lines   []alertLine
	More    string // summary of the facts that are not spelled out
	Link    string // to the page with the details; empty if the address of the application is unknown
	Reason  string
}

// alertLine is one fact.
type alertLine struct{ Words, Found, Link string }

// alertMessage makes the message that reports facts.
func (s *Service) alertMessage(ctx context.Context, a Alert, facts []outbox.Fact, now time.Time) (outbox.Summary, error) {
	text := s.alertText(a, facts, now)
	stop := ""
	if s.stopLink(a.Ref, "") != "" {
		stop = mailer.StopPlace
	}
	var page bytes.Buffer
	if err := alertHTML(text, stop).Render(ctx, &page); err != nil {
		return outbox.Summary{}, fmt.Errorf("writing the message: %w", err)
	}
	day := affiliate.DayOf(now, s.store.Zone())
	return outbox.Summary{
		Of: a.Ref, Scope: alertScope(a, facts), Days: affiliate.Days{First: day, Last: day}, Kind: outbox.SummaryAlert, Made: affiliate.MillisOf(now),
		From: s.via().From.String(), Subject: text.Subject, Text: text.plain(stop), HTML: page.String(), Brief: text.brief(),
		Event: event{a.kind.EventOf(facts), now, map[string]any{"alert": a.Name, "text": plainSpaces(text.Heading()), "link": text.Link, "findings": s.findingsOf(facts)}}.json(),
	}, nil
}

// alertScope identifies the content of a message. The Message-ID follows from it.
func alertScope(a Alert, facts []outbox.Fact) string {
	told := sha256.New()
	for _, f := range facts {
		fmt.Fprintf(told, "%q\n", f.Key) // a hash never fails
	}
	return fmt.Sprintf("alert %d %s", a.Number, hex.EncodeToString(told.Sum(nil)))
}

func (s *Service) alertText(a Alert, facts []outbox.Fact, now time.Time) alertText {
	zone := s.store.Zone()
	account := affiliate.OneLine(string(a.Account))
	if account == "" {
		account = "all accounts"
	}
	t := alertText{Title: a.kind.Headline(&findings.Watched{Subscription: a.Subscription}, facts), Name: a.Words(), Link: s.onPage(facts[0].Page),
		Reason: fmt.Sprintf("You get this mail because you are a recipient of the alert “%s”. Each event is reported once.", affiliate.OneLine(a.Name)) + s.otherWayOut(a.Ref)}
	t.Subject = fmt.Sprintf("Alert: %s – %s (%s)", t.Title, account, zone)
	t.tell(facts, s, now)
	return t
}

// tell spells out facts.
func (t *alertText) tell(facts []outbox.Fact, s *Service, now time.Time) {
	zone := s.store.Zone()
	lines := findings.Joined(facts)
	for i, f := range lines {
		if i == mostLines {
			t.More = fmt.Sprintf("And %d more.", len(lines)-mostLines)
			break
		}
		line := alertLine{Words: f.Words, Link: s.onPage(f.Page)}
		if f.Lasting.Time().Before(now) {
			line.Found = "Found " + phrase.Clock(f.Lasting.Time(), zone)
		}
		t.Lines = append(t.Lines, line)
	}
}

// Heading returns the title with a capital first letter.
func (t alertText) Heading() string { return phrase.Capital(t.Title) }

// onPage returns the address of a page of the application, or an empty string if the
// application's address is unknown.
func (s *Service) onPage(path string) string {
	if s.public == "" {
		return ""
	}
	return s.public + path
}

// plain returns the text part. Sentences are wrapped; addresses are as long as needed.
func (t alertText) plain(stop string) string {
	var b strings.Builder
	line := func(parts ...string) { b.WriteString(strings.Join(parts, "") + "\n") }
	sentence := func(first, words string) { line(wrapped(first, words)) }
	sentence("", "Alert: "+t.Heading())
	sentence("", t.Name)
	for _, one := range t.Lines {
		line()
		sentence("- ", one.Words)
		if one.Found != "" {
			sentence("  ", one.Found)
		}
		if one.Link != "" {
			line("  ", one.Link)
		}
	}
	if t.More != "" {
		line("\n", t.More)
	}
	line("\n-- ")
	sentence("", t.Reason)
	if stop != "" {
		line("Unsubscribe: ", stop)
	}
	return b.String()
}
