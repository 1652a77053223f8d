// Package deliveries has the handlers of the scheduled deliveries.
package deliveries

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/delivery"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/deliveries"
	"rebatedesk/web/templates/ui"
)

// Area holds the handlers of the scheduled deliveries.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }

// done are the changes that the pages can confirm after a redirect.
var done = map[string]string{
	"added":   "The delivery is added. Its first file goes out when it is next due; “Run now” delivers the newest period at once.",
	"changed": "The delivery is changed.",
	"paused":  "The delivery is paused: nothing is sent until it is resumed.",
	"resumed": "The delivery is resumed, starting with the next period that is due.",
	"removed": "The delivery is removed. Its files stay where they are.",
	"run":     "The file is made and sent in a moment: open the page again to see what became of it.",
}

// logShown is the number of files on a page of the log.
const logShown = 50

func (s *Area) frame(c *fiber.Ctx, title string) templates.Frame {
	return templates.Frame{Page: s.Page(c, title, ui.DeliveriesPath), Zone: s.Zone, Token: s.Token(c), Done: done[c.Query("done")],
		Runs: s.Writing && s.May(c, access.MayEdit), Edits: s.Writing && s.May(c, access.MayAdminister)}
}

// List shows the scheduled deliveries.
func (s *Area) List(c *fiber.Ctx) error {
	list, err := s.Deliveries.Deliveries(c.UserContext())
	if err != nil {
		return err
	}
	v := templates.DeliveriesView{Frame: s.frame(c, "Files")}
	for _, d := range list {
		line, err := s.line(c, d)
		if err != nil {
			return err
		}
		v.Lines = append(v.Lines, line)
	}
	return s.Render(c, templates.List(v))
}

// line returns a delivery with its newest file that went out, and what waits.
func (s *Area) line(c *fiber.Ctx, d outbox.Delivery) (templates.DeliveryLine, error) {
	line := templates.DeliveryLine{Delivery: d, Next: s.Deliveries.NextDue(d)}
	log, err := s.Deliveries.Files(c.UserContext(), d.ID, 0, logShown)
	if err != nil {
		return line, err
	}
	for _, one := range log {
		switch one.State {
		case outbox.Waiting:
			line.Waiting++
			if one.Answer != "" && line.Answer == "" {
				line.Answer = one.Answer
			}
		case outbox.Sent, outbox.Incomplete:
			if line.Last == nil {
				line.Last = &one
			}
		}
	}
	return line, nil
}

// stored returns the delivery in the address.
func (s *Area) stored(c *fiber.Ctx) (outbox.Delivery, error) {
	id, err := handler.IdIn(c)
	if err != nil {
		return outbox.Delivery{}, err
	}
	d, err := s.Deliveries.Delivery(c.UserContext(), id)
	return d, s.Gone(c, err)
}

// One shows what a delivery delivered.
func (s *Area) One(c *fiber.Ctx) error {
	d, err := s.stored(c)
	if err != nil {
		return err
	}
	before := int64(0)
	if text := c.Query("before"); text != "" {
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before < 1 {
			return handler.NewProblem(fiber.StatusBadRequest, "before is no number: open the page without it.")
		}
	}
	v := templates.LogView{Frame: s.frame(c, d.Name)}
	if v.DeliveryLine, err = s.line(c, d); err != nil {
		return err
	}
	if v.Log, err = s.Deliveries.Files(c.UserContext(), d.ID, before, logShown+1); err != nil {
		return err
	}
	if len(v.Log) > logShown {
		v.Log = v.Log[:logShown]
		v.Older = v.Log[logShown-1].ID
	}
	return s.Render(c, templates.Log(v))
}

// Form shows an empty form.
func (s *Area) Form(c *fiber.Ctx) error {
	d := outbox.Delivery{Kind: delivery.DeliveredKinds()[0], Format: delivery.Formats()[0], Every: delivery.DayPeriods, Hour: 6, Content: delivery.OfPeriod, Deadline: delivery.DefaultWait}
	return s.showForm(c, d, ui.Form{Values: fieldsOf(d)})
}

// Edit shows the form of a stored delivery.
func (s *Area) Edit(c *fiber.Ctx) error {
	d, err := s.stored(c)
	if err != nil {
		return err
	}
	return s.showForm(c, d, ui.Form{Values: fieldsOf(d)})
}

func (s *Area) showForm(c *fiber.Ctx, of outbox.Delivery, form ui.Form) error {
	title := "New scheduled delivery"
	if of.ID != 0 {
		title = of.Name
	}
	return s.Render(c, templates.DeliveryForm(templates.FormView{Frame: s.frame(c, title), ID: of.ID, Form: form}))
}

