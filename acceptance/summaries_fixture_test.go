package acceptance_test

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
	"rebatedesk/mail"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// mailSite is a site with a mail server and six weeks of records of three invitees.
type mailSite struct {
	*site
	box  *mailServer
	log  *lines // log of the server
	mail *mail.Service
	mia  *visitor // a manager
}

// openMailSite opens a mailSite. Its mails are delivered once send is called.
func openMailSite(t testing.TB) *mailSite {
	t.Helper()
	m := &mailSite{box: openMailServer(t), log: &lines{}}
	o := &site{TB: t, clock: &clock{at: now}, path: filepath.Join(t.TempDir(), "mail.db")}
	o.store, o.access = newAccess(t, o.path, access.Options{Now: o.now})
	t.Cleanup(func() {
		if err := o.store.Close(); err != nil {
			t.Error(err)
		}
	})
	fill(o)
	service := reports.New(o.store, o.now)
	m.site, m.mail = o, mail.New(mail.Options{Store: o.store, Reports: service, Server: m.box.server, Now: o.now, Key: []byte("links"),
		From: &netmail.Address{Name: "Rebatedesk – Büro", Address: "desk@example.com"}, PublicURL: "https://desk.example.com"})
	o.address, o.server = serve(t, web.Options{Reports: service, Access: o.access, Desk: service, Collect: nothing, Mail: m.mail,
		PublicURL: "http://desk.example.com", Log: slog.New(slog.NewTextHandler(m.log, nil))})
	m.addUser("mia", access.Manager)
	m.mia = m.signedInAs("mia")
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

// send delivers the queued mails, and those queued until stop is called or the test ends.
func (m *mailSite) send() (stop func()) {
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.mail.Run(ctx)
	}()
	stop = func() {
		end()
		<-ended
	}
	m.Cleanup(stop)
	return stop
}

// arrived waits until as many letters have arrived and their deliveries have ended, and returns
// all letters. A page that sends waits for that itself, but not for ever.
func (m *mailSite) arrived(n int) []letter {
	m.Helper()
	soon(m, fmt.Sprint(n, " letters arrive"), func() bool {
		waiting, err := m.mail.Deliveries(m.Context(), outbox.AttemptQuery{State: outbox.Waiting, Limit: 1})
		return err == nil && len(waiting) == 0 && len(m.box.letters()) >= n
	})
	return m.box.letters()
}

// fill stores the readings of the six weeks up to now.
func fill(o *site) {
	o.Helper()
	ctx := context.Background()
	today := affiliate.DayOf(now, o.store.Zone())
	days := affiliate.Days{First: today - 42, Last: today}
	run, err := records.StartRun(ctx, o.store, "main", "test")
	if err == nil {
		err = o.store.WantFrom(ctx, "main", days.First)
	}
	for _, stream := range affiliate.Streams() {
		slice := records.Slice{Account: "main", Stream: stream, Days: days, Started: now, Through: affiliate.MillisOf(now)}
		var failed error
		switch stream.Kind {
		case affiliate.Commissions:
			_, failed = records.ReplaceCommissions(ctx, o.store, slice, recordsOf(days, stream.Product))
		case affiliate.Invitees:
			_, failed = records.ReplaceInvitees(ctx, o.store, slice, nil)
		case affiliate.SpotBills, affiliate.FundingBills, affiliate.Transfers:
			storetest.ReadWallet(o, o.store, slice)
		default:
			_, failed = records.ReplaceSubAffiliateDays(ctx, o.store, slice, nil)
		}
		err = errors.Join(err, failed)
	}
	if err := errors.Join(err, records.FinishRun(ctx, o.store, run, 1, 1, "")); err != nil {
		o.Fatal(err)
	}
}

func recordsOf(days affiliate.Days, product affiliate.Product) (records []affiliate.Commission) {
	for day := days.First; day < days.Last; day++ {
		for i := range 3 {
			records = append(records, affiliate.Commission{DealTime: affiliate.MillisOf(day.Start(now.Location())) + affiliate.Millis(i+1)*3_600_000,
				UID: affiliate.UID(fmt.Sprint(4667776800 + i)), Product: product, Symbol: "BTCUSDT", Source: affiliate.Direct, Coin: "USDT",
				TakerAmount: "1000", MakerAmount: "500", Fee: "10", Rate: "0.1", Commission: affiliate.Number(fmt.Sprintf("%d.5", int(day-days.First)+i))})
		}
	}
	return records
}

// scheduled returns the fields of a usual schedule, changed by alternating names and
// values. An empty value removes a field.
func scheduled(changes ...string) []string {
	fields := []string{"name", "Morning", "every", "daily", "at", "07:00", "zone", "Europe/Berlin", "weekday", "1", "month_day", "1", "deadline", "12",
		"recipients", "boss@example.com\ncfo@example.com", "attach_csv", "yes", "correct_above", "5", "correct_coin", "USDT"}
	for _, name := range mail.Sections() {
		fields = append(fields, "section-"+name, "yes")
	}
	return append(fields, changes...)
}

// plan adds a schedule by its form and returns its path.
func (m *mailSite) plan(changes ...string) string {
	m.Helper()
	m.mia.get("/summaries/new")
	if a := m.mia.post("/summaries", scheduled(changes...)...); a.StatusCode != 303 {
		m.Fatalf("a schedule was refused: status %d", a.StatusCode)
	}
	list, err := m.mail.Subscriptions(context.Background(), outbox.KindSchedule)
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

// mailServer is a mail server that keeps the received mails. It refuses recipients named
// nobody, and delays those named grey.
type mailServer struct {
	server mailer.Server
	mutex  sync.Mutex
	kept   []letter
}

type letter struct{ to, id, content string }

func openMailServer(t testing.TB) *mailServer {
	t.Helper()
	box := &mailServer{}
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
	box.server = mailer.Server{Host: "127.0.0.1", Port: at.Port, TLS: "none"}
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

// letters returns the accepted mails in their order.
func (b *mailServer) letters() []letter {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return append([]letter(nil), b.kept...)
}

// smtpSession is one SMTP session.
type smtpSession struct {
	box *mailServer
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

func (s *smtpSession) Reset()        {}
func (s *smtpSession) Logout() error { return nil }
