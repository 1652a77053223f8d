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
func (d *Doctor) mail(ctx context.Context) []Finding {
	const check = "mail server"
	cfg, ok := d.parts.config(config.NeedMail)
	switch {
	case !ok:
		return []Finding{skipped(check, notUsable)}
	case cfg.Mail.Server.Host == "":
		return []Finding{skipped(check, "SMTP_URL is not set: no mail is sent")}
	}
	server := cfg.Mail.Server.MailServer()
	ctx, cancel := context.WithTimeout(ctx, mailWithin)
	defer cancel()
	err := server.Greet(ctx)
	if refused, ok := errors.AsType[*mailer.SendError](err); ok {
		return []Finding{failed(check, server.String()+": "+refused.Error(), refused.Mend)}
	}
	if err != nil {
		return []Finding{failed(check, server.String()+": "+err.Error(), "check SMTP_URL")}
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
	return []Finding{passed(check, "%s: %s", server, said)}
}
