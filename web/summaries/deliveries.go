package summaries

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/reports/query"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
)

// deliveriesShown is the number of deliveries on a page of the log.
const deliveriesShown = 50

// DeliveryList is the log of mails, messages in chats and files, newest first. A page has some of the
// messages, and the files that were queued between them.
func (s *Area) DeliveryList(c *fiber.Ctx) error {
	q, err := deliveryQuery(c)
	if err != nil {
		return err
	}
	v := templates.DeliveriesView{MailPage: s.mailPage(c, "Log", "/summaries/deliveries"), Query: q}
	q.Limit = deliveriesShown + 1
	list, err := s.Mail.Deliveries(c.UserContext(), q)
	if err != nil {
		return err
	}
	if len(list) > deliveriesShown {
		list = list[:deliveriesShown]
		v.Older = list[deliveriesShown-1].ID
	}
	v.Rows = templates.LogRows(list)
	if err := s.addFiles(c, &v); err != nil {
		return err
	}
	if v.Schedules, err = s.Mail.Subscriptions(c.UserContext(), outbox.KindSchedule); err != nil {
		return err
	}
	return s.Render(c, templates.Deliveries(v))
}

// filesShown is how many files a page of the log has at most.
const filesShown = 200

// addFiles adds the files that were queued between the messages of a page of the log.
func (s *Area) addFiles(c *fiber.Ctx, v *templates.DeliveriesView) error {
	q := v.Query
	if s.Deliveries == nil || q.Schedule != 0 || q.Message != 0 || q.Channel != 0 {
		return nil
	}
	after, until := affiliate.Millis(0), affiliate.Millis(math.MaxInt64)
	if v.Older > 0 {
		after = v.Rows[len(v.Rows)-1].Queued
	}
	if q.Before > 0 {
		list, err := s.Mail.Deliveries(c.UserContext(), outbox.AttemptQuery{State: q.State, Before: q.Before + 1, Limit: 1})
		if err != nil {
			return err
		}
		if len(list) > 0 {
			until = list[0].Queued
		}
	}
	files, err := s.Deliveries.FilesQueued(c.UserContext(), after, until, q.State, filesShown)
	if err != nil || len(files) == 0 {
		return err
	}
	rules, err := s.Deliveries.Deliveries(c.UserContext())
	if err != nil {
		return err
	}
	for i := range files {
		row := templates.LogRow{File: &files[i], Attempt: outbox.Attempt{Queued: files[i].Queued}}
		if at := slices.IndexFunc(rules, func(d outbox.Delivery) bool { return d.ID == files[i].Delivery }); at >= 0 {
			row.Of = rules[at].Name
		}
		v.Rows = append(v.Rows, row)
	}
	slices.SortStableFunc(v.Rows, func(a, b templates.LogRow) int { return cmp.Compare(b.Queued, a.Queued) })
	return nil
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
