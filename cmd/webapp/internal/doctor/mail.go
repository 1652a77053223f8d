package doctor

import (
	"context"
	"errors"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/mail/mailer"
)

// mailWithin limits the whole SMTP greeting.
const mailWithin = 20 * time.Second

// mail greets the mail server as for a delivery, and sends nothing.
func (d *Doctor) mail(ctx context.Context) []Result {
	const check = "mail server"
	cfg, ok := d.parts.config(config.NeedMail)
	switch {
	case !ok:
		return []Result{skipped(check, notUsable)}
	case cfg.Mail.Server.Host == "":
		return []Result{skipped(check, "SMTP_URL is not set: no mail is sent")}
	}
	server := cfg.Mail.MailServer()
	ctx, cancel := context.WithTimeout(ctx, mailWithin)
	defer cancel()
	err := server.Greet(ctx)
	if refused, ok := errors.AsType[*mailer.SendError](err); ok {
		return []Result{failed(check, server.String()+": "+refused.Error(), refused.Hint)}
	}
	if err != nil {
		return []Result{failed(check, server.String()+": "+err.Error(), "check SMTP_URL")}
	}
	said := "connected as " + cfg.Mail.Helo
	switch {
	case server.Implicit:
		said += ", encrypted"
	case server.TLS == "mandatory":
		said += ", encrypted by STARTTLS"
	}
	if server.User != "" {
		said += ", signed in"
	}
	return []Result{passed(check, "%s: %s", server, said)}
}
