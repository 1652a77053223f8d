package summaries

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/mail"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
)

// SendReview asks for confirmation before a summary is sent by hand.
func (s *Area) SendReview(c *fiber.Ctx) error { return s.showReview(c, c.Query("date"), "") }

// showReview shows what would be sent to whom, and why the previous form was refused.
func (s *Area) showReview(c *fiber.Ctx, date, alert string) error {
	sc, p, err := s.periodAsked(c, date)
	if err != nil {
		return err
	}
	v := templates.SendView{MailPage: s.mailPage(c, "Send "+sc.Name, "/summaries"), Schedule: sc.Subscription, Period: p, Label: p.Label(s.Zone), Alert: alert}
	if v.Server, _, err = s.Mail.Via(c.UserContext()); err != nil {
		return err
	}
	if v.Review, err = s.Mail.Review(c.UserContext(), sc, p); err != nil {
		return err
	}
	return s.Render(c, templates.SendReview(v))
}

// SendNow sends the summary of a period to the recipients of its schedule. The form of
// one review is one message, however often it is sent.
func (s *Area) SendNow(c *fiber.Ctx) error {
	fields := s.Form(c)
	return s.send(c, func(sc mail.Schedule) []string { return sc.Active() },
		mail.SendOptions{Partial: fields.Has("partial"), Again: fields.Has("again"), Rest: true}, "summary sent", s.showReview)
}

// SendTest sends the message of a preview to one address, marked as a test.
func (s *Area) SendTest(c *fiber.Ctx) error {
	to := []string{strings.TrimSpace(s.Form(c).Get("to"))}
	return s.send(c, func(mail.Schedule) []string { return to }, mail.SendOptions{Test: true}, "test mail sent", s.showPreview)
}

// send queues the message of a schedule, waits briefly for the mail server, and leads to the
// result. The action is its name in the audit log. If the message cannot be sent, again shows
// the reason.
func (s *Area) send(c *fiber.Ctx, receivers func(mail.Schedule) []string, how mail.SendOptions, action string, again func(c *fiber.Ctx, date, alert string) error) error {
	date := s.Form(c).Get("date")
	return s.Act(c, func(f *handler.Sent) (string, error) {
		sc, p, err := s.periodAsked(c, date)
		if err != nil {
			return "", err
		}
		how.Number, err = strconv.Atoi(f.Fields.Get("number"))
		if err != nil || how.Number < 1 || how.Number > 1_000_000 {
			return "", handler.NewProblem(fiber.StatusBadRequest, "The form could not be read: it does not say which message it is about.")
		}
		to := receivers(sc)
		if len(to) == 0 {
			f.Alert = "Nobody gets it: all recipients asked for no more."
			return "", nil
		}
		ready, err := s.Mail.Prepare(c.UserContext(), sc, p, to, how)
		if f.Alert = notSent(err); f.Alert != "" {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if ready.Queued() == 0 {
			if err := s.mayWrite(c); err != nil {
				return "", err
			}
			if err := s.Record(c, action, sc.Name, fmt.Sprintf("%s, to %s", p.Label(s.Zone), recipientWords(ready.To()))); err != nil {
				return "", err
			}
		}
		message, err := ready.Queue(c.UserContext())
		if err != nil {
			return "", err
		}
		return s.sent(c.UserContext(), message)
	}, func(f *handler.Sent) error {
		c.Status(fiber.StatusConflict)
		return again(c, date, f.Alert)
	})
}

// mayWrite counts one more mail by hand, and refuses it if there are too many.
func (s *Area) mayWrite(c *fiber.Ctx) error {
	return s.Access.CountMail(c.UserContext(), s.Who(c).Principal)
}

// notSent returns the reason why a message is not sent, and an empty string for other
// errors.
func notSent(err error) string {
	if incomplete, ok := errors.AsType[*mail.IncompleteError](err); ok {
		return "Nothing was sent: " + incomplete.Error() + "."
	}
	if sent, ok := errors.AsType[*mail.SentError](err); ok {
		return "Nothing was sent: " + sent.Error() + "."
	}
	if errors.Is(err, mail.ErrNoServer) {
		return "Nothing was sent: " + err.Error() + "."
	}
	return handler.ProblemOf(err)
}

func recipientWords(to []string) string {
	if len(to) == 1 {
		return to[0]
	}
	return fmt.Sprintf("%d recipients", len(to))
}

// sent waits a short time for the copies of a message and returns the address of their log,
// or of the single copy.
func (s *Area) sent(ctx context.Context, message int64) (string, error) {
	list, err := s.tried(ctx, message)
	if err != nil {
		return "", err
	}
	at, query := "/summaries/deliveries", url.Values{}
	if len(list) == 1 {
		at += "/" + strconv.FormatInt(list[0].ID, 10)
	} else {
		query.Set("message", strconv.FormatInt(message, 10))
	}
	unsent := slices.ContainsFunc(list, func(d outbox.Attempt) bool { return d.State != outbox.Sent })
	if !unsent { // otherwise the log itself shows the problem
		query.Set("done", "sent")
	}
	return at + "?" + query.Encode(), nil
}

// sendWithin is how long a page waits for the mail server.
const sendWithin = 20 * time.Second

// tried returns the copies of a message once each was tried, or their current state if
// that takes too long.
func (s *Area) tried(ctx context.Context, message int64) ([]outbox.Attempt, error) {
	for end := time.Now().Add(sendWithin); ; {
		list, err := s.Mail.Deliveries(ctx, outbox.AttemptQuery{Message: message, Limit: mail.MostRecipients})
		if err != nil {
			return nil, err
		}
		waiting := false
		for _, d := range list {
			waiting = waiting || d.State == outbox.Waiting && d.Answer == ""
		}
		if !waiting || time.Now().After(end) {
			return list, nil
		}
		select {
		case <-ctx.Done():
			return list, nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}
