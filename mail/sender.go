package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// Sender is the mail server with the address that mail is sent from.
type Sender struct {
	Server mailer.Server // without a host no mail is sent
	From   *mail.Address
	Failed error // why the server cannot be used although it was entered
}

// SenderOf returns how mail is sent: by the values of the settings, and by those that were entered in
// the pages if the settings have no server; a sender or a name of the settings holds for that one, too.
// public is the address of the pages; without a box the password of a server that was entered cannot be
// read.
func SenderOf(ctx context.Context, r *store.Tx, set Sender, public string, box *secret.Box, reach safehttp.Reach) (Sender, error) {
	entered, err := outbox.ReadEnteredServer(ctx, r)
	if err != nil {
		return set, err
	}
	return set.with(entered, public, box, reach), nil
}

func (x Sender) with(entered outbox.EnteredServer, public string, box *secret.Box, reach safehttp.Reach) Sender {
	if x.Server.Host == "" && entered.Host != "" {
		x.Server.Host, x.Server.Port, x.Server.User, x.Server.Entered = entered.Host, entered.Port, entered.User, true
		x.Server.Implicit, x.Server.TLS = waysOf(entered.Security)
		x.Server.Dial = reachOf(entered, reach).Dial
		x.Server.Password, x.Failed = openPassword(entered, box)
		if from, err := mailer.ParseSender(entered.From); x.From == nil && err == nil {
			x.From = from
		}
		x.Server.Name = cmp.Or(x.Server.Name, entered.Hello)
	}
	x.Server.Name = cmp.Or(x.Server.Name, mailer.HelloName(public, x.From))
	if x.From == nil {
		x.From = &mail.Address{Name: "Rebatedesk", Address: "rebatedesk@localhost"} // of previews
	}
	return x
}

// waysOf returns the way of encryption as a server has it.
func waysOf(security string) (implicit bool, tls string) {
	if security == Implicit {
		return true, ""
	}
	return false, security
}

// Implicit is the way of encryption that begins with the first byte.
const Implicit = "tls"

// reachOf returns where a server that was entered may be. Without encryption it is on this machine, as
// a relay may be.
func reachOf(m outbox.EnteredServer, reach safehttp.Reach) safehttp.Reach {
	reach.Loopback = reach.Loopback || m.Security == "none"
	return reach
}

// ServerRow is the place for which the password of a mail server is sealed: whoever can change the
// database cannot lead it to another server.
func ServerRow(host, port, security, user string) string {
	return secret.Row("mail_server", "password", host, port, security, user)
}

func rowOf(m outbox.EnteredServer) string {
	return ServerRow(m.Host, strconv.Itoa(m.Port), m.Security, m.User)
}

func openPassword(m outbox.EnteredServer, box *secret.Box) (string, error) {
	if len(m.Password) == 0 {
		return "", nil
	}
	if box == nil {
		return "", errors.New("the password of the mail server is sealed, and the master key is not there: put its file back, or set REBATEDESK_MASTER_KEY_FILE")
	}
	plain, err := box.Open(m.Password, rowOf(m))
	if err != nil {
		return "", fmt.Errorf("the stored password of the mail server %w; enter it again", err)
	}
	return string(plain), nil
}

// look reads how mail is sent at present, and remembers it: what an administrator enters takes effect
// at the next message, on every node. Whatever makes or sends messages begins with it.
func (s *Service) look(ctx context.Context) (Sender, error) {
	x, err := store.Reading(ctx, s.store, func(r *store.Tx) (Sender, error) {
		return SenderOf(ctx, r, s.set, s.public, s.sealed, s.reach)
	})
	if err == nil {
		s.seen.Store(&x)
	}
	return x, err
}

// via returns what [Service.look] saw last.
func (s *Service) via() Sender { return *s.seen.Load() }

// onlyChannels reports that the service runs without a mail server: messages to addresses are not
// queued, since nobody would take them.
func (s *Service) onlyChannels() bool { return s.running.Load() && s.via().Server.Host == "" }

// Via returns the mail server, without a password, and the sender. Both are empty if there is no
// server.
func (s *Service) Via(ctx context.Context) (server, from string, err error) {
	x, err := s.look(ctx)
	if err != nil || x.Server.Host == "" {
		return "", "", err
	}
	return x.Server.String(), strings.TrimSpace(x.From.Name + " <" + x.From.Address + ">"), nil
}

// ServerState is what the page of the mail server shows.
type ServerState struct {
	Sender
	Entered outbox.EnteredServer // in the pages, used or not
	// Set says which values the settings have: they win over those that were entered.
	Set struct{ Server, From, Hello bool }
}

// ServerState returns the present mail server.
func (s *Service) ServerState(ctx context.Context) (v ServerState, err error) {
	v.Set.Server, v.Set.From, v.Set.Hello = s.set.Server.Host != "", s.set.From != nil, s.set.Server.Name != ""
	v.Entered, err = store.Reading(ctx, s.store, func(r *store.Tx) (outbox.EnteredServer, error) { return outbox.ReadEnteredServer(ctx, r) })
	v.Sender = s.set.with(v.Entered, s.public, s.sealed, s.reach)
	return v, err
}

// NewServer is a mail server as an administrator entered it. An empty password leaves the stored one,
// if it belongs to the same server and user.
type NewServer struct{ Host, Port, Security, User, Password, From, Hello string }

// Securities are the ways of encryption, the best first.
var Securities = []string{Implicit, "mandatory", "opportunistic", "none"}

// ErrNoKey is returned if a secret is to be sealed and there is no master key.
var ErrNoKey = store.Refuse("There is no master key, so no password can be stored.")

