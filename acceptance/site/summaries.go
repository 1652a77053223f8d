package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	netmail "net/mail"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/evidence/keyring"
	"rebatedesk/mail"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// MailSite is a site with a mail server and six weeks of records of three invitees.
type MailSite struct {
	*Site
	Box   *MailServer
	Lines *lines // log of the server
	Mail  *mail.Service
	Mia   *Visitor // a manager
}

// OpenMailSite opens a mailSite. Its mails are delivered once send is called.
func OpenMailSite(t testing.TB) *MailSite {
	t.Helper()
	m := &MailSite{Box: OpenMailServer(t), Lines: &lines{}}
	o := &Site{TB: t, Clock: &Clock{At: Now}, Path: filepath.Join(t.TempDir(), "mail.db")}
	o.Store, o.Access = NewAccess(t, o.Path, access.Options{Now: o.Now})
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	Fill(o)
	service := reports.New(o.Store, o.Now)
	m.Site, m.Mail = o, mail.New(mail.Options{Store: o.Store, Reports: service, Server: m.Box.Server, Now: o.Now, Key: []byte("links"),
		From: &netmail.Address{Name: "Rebatedesk – Büro", Address: "desk@example.com"}, PublicURL: "https://desk.example.com"})
	o.Address, o.Server = Serve(t, web.Options{Reports: service, Access: o.Access, Desk: service, Collect: Nothing, Mail: m.Mail,
		PublicURL: "http://desk.example.com", Signer: keyring.New(o.Store, secret.NewKey().Box()), Log: slog.New(slog.NewTextHandler(m.Lines, nil))})
	m.AddUser("mia", access.Manager)
	m.Mia = m.SignedInAs("mia")
	return m
}

// lines is a log in memory.
type lines struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// Send delivers the queued mails, and those queued until stop is called or the test ends.
func (m *MailSite) Send() (stop func()) {
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.Mail.Run(ctx)
	}()
	stop = func() {
		end()
		<-ended
	}
	m.Cleanup(stop)
	return stop
}

// Arrived waits until as many letters have arrived and their deliveries have ended, and returns
// all letters. A page that sends waits for that itself, but not for ever.
func (m *MailSite) Arrived(n int) []letter {
	m.Helper()
	Soon(m, fmt.Sprint(n, " letters arrive"), func() bool {
		waiting, err := m.Mail.Deliveries(m.Context(), outbox.AttemptQuery{State: outbox.Waiting, Limit: 1})
		return err == nil && len(waiting) == 0 && len(m.Box.Letters()) >= n
	})
	return m.Box.Letters()
}

// Fill stores the readings of the six weeks up to now.
func Fill(o *Site) {
	o.Helper()
	ctx := context.Background()
	today := affiliate.DayOf(Now, o.Store.Zone())
	days := affiliate.Days{First: today - 42, Last: today}
	run, err := records.StartRun(ctx, o.Store, "main", "test")
	if err == nil {
		err = o.Store.WantFrom(ctx, "main", days.First)
	}
	for _, stream := range affiliate.Streams() {
		slice := records.Slice{Account: "main", Stream: stream, Days: days, Started: Now, Through: affiliate.MillisOf(Now)}
		var failed error
		switch stream.Kind {
		case affiliate.Commissions:
			_, failed = records.ReplaceCommissions(ctx, o.Store, slice, recordsOf(days, stream.Product))
		case affiliate.Invitees:
			_, failed = records.ReplaceInvitees(ctx, o.Store, slice, nil)
		case affiliate.SpotBills, affiliate.FundingBills, affiliate.Transfers:
			storetest.ReadWallet(o, o.Store, slice)
		default:
			_, failed = records.ReplaceSubAffiliateDays(ctx, o.Store, slice, nil)
		}
		err = errors.Join(err, failed)
	}
	if err := errors.Join(err, records.FinishRun(ctx, o.Store, run, 1, 1, "")); err != nil {
		o.Fatal(err)
	}
}

