package mail

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// secondProcess returns a second process on the same database.
func (d *fixture) secondProcess() *fixture {
	other := &fixture{TB: d.TB, now: d.now}
	other.open(d.path, d.via().Server)
	return other
}

// A command sends by hand while another process sends all queued mail: each recipient
// gets one copy, and the command learns the result of each, whichever process sent it.
func TestTwoProgramsSend(t *testing.T) {
	storetest.Engines(t, "leases of messages", testTwoProgramsSend)
}

func testTwoProgramsSend(t *testing.T) {
	o := newMailServer(t)
	d := collected(t, o.Server)
	serving := d.secondProcess()
	to := []string{"nobody@example.com"}
	for i := range 20 {
		to = append(to, fmt.Sprintf("r%d@example.com", i))
	}
	sc := planned(t, nil)
	sc.ID = 0
	done, work := make(chan struct{}), sync.WaitGroup{}
	work.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				serving.drain()
			}
		}
	})
	err := d.sendNow(sc, dispatch.Daily.Of(first), to, SendOptions{})
	close(done)
	work.Wait()
	if lines := strings.Split(fmt.Sprint(err), "\n"); len(lines) != 1 || !strings.HasPrefix(lines[0], "nobody@example.com: RCPT TO: 550") {
		t.Errorf("it was said: %v", err)
	}
	for _, address := range to[1:] {
		if copies := o.copies(address); len(copies) != 1 {
			t.Errorf("%s got %d copies", address, len(copies))
		}
	}
}

// The command waits for a delivery that another process has taken, and does not send it
// again.
func TestSentByTheOther(t *testing.T) { storetest.Engines(t, "leases of messages", testSentByTheOther) }

func testSentByTheOther(t *testing.T) {
	o := newMailServer(t)
	d := collected(t, o.Server)
	serving := d.secondProcess()
	for _, c := range []struct {
		state  outbox.State
		answer string
		want   string
	}{
		{outbox.Sent, "250 taken", "<nil>"},
		{outbox.Dead, "550 no such mailbox", "550 no such mailbox"},
		{outbox.Waiting, "451 greylisted", "451 greylisted"},
	} {
		t.Run(string(c.state), func(t *testing.T) {
			to := "to-" + string(c.state) + "@example.com"
			d.now, serving.now = d.now.Add(time.Minute), d.now.Add(time.Minute)
			d.simple(to)
			one, found, err := outbox.Take(t.Context(), serving.store, outbox.MailServer, serving.now, time.Hour)
			if err != nil || !found || one.Recipient != to {
				t.Fatal(one, found, err)
			}
			said := make(chan error, 1)
			go func() {
				failed, err := d.only(t.Context(), outbox.Addressee{HeaderID: one.HeaderID})
				if err != nil {
					failed = err
				}
				said <- failed
			}()
			time.Sleep(20 * time.Millisecond)
			if err := outbox.End(t.Context(), serving.store, one, outbox.Result{State: c.state, Next: serving.now.Add(time.Hour), Answer: c.answer}); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(<-said); !strings.Contains(got, c.want) {
				t.Errorf("it was said: %s, want %s", got, c.want)
			}
			if copies := o.copies(to); len(copies) != 0 {
				t.Errorf("%d copies were sent beside it", len(copies))
			}
		})
	}
}

// A panic over one mail is a failure of that mail: the program and the other mails
// continue.
func TestMailThatPanics(t *testing.T) {
	o := newMailServer(t)
	d := newFixture(t, o.Server)
	d.simple("a@example.com", "b@example.com", "c@example.com")
	d.link = func(_ outbox.Ref, address string) string {
		if address == "b@example.com" {
			panic("a broken message")
		}
		return ""
	}
	d.drain()
	if one := d.delivery("b@example.com"); one.State != outbox.Waiting || !strings.Contains(one.Answer, "a broken message") || !one.Next.Time().After(d.now) {
		t.Errorf("the mail that panics: %+v", one)
	}
	for _, to := range []string{"a@example.com", "c@example.com"} {
		if one := d.delivery(to); one.State != outbox.Sent {
			t.Errorf("%s: %+v", to, one)
		}
	}
}

