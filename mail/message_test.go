package mail

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"image/png"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/internal/golden"
	"rebatedesk/mail/mailer"
	"rebatedesk/mail/picture"
	"rebatedesk/reports"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/outbox"
)

// part is a leaf of a message, decoded.
type part struct {
	kind, name, id string
	path           string // kinds of all enclosing parts
	content        []byte
}

// parse reads a message with the standard library, which shares no code with the
// writer.
func parse(t testing.TB, content []byte) (mail.Header, []part) {
	t.Helper()
	for line := range bytes.SplitSeq(content, []byte("\r\n")) {
		if bytes.ContainsAny(line, "\r\n") || len(line) > 998 {
			t.Fatalf("a line is broken or too long: %.80q", line)
		}
	}
	m, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var parts []part
	walk(t, m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), "", "", "", m.Body, &parts)
	return m.Header, parts
}

func walk(t testing.TB, kind, encoding, disposition, id, path string, body io.Reader, parts *[]part) {
	t.Helper()
	media, params, err := mime.ParseMediaType(kind)
	if err != nil {
		t.Fatalf("%q: %v", kind, err)
	}
	if strings.HasPrefix(media, "multipart/") {
		for r := multipart.NewReader(body, params["boundary"]); ; {
			p, err := r.NextRawPart()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			walk(t, p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p.Header.Get("Content-Disposition"),
				p.Header.Get("Content-ID"), path+media+" ", p, parts)
		}
	}
	switch encoding {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	content, err := io.ReadAll(body)
	if err != nil {
		t.Fatalf("%s: %v", media, err)
	}
	one := part{kind: media, id: id, path: strings.TrimSpace(path), content: content}
	if disposition != "" {
		_, params, err := mime.ParseMediaType(disposition)
		if err != nil {
			t.Fatal(err)
		}
		one.name = params["filename"]
	}
	*parts = append(*parts, one)
}

// queued returns a weekly summary as its only recipient gets it.
func queued(t testing.TB, d *fixture) []byte {
	t.Helper()
	sc := d.schedule(func(s *outbox.Subscription) { s.Every = "weekly" })
	content, err := d.Preview(t.Context(), sc, dispatch.Weekly.Of(monday), "boss@example.com")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func text(parts []part, kind string) string {
	i := slices.IndexFunc(parts, func(p part) bool { return p.kind == kind })
	if i < 0 {
		return ""
	}
	return strings.ReplaceAll(string(parts[i].content), "\r\n", "\n")
}

func TestMessage(t *testing.T) {
	d := collected(t, mailer.Server{})
	content := queued(t, d)
	header, parts := parse(t, content)

	subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
	if want := "Affiliate report – week 35, 24–30 Aug 2026 (UTC) – main"; err != nil || subject != want {
		t.Errorf("the subject is %q, %v; want %q", subject, err, want)
	}
	from, err := header.AddressList("From")
	if err != nil || len(from) != 1 || *from[0] != *sender {
		t.Errorf("it is from %v, %v", from, err)
	}
	if to, err := header.AddressList("To"); err != nil || len(to) != 1 || to[0].Address != "boss@example.com" {
		t.Errorf("it is for %v, %v", to, err)
	}
	if date, err := header.Date(); err != nil || !date.Equal(morning) {
		t.Errorf("its date is %v, %v", date, err)
	}
	if header.Get("Auto-Submitted") != "auto-generated" || header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Errorf("headers: %v", header)
	}
	token, found := strings.CutPrefix(header.Get("List-Unsubscribe"), "<https://desk.example.com/unsubscribe/")
	if of, address, ok := openStop(d.key, strings.TrimSuffix(token, ">")); !found || !ok || of != firstSchedule || address != "boss@example.com" {
		t.Errorf("the link to stop is %q", header.Get("List-Unsubscribe"))
	}

	if !bytes.Contains(content, []byte("Content-Type: multipart/related; type=\"multipart/alternative\";\r\n boundary=")) {
		t.Error("the part with the chart does not name the type of its root")
	}

	var shape []string
	for _, p := range parts {
		shape = append(shape, p.path+" "+p.kind+" "+p.name)
	}
	want := []string{
		"multipart/mixed multipart/related multipart/alternative text/plain ",
		"multipart/mixed multipart/related multipart/alternative text/html ",
		"multipart/mixed multipart/related image/png chart.png",
		"multipart/mixed text/csv daily_2026-08-24_2026-08-30_UTC.csv",
		"multipart/mixed application/vnd.openxmlformats-officedocument.spreadsheetml.sheet daily_2026-08-24_2026-08-30_UTC.xlsx",
	}
	if !slices.Equal(shape, want) {
		t.Errorf("its parts are\n%s", strings.Join(shape, "\n"))
	}
	if list, err := png.Decode(bytes.NewReader(parts[2].content)); err != nil || list.Bounds().Dx() != 2*picture.Width || parts[2].id != "<"+mailer.PictureID+">" {
		t.Errorf("the chart: %v, %q", err, parts[2].id)
	}
	stop := "https://desk.example.com" + StopPath + strings.TrimSuffix(token, ">")
	golden.Equal(t, "weekly.txt", []byte(strings.ReplaceAll(text(parts, "text/plain"), stop, "STOP")))
	golden.Equal(t, "weekly.html", []byte(strings.ReplaceAll(text(parts, "text/html"), stop, "STOP")))
	if again, err := d.Preview(t.Context(), d.named("morning"), dispatch.Weekly.Of(monday), "boss@example.com"); err != nil || !bytes.Equal(again[:len(again)/4], content[:len(content)/4]) {
		t.Errorf("made again it is another message: %v", err)
	}
}

// The copies made from a stored message are identical byte by byte, and differ between
// recipients only where they name the recipient.
func TestACopyIsTheSameAgain(t *testing.T) {
	d := collected(t, mailer.Server{Host: "127.0.0.1"})
	d.schedule(func(s *outbox.Subscription) {
		s.Recipients = append(s.Recipients, outbox.Recipient{Address: "cfo@example.com"})
	})
	d.now = d.now.Add(24 * time.Hour)
	d.collect(affiliate.Days{First: first, Last: first + 2}, programme(affiliate.Days{First: first, Last: first + 1})...)
	d.queueAll()
	log := d.log()
	if len(log) != 2 {
		t.Fatalf("%d deliveries", len(log))
	}
	stored, err := d.message(t.Context(), log[0].Message)
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.content(stored, log[0])
	b, err2 := d.content(stored, log[0])
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("the second copy differs, %v %v", err, err2)
	}
	other, err := d.content(stored, log[1])
	if err != nil {
		t.Fatal(err)
	}
	header, parts := parse(t, a)
	otherHeader, otherParts := parse(t, other)
	if header.Get("Message-Id") == otherHeader.Get("Message-Id") || header.Get("List-Unsubscribe") == otherHeader.Get("List-Unsubscribe") {
		t.Error("two recipients have the same Message-ID or link")
	}
	if strings.Contains(text(parts, "text/html"), mailer.StopPlace) || text(parts, "text/html") == text(otherParts, "text/html") {
		t.Error("the link in the page is not that of the recipient")
	}
}