func recordsOf(days affiliate.Days, product affiliate.Product) (records []affiliate.Commission) {
	for day := days.First; day < days.Last; day++ {
		for i := range 3 {
			records = append(records, affiliate.Commission{DealTime: affiliate.MillisOf(day.Start(Now.Location())) + affiliate.Millis(i+1)*3_600_000,
				UID: affiliate.UID(fmt.Sprint(4667776800 + i)), Product: product, Symbol: "BTCUSDT", Source: affiliate.Direct, Coin: "USDT",
				TakerAmount: "1000", MakerAmount: "500", Fee: "10", Rate: "0.1", Commission: affiliate.Number(fmt.Sprintf("%d.5", int(day-days.First)+i))})
		}
	}
	return records
}

func (m *MailSite) Only() outbox.Subscription {
	m.Helper()
	list, err := m.Mail.Subscriptions(context.Background(), outbox.KindSchedule)
	if err != nil || len(list) != 1 {
		m.Fatal(list, err)
	}
	return list[0]
}

// Scheduled returns the fields of a usual schedule, changed by alternating names and
// values. An empty value removes a field.
func Scheduled(changes ...string) []string {
	fields := []string{"name", "Morning", "every", "daily", "at", "07:00", "zone", "Europe/Berlin", "weekday", "1", "month_day", "1", "deadline", "12",
		"recipients", "boss@example.com\ncfo@example.com", "attach_csv", "yes", "correct_above", "5", "correct_coin", "USDT"}
	for _, name := range mail.Sections() {
		fields = append(fields, "section-"+name, "yes")
	}
	return append(fields, changes...)
}

// Plan adds a schedule by its form and returns its path.
func (m *MailSite) Plan(changes ...string) string {
	m.Helper()
	m.Mia.Get("/summaries/new")
	if a := m.Mia.Post("/summaries", Scheduled(changes...)...); a.StatusCode != 303 {
		m.Fatalf("a schedule was refused: status %d", a.StatusCode)
	}
	list, err := m.Mail.Subscriptions(context.Background(), outbox.KindSchedule)
	if err != nil || len(list) == 0 {
		m.Fatal(list, err)
	}
	newest := list[0]
	for _, one := range list {
		if one.ID > newest.ID {
			newest = one
		}
	}
	return fmt.Sprint("/summaries/", newest.ID)
}

// MailServer is a mail server that keeps the received mails. It refuses recipients named
// nobody, and delays those named grey.
type MailServer struct {
	Server mailer.Server
	mutex  sync.Mutex
	kept   []letter
}

type letter struct{ To, Id, Content string }

func OpenMailServer(t testing.TB) *MailServer {
	t.Helper()
	box := &MailServer{}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &smtpSession{box: box}, nil }))
	server.Domain = "127.0.0.1"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal(listener.Addr())
	}
	box.Server = mailer.Server{Host: "127.0.0.1", Port: at.Port, TLS: "none"}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil && !errors.Is(err, smtp.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return box
}

// Letters returns the accepted mails in their order.
func (b *MailServer) Letters() []letter {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return append([]letter(nil), b.kept...)
}

// smtpSession is one SMTP session.
type smtpSession struct {
	box *MailServer
	to  string
}

func (s *smtpSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	switch {
	case strings.HasPrefix(to, "nobody@"):
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
	case strings.HasPrefix(to, "grey@"):
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted, try again later"}
	}
	return nil
}

func (s *smtpSession) Data(r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	message, err := netmail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		return err
	}
	s.box.mutex.Lock()
	defer s.box.mutex.Unlock()
	s.box.kept = append(s.box.kept, letter{s.to, message.Header.Get("Message-Id"), string(content)})
	return nil
}

func (s *smtpSession) Reset() {}

func (s *smtpSession) Logout() error { return nil }

// Count returns how many of the newest audit lines have an action.
func (m *MailSite) Count(action string) (n int) {
	for _, line := range m.Audit() {
		if line.Action == action {
			n++
		}
	}
	return n
}
