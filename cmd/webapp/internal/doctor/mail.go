package doctor

import (
	"cmp"
	"context"
	"errors"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/mail"
	"rebatedesk/mail/mailer"
	"rebatedesk/secret"
	"rebatedesk/store"
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
	}
	via, err := d.sender(ctx, cfg)
	switch {
	case err != nil:
		return []Result{failed(check, err.Error(), "")}
	case via.Server.Host == "":
		return []Result{skipped(check, "SMTP_URL is not set, and no mail server is entered in the pages: no mail is sent")}
	case via.Failed != nil:
		return []Result{failed(check, via.Failed.Error(), "")}
	}
	server := via.Server
	ctx, cancel := context.WithTimeout(ctx, mailWithin)
	defer cancel()
	err = server.Greet(ctx)
	if refused, ok := errors.AsType[*mailer.SendError](err); ok {
		return []Result{failed(check, server.String()+": "+refused.Error(), refused.Hint)}
	}
	if err != nil {
		return []Result{failed(check, server.String()+": "+err.Error(), "check SMTP_URL")}
	}
	said := "connected as " + server.Name
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

// sender returns how mail is sent. It does not look into a database that opening would migrate.
func (d *Doctor) sender(ctx context.Context, cfg config.Config) (via mail.Sender, err error) {
	set := mail.Sender{Server: cfg.Mail.MailServer(), From: cfg.Mail.From}
	stored, ok := d.parts.config(config.NeedMasterKey | config.NeedStore)
	if !ok || !d.current || set.Server.Host != "" {
		set.Server.Name = cmp.Or(set.Server.Name, mailer.HelloName(cfg.PublicURL, set.From))
		return set, nil
	}
	err = database.Use(ctx, stored, database.Open, func(st *store.Store) error {
		key, _, err := database.FindKey(stored)
		if err != nil {
			return err
		}
		var box *secret.Box
		if key.Given() {
			box = key.Box()
		}
		via, err = store.Reading(ctx, st, func(r *store.Tx) (mail.Sender, error) {
			return mail.SenderOf(ctx, r, set, cfg.PublicURL, box, cfg.Reach)
		})
		return err
	})
	return via, err
}