// fieldsOf returns the fields of the form of a delivery.
func fieldsOf(d outbox.Delivery) map[string]string {
	fields := map[string]string{"version": ui.VersionText(d.Updated), "name": d.Name, "kind": d.Kind, "format": d.Format, "every": d.Every,
		"at": fmt.Sprintf("%02d:%02d", d.Hour, d.Minute), "content": d.Content, "to": d.To, "deadline": strconv.Itoa(d.Deadline)}
	if filters, err := url.ParseQuery(d.Filters); err == nil {
		for _, name := range delivery.FilterParams() {
			fields[name] = filters.Get(name)
		}
	}
	return fields
}

// deliveryIn reads the form. It notes faults that have no stored form.
func deliveryIn(fields url.Values, old outbox.Delivery, form *ui.Form) outbox.Delivery {
	d := outbox.Delivery{ID: old.ID, Name: fields.Get("name"), Kind: fields.Get("kind"), Format: fields.Get("format"), Every: fields.Get("every"),
		Content: fields.Get("content"), To: strings.TrimSpace(fields.Get("to"))}
	at, err := time.Parse("15:04", strings.TrimSpace(fields.Get("at")))
	if err != nil {
		form.Fault("at", "This is not a time of day: give one such as 06:30.")
	}
	d.Hour, d.Minute = at.Hour(), at.Minute()
	if d.Deadline, err = strconv.Atoi(strings.TrimSpace(fields.Get("deadline"))); err != nil {
		form.Fault("deadline", "Give a whole number of hours.")
		d.Deadline = delivery.DefaultWait
	}
	filters := url.Values{}
	for _, name := range delivery.FilterParams() {
		if value := strings.TrimSpace(fields.Get(name)); value != "" {
			filters.Set(name, value)
		}
	}
	d.Filters = filters.Encode()
	d.Updated = handler.VersionIn(fields, form)
	return d
}

// Save stores the form, as a new delivery if the address names none. A refused form comes back
// with all its faults.
func (s *Area) Save(c *fiber.Ctx) error {
	if !s.Writing {
		return fiber.ErrNotFound
	}
	var old outbox.Delivery
	if c.Params("id") != "" {
		var err error
		if old, err = s.stored(c); err != nil {
			return err
		}
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		f.Form = s.Typed(c)
		d := deliveryIn(f.Fields, old, &f.Form)
		err := s.SavePlan(&f.Form, d.ID != 0, &d.Updated, func() error {
			_, err := delivery.Check(d, time.Now(), s.Zone)
			return err
		}, func() error {
			_, err := s.Deliveries.Save(c.UserContext(), d, f.By)
			return err
		})
		if old.ID == 0 {
			return handler.Confirming(ui.DeliveriesPath, "added"), err
		}
		return handler.Confirming(templates.Address(old.ID, ""), "changed"), err
	}, func(f *handler.Sent) error {
		if f.Stale {
			now, err := s.stored(c)
			if err != nil {
				return err
			}
			f.Compare(fieldsOf(now), templates.DeliveryLabels)
		}
		return s.showForm(c, old, f.Form)
	})
}

// Run delivers a period again: the one of the day in the form, or the newest that is over.
func (s *Area) Run(c *fiber.Ctx) error {
	d, err := s.stored(c)
	if err != nil {
		return err
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		days := s.Deliveries.NewestPeriod(d)
		if text := f.Text("date"); text != "" {
			day, err := affiliate.ParseDay(text)
			if err != nil {
				return "", handler.NewProblem(fiber.StatusBadRequest, "This is not a day: give one such as 2026-09-07.")
			}
			if days, err = s.Deliveries.PeriodOver(d, day); err != nil {
				return "", err
			}
		}
		return handler.Confirming(templates.Address(d.ID, ""), "run"), s.Deliveries.Ask(c.UserContext(), d, days, f.By)
	}, nil)
}

// Pause delivers nothing of a delivery until it is resumed.
func (s *Area) Pause(c *fiber.Ctx) error { return s.pause(c, true, "paused") }

// Resume lets a paused delivery go on.
func (s *Area) Resume(c *fiber.Ctx) error { return s.pause(c, false, "resumed") }

func (s *Area) pause(c *fiber.Ctx, paused bool, done string) error {
	return s.change(c, done, func(d outbox.Delivery, by audit.Line) error {
		return s.Deliveries.Pause(c.UserContext(), d, paused, by)
	})
}

// Remove ends a delivery.
func (s *Area) Remove(c *fiber.Ctx) error {
	return s.change(c, "removed", func(d outbox.Delivery, by audit.Line) error {
		return s.Deliveries.Remove(c.UserContext(), d, by)
	})
}

// change makes one change of the version that the sender of the form has seen.
func (s *Area) change(c *fiber.Ctx, done string, change func(outbox.Delivery, audit.Line) error) error {
	d, err := s.stored(c)
	if err != nil {
		return err
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		if d.Updated, err = f.Seen(); err != nil {
			return "", err
		}
		return handler.Confirming(ui.DeliveriesPath, done), change(d, f.By)
	}, nil)
}
