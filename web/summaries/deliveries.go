package summaries

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/mail"
	"rebatedesk/reports/query"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
)

// deliveriesShown is the number of deliveries on a page of the log.
const deliveriesShown = 50

// DeliveryList is the log of deliveries, newest first.
func (s *Area) DeliveryList(c *fiber.Ctx) error {
	q, err := deliveryQuery(c)
	if err != nil {
		return err
	}
	v := templates.DeliveriesView{MailPage: s.mailPage(c, "Log", "/summaries/deliveries"), Query: q}
	q.Limit = deliveriesShown + 1
	if v.Rows, err = s.Mail.Deliveries(c.UserContext(), q); err != nil {
		return err
	}
	if len(v.Rows) > deliveriesShown {
		v.Rows = v.Rows[:deliveriesShown]
		v.Older = v.Rows[deliveriesShown-1].ID
	}
	if v.Schedules, err = s.Mail.Subscriptions(c.UserContext(), outbox.KindSchedule); err != nil {
		return err
	}
	return s.Render(c, templates.Deliveries(v))
}

var deliveryStates = []outbox.State{"", outbox.Waiting, outbox.Sent, outbox.Dead}

// deliveryQuery reads which part of the log is requested.
func deliveryQuery(c *fiber.Ctx) (q outbox.AttemptQuery, err error) {
	q.State = outbox.State(c.Query("state"))
	if !slices.Contains(deliveryStates, q.State) {
		return q, &query.ParamError{Param: "state", Value: string(q.State), Problem: "is none of waiting, sent and dead"}
	}
	for name, to := range map[string]*int64{"before": &q.Before, "schedule": &q.Schedule, "message": &q.Message, "channel": &q.Channel} {
		text := c.Query(name)
		if text == "" {
			continue
		}
		if *to, err = strconv.ParseInt(text, 10, 64); err != nil || *to < 1 {
			return q, &query.ParamError{Param: name, Value: text, Problem: "is no number; open the page without it"}
		}
	}
	return q, nil
}

// sentOne returns the delivery in the address, with its message.
func (s *Area) sentOne(c *fiber.Ctx) (d outbox.Attempt, content []byte, err error) {
	id, err := handler.IdIn(c)
	if err != nil {
		return d, nil, err
	}
	return s.Mail.Sent(c.UserContext(), id, s.May(c, access.MayEdit))
}

// Delivery shows one mail: its content, and the state of its delivery.
func (s *Area) Delivery(c *fiber.Ctx) error {
	d, content, err := s.sentOne(c)
	if err != nil {
		return err
	}
	v := templates.DeliveryView{MailPage: s.mailPage(c, d.Subject, "/summaries/deliveries"), Delivery: d}
	if v.Letter, err = mail.ParseLetter(content); err != nil {
		return err
	}
	handler.Framing(c)
	return s.Render(c, templates.DeliveryPage(v))
}

// DeliveredMessage returns the HTML part of a mail as it was sent, for its frame.
func (s *Area) DeliveredMessage(c *fiber.Ctx) error {
	_, content, err := s.sentOne(c)
	if err != nil {
		return err
	}
	return sendFramed(c, content)
}

// DeliveredFile returns a mail, or a file attached to it, as a file.
func (s *Area) DeliveredFile(c *fiber.Ctx) error {
	d, content, err := s.sentOne(c)
	if err != nil {
		return err
	}
	return s.sendPart(c, content, fmt.Sprintf("mail-%d.eml", d.ID), fmt.Sprintf("mail %d to %s", d.ID, d.To()))
}

// Resend puts a finished delivery into the outbox again.
func (s *Area) Resend(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		if err := s.mayWrite(c); err != nil {
			return "", err
		}
		return handler.Confirming(fmt.Sprintf("/summaries/deliveries/%d", f.ID), "resent"), s.Mail.Resend(c.UserContext(), f.ID, f.By)
	}, nil)
}