// Cards, tables and text agree with the page, and the table of coins agrees with the
// export to the last digit.
func TestFiguresAreThoseOfPageAndExport(t *testing.T) {
	d := collected(t, mailer.Server{})
	for _, every := range []dispatch.Every{dispatch.Daily, dispatch.Weekly, dispatch.Monthly} {
		sc := planned(t, func(s *outbox.Subscription) { s.Every, s.AttachCSV = string(every), true })
		p := every.Of(first - 5)
		sum, err := d.summary(t.Context(), sc, p)
		if err != nil {
			t.Fatal(err)
		}
		page, err := reports.Ask(t.Context(), d.reports, pageQuery(t, d, sum.Link), overview.Make)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Cards[0].Value != page.Cards[0].Commission.Amount.String() || sum.Cards[0].Exact != page.Cards[0].Commission.Amount.Exact() ||
			sum.Cards[1].Value != page.Cards[0].Fee.Amount.String() || sum.Cards[3].Value != phrase.Count(page.Invitees.ActiveTraders.N) {
			t.Errorf("%s: the cards are %+v", every, sum.Cards)
		}
		if words := phrase.Change(page.Cards[0].Commission.Change).String(); sum.Cards[0].Changes[0].Words != words {
			t.Errorf("%s: the change is %q, on the page %q", every, sum.Cards[0].Changes[0].Words, words)
		}
		files, err := d.attachments(t.Context(), sc, sum.Query)
		if err != nil {
			t.Fatal(err)
		}
		exported := sumsOf(t, files[0].Content)
		plain := textPart(sum, "")
		for i, total := range sum.Totals {
			row := sum.Tables[0].Rows[i]
			if want := exported[string(total.Coin)]; row[1] != want || string(total.Commission) != want || !strings.Contains(plain, want) {
				t.Errorf("%s %s: the mail says %s and %s, the export %s", every, total.Coin, row[1], total.Commission, want)
			}
		}
		if len(sum.Totals) != 2 || len(exported) != 2 || !sum.Gate.Closed {
			t.Errorf("%s: %d totals, %d exported, %v", every, len(sum.Totals), len(exported), sum.Gate)
		}
	}
}

