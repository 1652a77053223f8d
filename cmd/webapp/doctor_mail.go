package main

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// mailWithin is how long the mail server may take for all of the greeting.
const mailWithin = 20 * time.Second

// mail greets the mail server as for a delivery, and sends nothing.
func (d *doctor) mail(ctx context.Context) []finding {
	const check = "mail server"
	cfg, ok := d.parts.config(NeedMail)
	switch {
	case !ok:
		return []finding{skipped(check, notUsable)}
	case cfg.Mail.Server.Host == "":
		return []finding{skipped(check, "SMTP_URL is not set: no mail is sent")}
	}
	server := cfg.Mail.Server
	if err := greet(ctx, server); err != nil {
		return []finding{failed(check, withoutPassword(server, err.Error()), mailMend(err))}
	}
	said := "connected"
	switch {
	case server.Implicit:
		said += ", encrypted"
	case server.TLS == "mandatory":
		said += ", encrypted by STARTTLS"
	}
	if server.User != "" {
		said += ", signed in"
	}
	return []finding{passed(check, "%s:%d: %s", server.Host, server.Port, said)}
}

// greet connects, says EHLO, begins TLS, signs in and leaves again.
func greet(ctx context.Context, server SMTPConfig) error {
	client, err := mail.NewClient(server.Host, mailOptions(server)...)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, mailWithin)
	defer cancel()
	if err := client.DialWithContext(ctx); err != nil {
		return err
	}
	return client.Close()
}

// mailOptions are the settings in the terms of the library.
func mailOptions(server SMTPConfig) []mail.Option {
	policies := map[string]mail.TLSPolicy{"mandatory": mail.TLSMandatory, "opportunistic": mail.TLSOpportunistic, "none": mail.NoTLS}
	options := []mail.Option{mail.WithPort(server.Port), mail.WithTimeout(mailWithin)}
	if server.Implicit {
		options = append(options, mail.WithSSL())
	} else {
		options = append(options, mail.WithTLSPolicy(policies[server.TLS]))
	}
	if server.User != "" {
		// The library picks the strongest way that the server offers, and none
		// that shows the password on a connection without encryption.
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover),
			mail.WithUsername(server.User), mail.WithPassword(server.Password.Reveal()))
	}
	return options
}

// mailMend says what to do about an error of the greeting.
func mailMend(err error) string {
	var unresolved *net.DNSError
	var unknown x509.UnknownAuthorityError
	var misnamed x509.HostnameError
	var unreached *net.OpError
	switch text := err.Error(); {
	case errors.As(err, &unresolved):
		return "check the host in SMTP_URL"
	case errors.As(err, &unknown), errors.As(err, &misnamed):
		return "use the name that stands in the server's certificate, and a certificate of a known authority"
	case strings.Contains(text, "AUTH"), errors.Is(err, mail.ErrNoSupportedAuthDiscovered):
		return "check user and password in SMTP_URL; a password is only sent over an encrypted connection"
	case strings.Contains(text, "STARTTLS"):
		return "the server offers no STARTTLS: use smtps://, or another port"
	case errors.As(err, &unreached):
		return "check host and port in SMTP_URL, and whether a firewall lets this machine out"
	}
	return "check SMTP_URL"
}

// withoutPassword takes the password out of what a server says, which
// may repeat it.
func withoutPassword(server SMTPConfig, text string) string {
	password := server.Password.Reveal()
	if password == "" {
		return text
	}
	hidden := server.Password.String()
	encoded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	return strings.NewReplacer(password, hidden, encoded(password), hidden,
		encoded("\x00"+server.User+"\x00"+password), hidden).Replace(text)
}
