package mailer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
)

// places say where what is wrong can be changed: in the settings of the environment, or in the fields
// of the page.
type places struct {
	in, hello, from            string
	implicit, upgrade, without string // ways of encryption
	sender, port               string
}

func placesOf(entered bool) places {
	if entered {
		return places{in: "", hello: "enter as name in greetings", from: "check the sender",
			implicit: "choose encryption from the first byte", upgrade: "choose STARTTLS", without: "“STARTTLS if offered”",
			sender: "give a sender of plain letters, or choose a mail server that offers SMTPUTF8",
			port:   "encryption and port"}
	}
	return places{in: " in SMTP_URL", hello: "set MAIL_HELO to", from: "check MAIL_FROM",
		implicit: "use smtps:// in SMTP_URL", upgrade: "use smtp://", without: "tls=opportunistic in SMTP_URL",
		sender: "set MAIL_FROM to an address of plain letters, or SMTP_URL to a mail server that offers SMTPUTF8",
		port:   "scheme and port in SMTP_URL"}
}

// HintOf returns advice on a failure at a stage. entered is [Server.Entered].
func HintOf(stage Stage, code int, err error, entered bool) string {
	at := placesOf(entered)
	if errors.Is(err, errASCII) {
		if stage == StageSender {
			return at.sender
		}
		return "give the recipient's address in plain letters, or use a mail server that offers SMTPUTF8"
	}
	if errors.Is(err, errTLSOnly) {
		return at.implicit + ": the port is encrypted from the first byte, as 465 is"
	}
	switch stage {
	case StageConnect:
		return at.connection(err)
	case StageTLS:
		return at.encryption(err)
	case StageGreeting, StageHello:
		if code != 0 {
			return "ask whoever runs the mail server why it refuses this machine"
		}
		return "check the port" + at.in + ", and " + at.implicit + " for one that is encrypted so, as 465 is"
	case StageAuth:
		return "check user and password" + at.in + "; a password is only sent over an encrypted connection. Many providers want a password made for programs instead of the one for people"
	case StageSender:
		return at.from + ": the mail server must let this user send as it"
	case StageRcpt:
		return "check the address of the recipient"
	}
	if code >= 500 {
		return "ask whoever runs the mail server what it objects to; size and attachments are likely"
	}
	return "nothing yet: it is tried again"
}

func (at places) connection(err error) string {
	if _, unresolved := errors.AsType[*net.DNSError](err); unresolved {
		return "check the host" + at.in
	}
	return "check host and port" + at.in + ", and whether a firewall lets this machine out"
}

func (at places) encryption(err error) string {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, misnamed := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, unencrypted := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case unknown, misnamed, invalid:
		return "use the name that stands in the server's certificate, and a certificate that is valid and of a known authority"
	case unencrypted:
		return "the port does not begin with TLS: " + at.upgrade + ", which asks for it by STARTTLS"
	case errors.Is(err, errNoTLS):
		return at.implicit + " or use another port; " + at.without + " does without encryption where there is none"
	}
	return "check " + at.port + ": 465 is encrypted from the first byte, 587 by STARTTLS"
}