// pageQuery returns the query of the page to which a link leads.
func pageQuery(t testing.TB, d *fixture, link string) query.Query {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil || u.Path != "/" {
		t.Fatalf("the link is %q, %v", link, err)
	}
	basis, err := d.reports.Basis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	basis.By = figures.Splits()
	q, err := query.Parse(u.Query(), basis)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// sumsOf adds up the commission of a daily export per coin, with independent
// arithmetic.
func sumsOf(t testing.TB, content []byte) map[string]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	coin, commission := slices.Index(rows[0], "coin"), slices.Index(rows[0], "commission")
	sums := map[string]*big.Rat{}
	for _, row := range rows[1:] {
		n, ok := new(big.Rat).SetString(row[commission])
		if !ok {
			t.Fatalf("the export says %q", row[commission])
		}
		if sums[row[coin]] == nil {
			sums[row[coin]] = new(big.Rat)
		}
		sums[row[coin]].Add(sums[row[coin]], n)
	}
	words := map[string]string{}
	for name, sum := range sums {
		words[name] = string(affiliate.Number(sum.FloatString(18)).Canonical())
	}
	return words
}

// Names from outside break neither headers nor markup.
func TestHostileWords(t *testing.T) {
	d := collected(t, mailer.Server{})
	sc := planned(t, nil)
	sc.Name, sc.ID = "x\r\nBcc: all@example.com <script>", 7
	sum, err := d.summary(t.Context(), sc, dispatch.Daily.Of(first))
	if err != nil {
		t.Fatal(err)
	}
	sum.Kind, sum.Subject = outbox.SummaryPartial, "Bericht\r\nX-Evil: 1 ü"
	sum.Missing = []string{"<img src=x onerror=alert(1)>"}
	m, err := d.Service.finish(t.Context(), sc, sum)
	if err != nil {
		t.Fatal(err)
	}
	content, err := mailer.Message{Summary: m, To: "boss@example.com", HeaderID: "id@example.com"}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	header, parts := parse(t, content)
	page := text(parts, "text/html")
	if header.Get("Bcc") != "" || header.Get("X-Evil") != "" || strings.Contains(page, "<script") || strings.Contains(page, "<img src=x") || strings.Contains(page, "<b>") {
		t.Errorf("headers %v, page %s", header, page)
	}
}

func TestStopTokens(t *testing.T) {
	schedule, alert := outbox.Ref{Kind: outbox.KindSchedule, Number: 12}, outbox.Ref{Kind: outbox.KindAlert, Number: 7}
	token := stopToken([]byte("k"), schedule, "Boss@Example.com")
	old := func(said string) string { // as versions before there were kinds made them
		return base64.RawURLEncoding.EncodeToString(append([]byte(said), stopCode([]byte("k"), []byte(said))...))
	}
	for token, want := range map[string]outbox.Ref{
		token: schedule, stopToken([]byte("k"), alert, "boss@example.com"): alert,
		old("12 boss@example.com"): schedule, old("-7 boss@example.com"): alert,
	} {
		if of, address, ok := openStop([]byte("k"), token); !ok || of != want || address != "boss@example.com" {
			t.Errorf("the token opens to %+v %q %t, want %+v", of, address, ok, want)
		}
	}
	for _, bad := range []string{"", "x", token[:len(token)-1], token[1:], "A" + token[1:], stopToken([]byte("other"), schedule, "boss@example.com")} {
		if _, _, ok := openStop([]byte("k"), bad); ok {
			t.Errorf("%q opens", bad)
		}
	}
}