// A schedule that panics delays no other.
func TestScheduleThatPanics(t *testing.T) {
	d := waitingFixture(t, func(s *outbox.Subscription) { s.Name = "A" })
	d.schedule(func(s *outbox.Subscription) { s.Name = "B" })
	d.now = tomorrow(8, 0)
	d.readAll()
	d.Service.reports = nil // every request for figures panics
	if err := d.Service.queueDue(t.Context()); err == nil || !strings.Contains(err.Error(), `"A"`) || !strings.Contains(err.Error(), `"B"`) {
		t.Errorf("it was said: %v", err)
	}
}

// A hanging mail server delays sending but not queueing, while periods go by.
func TestQueueingWhileTheServerHangs(t *testing.T) {
	t.Parallel()
	d := collected(t, hanging(t))
	d.simple("a@example.com")
	ctx, stop := contextOf(t)
	done := make(chan struct{})
	go func() { d.Run(ctx); close(done) }()
	soon(t, "the mail is being sent", func() bool { return d.delivery("a@example.com").Tries == 1 })
	raw := planned(t, func(s *outbox.Subscription) { s.Name = "Morning" }).Subscription
	raw.Through = first - 1
	if _, err := outbox.Save(t.Context(), d.store, raw, someone); err != nil {
		t.Fatal(err)
	}
	d.Wake()
	soon(t, "the summary is queued", func() bool { return len(d.log()) == 2 })
	stop()
	<-done
}

// A connection to a server that sends without end is closed before it fills the memory.
func TestServerThatTalksWithoutEnd(t *testing.T) {
	for _, words := range []string{"220-on and on\r\n", "2", "\x1b[31m"} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		talked := make(chan int64, 1)
		go func() {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			n, _ := io.Copy(conn, io.LimitReader(endless{[]byte(words)}, 64<<20))
			talked <- n
		}()
		address, ok := listener.Addr().(*net.TCPAddr)
		if !ok {
			t.Fatal(listener.Addr())
		}
		err = mailer.Server{Host: "127.0.0.1", Port: address.Port, TLS: "none"}.Greet(t.Context())
		if n := <-talked; err == nil || n == 64<<20 {
			t.Errorf("it listened to all %d bytes: %v", n, err)
		}
		if err != nil && (len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\x1b\r\n")) {
			t.Errorf("it was said: %q", err)
		}
	}
}

// endless repeats the same bytes without end.
type endless struct{ words []byte }

func (e endless) Read(b []byte) (int, error) {
	for n := 0; n < len(b); {
		n += copy(b[n:], e.words)
	}
	return len(b) / len(e.words) * len(e.words), nil
}

// scripted is a server that gives its answers in turn, and then stays silent.
func scripted(t testing.TB, answers ...string) mailer.Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		heard := bufio.NewReader(conn)
		for i, answer := range answers {
			end := "\n"
			if i == len(answers)-1 {
				end = "\r\n.\r\n" // of the content
			}
			for said := ""; i > 0 && !strings.HasSuffix(said, end); {
				line, err := heard.ReadString('\n')
				if err != nil {
					return
				}
				said += line
			}
			_, _ = io.WriteString(conn, answer+"\r\n")
		}
		_, _ = io.Copy(io.Discard, heard)
	}()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal(listener.Addr())
	}
	return mailer.Server{Host: "127.0.0.1", Port: address.Port, TLS: "none"}
}

// conversation is a server that answers each line, and the lines it heard.
func conversation(t testing.TB, answer func(line string) string) (mailer.Server, func() []string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	ended, heard := make(chan struct{}), []string{}
	go func() {
		defer close(ended)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "220 mx.example.com\r\n")
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			heard = append(heard, lines.Text())
			said := answer(lines.Text())
			if said == "" { // it hangs up
				return
			}
			_, _ = io.WriteString(conn, said+"\r\n")
			if !strings.HasPrefix(said, "354") {
				continue
			}
			for lines.Scan() && lines.Text() != "." {
			}
			if said = answer("."); said == "" {
				return
			}
			_, _ = io.WriteString(conn, said+"\r\n")
		}
	}()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal(listener.Addr())
	}
	return mailer.Server{Host: "127.0.0.1", Port: address.Port, TLS: "none", Name: "vm"}, func() []string {
		<-ended
		return heard
	}
}