// EnterServer stores the mail server. Every fault is a *store.RuleError at its field.
func (s *Service) EnterServer(ctx context.Context, n NewServer, seen affiliate.Millis, by audit.Line) error {
	if s.sealed == nil {
		return ErrNoKey
	}
	if s.set.Server.Host != "" {
		return store.Refuse("The settings of the server have a mail server, which can only be changed there.")
	}
	m, err := s.check(ctx, n)
	if err != nil {
		return err
	}
	present, err := store.Reading(ctx, s.store, func(r *store.Tx) (outbox.EnteredServer, error) { return outbox.ReadEnteredServer(ctx, r) })
	if err != nil {
		return err
	}
	switch {
	case m.User == "":
	case n.Password != "":
		m.Password = s.sealed.Seal([]byte(n.Password), rowOf(m))
	case len(present.Password) > 0 && rowOf(present) == rowOf(m):
		m.Password = present.Password
	default:
		return store.RefuseAt("password", "Enter the password: a stored one is only used for the server, encryption and user that it was entered for.")
	}
	m.Updated = seen
	if err := outbox.EnterServer(ctx, s.store, m, by); err != nil {
		return err
	}
	s.Wake() // messages that waited for a server
	return nil
}

// RemoveServer takes away the mail server that was entered.
func (s *Service) RemoveServer(ctx context.Context, seen affiliate.Millis, by audit.Line) error {
	return outbox.RemoveServer(ctx, s.store, seen, by)
}

// check reads the fields of a mail server, and joins their faults.
func (s *Service) check(ctx context.Context, n NewServer) (m outbox.EnteredServer, err error) {
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, store.RefuseAt(field, format, args...))
	}
	m = outbox.EnteredServer{Host: strings.TrimSuffix(strings.TrimPrefix(n.Host, "["), "]"), Security: n.Security, User: n.User}
	if m.Port, err = strconv.Atoi(n.Port); err != nil || m.Port < 1 || m.Port > 65535 {
		fault("port", "Give the port as a number: 465, 587 or 25 are usual.")
	}
	if !slices.Contains(Securities, m.Security) {
		fault("security", "Choose one of the ways of encryption.")
	}
	if m.Host == "" || len(m.Host) > 253 || strings.ContainsFunc(m.Host, func(r rune) bool { return r <= ' ' || strings.ContainsRune("/@?#%\\", r) || affiliate.Invisible(r) }) {
		fault("host", "Give the name of the mail server alone, such as smtp.example.com.")
	} else if m.Security == "none" && !s.reach.Private && !safehttp.ThisMachine(m.Host) {
		fault("security", "Without encryption, password and figures could be read on the way: only a mail server on this machine is used so.")
	} else if err := reachOf(m, s.reach).Resolve(ctx, m.Host); err != nil {
		fault("host", "This host %s. Whoever operates the program allows others by ALLOW_PRIVATE_URLS=on, or sets SMTP_URL.", err.Error())
	}
	if strings.ContainsFunc(n.User+n.Password, unicode.IsControl) || len(n.User) > 500 || len(n.Password) > 2000 {
		fault("user", "User or password has control characters, or is too long.")
	}
	if n.User == "" && n.Password != "" {
		fault("user", "Give the user that the password belongs to.")
	}
	if s.set.From == nil {
		m.From = n.From
		if _, err := mailer.ParseSender(n.From); err != nil {
			fault("from", "This %s: %s.", err, mailer.SenderHint)
		}
	}
	if s.set.Server.Name == "" && n.Hello != "" {
		if m.Hello, err = mailer.ParseHello(n.Hello); err != nil {
			fault("hello", "This %s: %s.", err, mailer.HelloHint)
		}
	}
	return m, errors.Join(faults...)
}

// SendTest sends a few words to an address now, and waits for the answer of the mail server, which it
// returns. The outbox does not have it: a test is tried once. Its errors are [ErrNoServer], a
// *store.RuleError for the address, and those of the server, *mailer.SendError.
func (s *Service) SendTest(ctx context.Context, to string, by audit.Line) (answer string, err error) {
	x, err := s.look(ctx)
	if err != nil {
		return "", err
	}
	if to, err = mailer.ParseAddress(to); err != nil {
		return "", store.AtField("to", err)
	}
	if x.Server.Host == "" {
		return "", ErrNoServer
	}
	by.Action, by.Object, by.Detail, by.Outcome = "mail server tested", x.Server.String(), to, "ok"
	if answer, err = s.sendTest(ctx, x, to); err != nil {
		by.Outcome = "failed"
	}
	return answer, errors.Join(err, audit.Write(context.WithoutCancel(ctx), s.store, by))
}

func (s *Service) sendTest(ctx context.Context, x Sender, to string) (answer string, err error) {
	if x.Failed != nil {
		return "", x.Failed
	}
	now := s.now()
	text := alertText{Title: "mail works", Name: "If you can read this, Rebatedesk can send mail.", Link: s.onPage("/"),
		Lines: []alertLine{{Words: "Nothing needs to be done."}}, Reason: "You get this mail because somebody tested the mail server of this Rebatedesk.", Subject: "Test of the mail server"}
	m, err := s.plainMessage(ctx, text, fmt.Sprintf("mail server test %d", now.UnixMilli()), now)
	if err != nil {
		return "", err
	}
	m.Kind = outbox.SummaryTest
	content, err := mailer.Message{Summary: m, To: to, HeaderID: mailer.HeaderID(m, to, x.From)}.Bytes()
	if err != nil {
		return "", err
	}
	return x.Server.Deliver(ctx, x.From.Address, to, content)
}
