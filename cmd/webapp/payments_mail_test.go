package main

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// A summary has the sums of the export of payments, and an alert of what is outstanding can be
// kept by command.
func TestPaymentsByMail(t *testing.T) {
	t.Parallel()
	smtpd := newMailServer(t, nil, false)
	d := paidBy(t, "day+8h few", 77)
	d.env = append(d.env, "REBATEDESK_SMTP_URL=smtp://"+smtpd.address+"?tls=none", "REBATEDESK_MAIL_FROM=Desk <desk@example.com>")
	monday := d.today() - 14
	for monday.Weekday() != 1 {
		monday--
	}
	if status, _, stderr := d.run(t.Context(), nil, "summary", "send", "--period", "weekly", "--date", monday.String(), "--to", "boss@example.com"); status != statusDone {
		t.Fatalf("status %d, %s", status, stderr) // the master key is new
	}
	text := plainPart(t, <-smtpd.messages)
	_, table, ok := strings.Cut(text, "Earned and paid, days in UTC\n")
	if !ok {
		t.Fatalf("the mail has no payments:\n%s", text)
	}
	shown := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Fields(line)
		if len(cells) == 0 {
			break
		}
		shown[cells[0]] = cells[1:]
	}
	rows := d.cells(d.done(nil, "export", "payments", "--from", monday.String(), "--to", (monday + 6).String()))
	earned, paid := total(rows, "earned"), total(rows, "paid")
	for i, column := range []string{"earned", "paid"} {
		for coin, sum := range total(rows, column) {
			if shown[coin] == nil && earned[coin].Cmp(paid[coin]) == 0 {
				continue // the mail lists the coins of which not all is paid as it was earned
			}
			exact, err := decimal.NewFromString(sum.FloatString(18))
			if err != nil {
				t.Fatal(err)
			}
			want := affiliate.Amount{Value: exact, Coin: affiliate.Coin(coin)}.Short()
			if len(shown[coin]) != 5 || shown[coin][i] != want {
				t.Errorf("%s %s: the mail has %q, the export %s", coin, column, shown[coin], want)
			}
		}
	}
	d.done(nil, "summary", "alert", "add", "--alert", "Unpaid", "--watch", "outstanding", "--above", "100 USDT", "--to", "boss@example.com")
	d.done(nil, "summary", "alert", "add", "--alert", "Payments", "--watch", "payment", "--coin", "USDT", "--to", "boss@example.com")
	list := d.done(nil, "summary", "alert", "list")
	for _, want := range []string{"More than 100 USDT is due and not paid", "A payment in USDT is missing, too low, late or made twice"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list of alerts lacks %q:\n%s", want, list)
		}
	}
}

// plainPart returns the text of a message.
func plainPart(t *testing.T, content []byte) string {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var find func(header, encoding string, body io.Reader) string
	find = func(header, encoding string, body io.Reader) string {
		kind, params, err := mime.ParseMediaType(header)
		if err != nil {
			t.Fatal(err)
		}
		if kind == "text/plain" {
			if encoding == "quoted-printable" {
				body = quotedprintable.NewReader(body)
			}
			text, err := io.ReadAll(body)
			if err != nil {
				t.Fatal(err)
			}
			return strings.ReplaceAll(string(text), "\r\n", "\n")
		}
		if !strings.HasPrefix(kind, "multipart/") {
			return ""
		}
		parts := multipart.NewReader(body, params["boundary"])
		for {
			part, err := parts.NextRawPart()
			if err == io.EOF {
				return ""
			}
			if err != nil {
				t.Fatal(err)
			}
			if text := find(part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), part); text != "" {
				return text
			}
		}
	}
	return find(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), m.Body)
}