// oneLine returns a text without its line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// unwrapped returns a text with its sentences in one line each. A line goes on with the next one if
// the first word of that did not fit.
func unwrapped(text string) string {
	var b strings.Builder
	before := 0
	for i, line := range strings.Split(text, "\n") {
		word, _, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		switch {
		case i == 0:
		case before > 0 && word != "" && !strings.HasPrefix(word, "https://") && word != "Found" && word != "-" && before+1+utf8.RuneCountInString(word) > textWidth:
			b.WriteString(" ")
			before = utf8.RuneCountInString(line)
			b.WriteString(strings.TrimLeft(line, " "))
			continue
		default:
			b.WriteString("\n")
		}
		before = utf8.RuneCountInString(line)
		b.WriteString(line)
	}
	return b.String()
}

// The sentences of alerts and statements are wrapped; addresses and tables are not.
func TestSentencesOfEveryMailAreWrapped(t *testing.T) {
	sentence := strings.TrimSpace(strings.Repeat("a sentence that goes on ", 12))
	address := "https://desk.example.com/" + strings.Repeat("long/", 30)
	table := FigureTable{Title: "Wide", Head: []string{strings.Repeat("h", 60), "b"}, Rows: [][]string{{"1", strings.Repeat("9", 40)}}}
	for name, text := range map[string]string{
		"alert":     alertText{Title: sentence, Name: sentence, Lines: []alertLine{{Words: sentence, Found: sentence, Link: address}}, More: "And 2 more.", Link: address, Reason: sentence}.plain(address),
		"statement": documentText{Over: sentence, Heading: "Statement 1", Lines: []string{sentence, sentence}, Warning: sentence, Tables: []FigureTable{table}, Reason: sentence}.plain(),
	} {
		for line := range strings.SplitSeq(text, "\n") {
			whole := strings.Contains(line, "https://") || strings.Contains(line, "hhh") || strings.Contains(line, "999")
			if utf8.RuneCountInString(line) > textWidth && !whole {
				t.Errorf("%s: the line %q has %d characters", name, line, utf8.RuneCountInString(line))
			}
		}
		if name == "alert" && (strings.Count(text, "  "+address+"\n") != 1 || !strings.Contains(text, "Unsubscribe: "+address+"\n")) {
			t.Errorf("an address is broken:\n%s", text)
		}
		if name == "statement" && !strings.Contains(text, strings.Repeat("h", 60)+"  ") {
			t.Errorf("the table is broken:\n%s", text)
		}
		if n := strings.Count(oneLine(text), sentence[:20]); n < 4 {
			t.Errorf("%s: %d sentences", name, n)
		}
	}
}

// Wrapped lines fit, lose no word, and break nowhere but at spaces.
func TestWrapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zäß€早.:/]{1,90}`), 1, 40).Draw(t, "words")
		first := rapid.SampledFrom([]string{"", "- "}).Draw(t, "first")
		text := wrapped(first, strings.Join(words, " "))
		if got := oneLine(strings.TrimPrefix(text, first)); got != strings.Join(words, " ") {
			t.Fatalf("%q became %q", words, got)
		}
		for i, line := range strings.Split(text, "\n") {
			if utf8.RuneCountInString(line) > textWidth && strings.Contains(strings.TrimPrefix(strings.TrimSpace(line), first), " ") {
				t.Fatalf("line %q is too long", line)
			}
			if i > 0 && !strings.HasPrefix(line, strings.Repeat(" ", len(first))) {
				t.Fatalf("line %q is not indented", line)
			}
		}
	})
}