// A refusal of the name in EHLO says which name was sent and only what the server said, whenever the
// server refuses it, and does not end the delivery.
func TestRefusedName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(string) string
		says   string
	}{
		"at EHLO, and the server hangs up": {func(line string) string {
			if strings.HasPrefix(line, "EHLO") {
				return "421 4.7.1 no dot in your name"
			}
			return ""
		}, `EHLO: 421 4.7.1 no dot in your name (this program introduced itself as vm)`},
		"for good": {func(string) string { return "550 5.7.1 no" }, `EHLO: 550 5.7.1 no (this program introduced itself as vm)`},
		"at the recipient": {func(line string) string {
			if strings.HasPrefix(line, "RCPT") {
				return "504 5.5.2 <vm>: Helo command rejected: need fully-qualified hostname"
			}
			return "250 mx.example.com"
		}, `RCPT TO: 504 5.5.2 <vm>: Helo command rejected: need fully-qualified hostname (this program introduced itself as vm)`},
	} {
		server, heard := conversation(t, c.answer)
		_, err := server.Deliver(t.Context(), "a@example.com", "b@example.com", []byte("Subject: x\r\n\r\nbody\r\n"))
		refused, ok := errors.AsType[*mailer.SendError](err)
		if !ok || refused.Error() != c.says || refused.Permanent || !strings.Contains(refused.Hint, "set MAIL_HELO to a full name") {
			t.Errorf("%s: %v, %+v", name, err, refused)
		}
		if lines := heard(); lines[0] != "EHLO vm" {
			t.Errorf("%s: it heard %q", name, lines)
		}
	}
}

// After a refused sign-in the session ends with QUIT, and no line is sent that is no command.
func TestRefusedSignIn(t *testing.T) {
	t.Parallel()
	for mechanism, refuse := range map[string]func(line string) string{
		"PLAIN": func(line string) string {
			return map[bool]string{true: "535 5.7.8 no", false: "221 bye"}[strings.HasPrefix(line, "AUTH")]
		},
		"LOGIN": func(line string) string {
			switch {
			case strings.HasPrefix(line, "AUTH"):
				return "334 VXNlcm5hbWU6"
			case line == "QUIT":
				return "221 bye"
			case line == "ZGVzaw==":
				return "334 UGFzc3dvcmQ6"
			}
			return "535 5.7.8 no"
		},
	} {
		server, heard := conversation(t, func(line string) string {
			if strings.HasPrefix(line, "EHLO") {
				return "250-mx.example.com\r\n250 AUTH " + mechanism
			}
			return refuse(line)
		})
		server.User, server.Password = "desk", "canary"
		err := server.Greet(t.Context())
		if refused, ok := errors.AsType[*mailer.SendError](err); !ok || refused.Error() != "sign-in: 535 5.7.8 no" || refused.Permanent {
			t.Errorf("%s: %v", mechanism, err)
		}
		lines := heard()
		if lines[len(lines)-1] != "QUIT" || slices.Contains(lines, "*") || strings.Contains(fmt.Sprint(err), "canary") {
			t.Errorf("%s: it heard %q", mechanism, lines)
		}
	}
}

// The password itself goes only over an encrypted connection, or to this machine: a server elsewhere
// that offers no encryption does not hear it.
func TestPasswordInTheClear(t *testing.T) {
	t.Parallel()
	for _, mechanism := range []string{"PLAIN", "LOGIN"} {
		for host, sent := range map[string]bool{"127.0.0.1": true, "::ffff:127.0.0.1": false} { // the same address, by a name that is not known to be this machine
			server, heard := conversation(t, func(line string) string {
				switch {
				case strings.HasPrefix(line, "EHLO"):
					return "250-mx.example.com\r\n250 AUTH " + mechanism
				case line == "AUTH LOGIN":
					return "334 VXNlcm5hbWU6"
				case line == "ZGVzaw==":
					return "334 UGFzc3dvcmQ6"
				case line == "QUIT":
					return "221 bye"
				}
				return "235 2.7.0 welcome"
			})
			server.Host, server.User, server.Password = host, "desk", "canary"
			err := server.Greet(t.Context())
			said := slices.ContainsFunc(heard(), func(line string) bool {
				text, err := base64.StdEncoding.DecodeString(line[strings.LastIndexByte(line, ' ')+1:])
				return err == nil && strings.Contains(string(text), "canary")
			})
			if said != sent || (err == nil) != sent {
				t.Errorf("%s to %s: the password was sent: %v, want %v: %v", mechanism, host, said, sent, err)
			}
		}
	}
}

