package mailer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net/mail"
	"net/url"
	"regexp"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"rebatedesk/affiliate"
	"rebatedesk/store/outbox"
)

const (
	// PictureID is the Content-ID of the chart.
	PictureID = "chart@rebatedesk"
	// StopPlace marks the place in a stored message where each copy has its own link.
	StopPlace = "https://stop.invalid/these-mails"
)

// Message is the copy of a stored message for one recipient.
type Message struct {
	outbox.Summary
	To       string
	HeaderID string // Message-ID, without its brackets
	Stop     string // link that ends these mails; empty if there is no link
}

// Bytes returns the message as it is sent (RFC 5322). The result is the same on every
// call, so that a second copy can be recognized. Invisible characters in names that
// others chose are shown by their number, except in the files, which are exact.
func (m Message) Bytes() ([]byte, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from, err := mail.ParseAddress(m.From)
	if err != nil {
		return nil, fmt.Errorf("the sender: %w", err)
	}
	msg.FromMailAddress(from)
	msg.ToMailAddress(&mail.Address{Address: m.To})
	msg.SetGenHeaderPreformatted(gomail.HeaderSubject, folded(string(gomail.HeaderSubject), affiliate.Visible(m.Subject)))
	msg.SetDateWithValue(m.Made.Time())
	msg.SetMessageIDWithValue(m.HeaderID)
	// Automatic replies would only return to the sender (RFC 3834).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Stop != "" {
		msg.SetGenHeader("List-Unsubscribe", "<"+m.Stop+">")
		msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click") // RFC 8058
	} else { // the sender of the mails has to end them
		write := url.URL{Scheme: "mailto", Opaque: url.PathEscape(from.Address), RawQuery: "subject=unsubscribe"}
		msg.SetGenHeader("List-Unsubscribe", "<"+write.String()+">") // RFC 2369
	}
	msg.SetBodyString(gomail.TypeTextPlain, affiliate.VisibleLines(strings.ReplaceAll(m.Text, StopPlace, m.Stop)))
	msg.AddAlternativeString(gomail.TypeTextHTML, affiliate.VisibleLines(strings.ReplaceAll(m.HTML, StopPlace, html.EscapeString(m.Stop))))
	if err := m.attach(msg); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("writing the message: %w", err)
	}
	return relatedType(fixBoundaries(b.Bytes(), m.HeaderID)), nil
}

// attach adds the chart and the files.
func (m Message) attach(msg *gomail.Msg) error {
	if len(m.Picture) > 0 {
		err := msg.EmbedReader("chart.png", bytes.NewReader(m.Picture), gomail.WithFileContentID("<"+PictureID+">"), gomail.WithFileContentType("image/png"))
		if err != nil {
			return fmt.Errorf("embedding the chart: %w", err)
		}
	}
	for _, a := range m.Attachments {
		err := msg.AttachReader(a.Name, bytes.NewReader(a.Content), gomail.WithFileContentType(gomail.ContentType(a.Type)))
		if err != nil {
			return fmt.Errorf("attaching %s: %w", a.Name, err)
		}
	}
	return nil
}

// boundaries matches the library's boundaries, which are random hexadecimal digits.
var boundaries = regexp.MustCompile(`boundary="?([0-9a-f]{40,70})`)

// fixBoundaries replaces the random boundaries, which would make each copy a different
// message, with boundaries derived from the Message-ID.
func fixBoundaries(content []byte, headerID string) []byte {
	for i, found := range boundaries.FindAllSubmatch(content, -1) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", i, headerID))
		fixed := strings.Repeat(hex.EncodeToString(sum[:]), 2)[:len(found[1])]
		content = bytes.ReplaceAll(content, bytes.Clone(found[1]), []byte(fixed))
	}
	return content
}

// relatedType says of which type the root of the part with the chart is, as RFC 2387 demands. The
// library does not; there is no such header in the text, whose lines are quoted.
func relatedType(content []byte) []byte {
	return bytes.Replace(content, []byte("Content-Type: multipart/related;\r\n"), []byte("Content-Type: multipart/related; type=\"multipart/alternative\";\r\n"), 1)
}

// HeaderID returns the Message-ID of one copy. It is always the same for the same
// schedule or query, period, kind and recipient.
func HeaderID(m outbox.Summary, recipient string, from *mail.Address) string {
	number := m.Of.Number
	if m.Of.Kind == outbox.KindAlert {
		number, m.Days = 0, affiliate.Days{} // its scope names the alert and the facts, whichever day they are sent
	}
	about := fmt.Sprintf("%d|%s|%s|%d|%d|%s|%d|%s", number, m.Scope, m.Every, m.Days.First, m.Days.Last, m.Kind, m.Number, strings.ToLower(recipient))
	sum := sha256.Sum256([]byte(about))
	if _, posted := outbox.ChannelOf(recipient); posted {
		return "msg_" + hex.EncodeToString(sum[:16]) // webhook-id
	}
	_, host, _ := strings.Cut(from.Address, "@")
	return hex.EncodeToString(sum[:16]) + "@" + host
}
