package config

import (
	netmail "net/mail"
	"net/url"
	"strconv"

	"rebatedesk/exchange"
	"rebatedesk/mail/mailer"
)

// MailSettings is the configuration of mail. Without a server no mail is sent.
type MailSettings struct {
	Server SMTP
	From   *netmail.Address
	Helo   string // name by which this program introduces itself to the server; empty: none is set
}

// MailServer returns the server for package mail. Without a host it has the name alone.
func (m MailSettings) MailServer() mailer.Server {
	s := m.Server
	return mailer.Server{Host: s.Host, Port: s.Port, Implicit: s.Implicit, TLS: s.TLS, User: s.User, Password: s.Password.Reveal(), Name: m.Helo}
}

func parseHelo(text string) (string, *ValueProblem) {
	name, err := mailer.ParseHello(text)
	if err != nil {
		return "", &ValueProblem{err.Error(), mailer.HelloHint}
	}
	return name, nil
}

// SMTP is the mail server that SMTP_URL describes.
type SMTP struct {
	Host     string // empty = no server
	Port     int
	Implicit bool   // TLS from the first byte (smtps)
	TLS      string // STARTTLS without Implicit: mandatory, opportunistic or none
	User     string // empty = no sign-in
	Password exchange.Secret
}

func parseSender(text string) (*netmail.Address, *ValueProblem) {
	address, err := mailer.ParseSender(text)
	if err != nil {
		return nil, &ValueProblem{err.Error(), mailer.SenderHint}
	}
	return address, nil
}

// defaultPorts are the ports of the two schemes of SMTP_URL.
var defaultPorts = map[string]int{"smtp": 587, "smtps": 465}

// parseSMTP parses SMTP_URL. Its problems never quote the URL, which holds the
// password.
func parseSMTP(text string) (SMTP, *ValueProblem) {
	const form = "give it as smtp://user:password@host:587?tls=mandatory or smtps://user:password@host:465, with special characters of user and password percent-encoded"
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Fragment != "" || (u.Path != "" && u.Path != "/") {
		return SMTP{}, &ValueProblem{"is not the address of a mail server", form}
	}
	server := SMTP{Host: u.Hostname(), Port: defaultPorts[u.Scheme], Implicit: u.Scheme == "smtps", User: u.User.Username()}
	if server.Port == 0 {
		return SMTP{}, &ValueProblem{"has a scheme other than smtp and smtps", form}
	}
	if u.Port() != "" {
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 {
			return SMTP{}, &ValueProblem{"has a port that is none", form}
		}
		server.Port = int(port)
	}
	password, _ := u.User.Password()
	server.Password = exchange.Secret(password)
	if (server.User == "") != (password == "") {
		return SMTP{}, &ValueProblem{"has only one of user and password", form}
	}
	tls, p := smtpTLS(u, server.Implicit)
	server.TLS = tls
	return server, p
}

// smtpTLS parses the only parameter. It has no meaning for smtps, which is
// encrypted from the start.
func smtpTLS(u *url.URL, implicit bool) (string, *ValueProblem) {
	const hint = "the only parameter is tls=mandatory, tls=opportunistic or tls=none, once, and only with smtp://"
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(parameters) > 1 {
		return "", &ValueProblem{"has parameters that are not known", hint}
	}
	modes, given := parameters["tls"]
	switch {
	case len(parameters) == 0 && implicit:
		return "", nil
	case len(parameters) == 0:
		return "mandatory", nil
	case !given || implicit || len(modes) != 1:
		return "", &ValueProblem{"has parameters that are not known", hint}
	}
	mode, p := OneOf("mandatory", "opportunistic", "none")(modes[0])
	if p != nil {
		return "", &ValueProblem{"has a tls mode that is not known", hint}
	}
	return mode, nil
}