// The answer to a message is foreign text as well. A server that accepts the message
// and then hangs blocks neither the connection nor the recording of the result.
func TestAnswerAndGoodbye(t *testing.T) {
	t.Parallel()
	server := scripted(t, "220 hello", "250 hello", "250 sender", "250 recipient", "354 go on", "250-taken \x1b[31m\r\n250 as "+strings.Repeat("x", 900))
	server.Patience = patience
	begun := time.Now()
	answer, err := server.Deliver(t.Context(), "a@example.com", "b@example.com", []byte("Subject: x\r\n\r\nbody\r\n"))
	if err != nil || !strings.HasPrefix(answer, "250 taken") || strings.ContainsAny(answer, "\x1b\n\r") || len(answer) > 500 {
		t.Errorf("the answer is %q, %v", answer, err)
	}
	if took := time.Since(begun); took > patience+5*time.Second {
		t.Errorf("the goodbye took %s", took)
	}
}

// A message by hand whose answer was lost is not sent a second time under another Message-ID: it stays
// in the outbox, the next call asks for consent, and whoever sends the outbox tries the same copy.
func TestLostAnswerByHand(t *testing.T) {
	t.Parallel()
	server, heard := conversation(t, func(line string) string {
		switch {
		case line == "DATA":
			return "354 go on"
		case line == ".":
			return "" // it has taken the message, and nobody learns of it
		}
		return "250 mx.example.com"
	})
	d := collected(t, server)
	sc := planned(t, nil)
	sc.ID = 0
	err := d.sendNow(sc, dispatch.Daily.Of(first), []string{"boss@example.com"}, SendOptions{})
	if err == nil || !strings.Contains(err.Error(), "end of content: ") || !strings.Contains(err.Error(), "whether it arrived is not known") {
		t.Errorf("the first call: %v", err)
	}
	heard()
	one := d.log()[0]
	if one.State != outbox.Waiting {
		t.Errorf("the delivery is %s", one.State)
	}
	_, err = d.Prepare(t.Context(), sc, dispatch.Daily.Of(first), []string{"boss@example.com"}, SendOptions{})
	if sent, ok := errors.AsType[*SentError](err); !ok || sent.State != outbox.Waiting {
		t.Errorf("the second call: %v", err)
	}
	o := newMailServer(t)
	serving := &fixture{TB: t, now: d.now.Add(24 * time.Hour / 2)}
	serving.open(d.path, o.Server)
	serving.drain()
	if copies := o.copies("boss@example.com"); len(copies) != 1 || !bytes.Contains(copies[0].content, []byte("Message-ID: <"+one.HeaderID+">")) {
		t.Errorf("%d copies, %+v", len(copies), serving.log()[0])
	}
}

// The same holds for a channel; one that was not reached at all is given up.
func TestLostAnswerOfChannelByHand(t *testing.T) {
	t.Parallel()
	d := withBox(t, collected(t, mailer.Server{}))
	h := newHook(t)
	h.answers(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	lost, _ := d.channel("webhook", h.URL+"/a-long-path")
	nowhere, _ := d.channel("webhook", "http://127.0.0.1:1/a-long-path")
	sc := planned(t, nil)
	sc.ID = 0
	for c, want := range map[int64]outbox.State{lost.ID: outbox.Waiting, nowhere.ID: outbox.Dead} {
		err := d.sendNow(sc, dispatch.Daily.Of(first), []string{outbox.ChannelAddress(c)}, SendOptions{})
		if at := d.newestOf(outbox.Channel{ID: c}); err == nil || at.State != want || strings.Contains(err.Error(), "not known") != (want == outbox.Waiting) {
			t.Errorf("%v: %s, want %s", err, at.State, want)
		}
	}
	id := h.all()[0].header.Get("webhook-id")
	h.answers(nil)
	d.now = d.now.Add(time.Hour)
	d.post()
	if got := h.all(); len(got) != 2 || got[1].header.Get("webhook-id") != id {
		t.Errorf("%d requests", len(got))
	}
}
