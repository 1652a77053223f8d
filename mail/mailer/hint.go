package mailer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
)

// HintOf returns advice on a failure at a stage.
func HintOf(stage Stage, code int, err error) string {
	if errors.Is(err, errASCII) {
		if stage == StageSender {
			return "set MAIL_FROM to an address of plain letters, or SMTP_URL to a mail server that offers SMTPUTF8"
		}
		return "give the recipient's address in plain letters, or use a mail server that offers SMTPUTF8"
	}
	if errors.Is(err, errTLSOnly) {
		return "use smtps:// in SMTP_URL: the port is encrypted from the first byte, as 465 is"
	}
	switch stage {
	case StageConnect:
		return hintConnection(err)
	case StageTLS:
		return hintEncryption(err)
	case StageGreeting, StageHello:
		if code != 0 {
			return "ask whoever runs the mail server why it refuses this machine"
		}
		return "check the port in SMTP_URL: one that is encrypted from the first byte, as 465 is, needs smtps://"
	case StageAuth:
		return "check user and password in SMTP_URL; a password is only sent over an encrypted connection"
	case StageSender:
		return "check MAIL_FROM: the mail server must let this user send as it"
	case StageRcpt:
		return "check the address of the recipient"
	}
	if code >= 500 {
		return "ask whoever runs the mail server what it objects to; size and attachments are likely"
	}
	return "nothing yet: it is tried again"
}

func hintConnection(err error) string {
	if _, unresolved := errors.AsType[*net.DNSError](err); unresolved {
		return "check the host in SMTP_URL"
	}
	return "check host and port in SMTP_URL, and whether a firewall lets this machine out"
}

func hintEncryption(err error) string {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, misnamed := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, unencrypted := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case unknown, misnamed, invalid:
		return "use the name that stands in the server's certificate, and a certificate that is valid and of a known authority"
	case unencrypted:
		return "the port does not begin with TLS: use smtp://, which asks for it by STARTTLS"
	case errors.Is(err, errNoTLS):
		return "use smtps:// or another port; tls=opportunistic in SMTP_URL does without encryption where there is none"
	}
	return "check scheme and port in SMTP_URL: smtps:// for 465, smtp:// for 587"
}
