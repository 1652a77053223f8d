package health

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/outbox"
	"rebatedesk/web"
)

// mailLooked is how long an abandoned mail is reported.
const mailLooked = 24 * time.Hour

// mailing checks that mail is delivered, if there is a mail server: of the settings, or entered in the
// pages. Pages do not need it.
func (h Health) mailing(ctx context.Context) (check web.HealthCheck, used bool) {
	check = web.HealthCheck{Name: "mail"}
	reader, err := h.store.Read(ctx)
	if err != nil {
		check.Fault = "cannot be read"
		return check, h.mail
	}
	defer reader.Close()
	entered, err := outbox.ReadEnteredServer(ctx, reader)
	if err != nil {
		check.Fault = "cannot be read"
		return check, true
	}
	if !h.mail && entered.Host == "" {
		return check, false
	}
	queue, err := outbox.ReadMailHealth(ctx, reader, affiliate.MillisOf(h.now().Add(-mailLooked)))
	switch {
	case err != nil:
		check.Fault = "cannot be read"
	case queue.Failing > 0:
		check.Fault = "does not get out at present, and is tried again; see the log of deliveries"
	case queue.Dead > 0:
		check.Fault = "was given up in the last day; see the log of deliveries"
	}
	return check, true
}
