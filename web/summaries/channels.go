package summaries

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/mail"
	"rebatedesk/reports/findings"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
	"rebatedesk/web/templates/ui"
)

// channelDone are the changes that the page confirms after a redirect.
var channelDone = map[string]string{
	"added":   "Channel added.",
	"paused":  "Channel paused: nothing is sent to it until it is resumed.",
	"resumed": "Channel resumed. It is told what happens from now on.",
	"removed": "Channel removed. The log of what it got is kept.",
	"tested":  "The receiver accepted the test message.",
}

// ChannelList is the page of the channels.
func (s *Area) ChannelList(c *fiber.Ctx) error { return s.showChannels(c, templates.ChannelsView{}) }

func (s *Area) showChannels(c *fiber.Ctx, v templates.ChannelsView) (err error) {
	if v.MailPage, err = s.mailPage(c, "Channels", templates.ChannelsPath); err != nil {
		return err
	}
	v.MailPage.Done = channelDone[c.Query("done")]
	if v.Channels, err = s.Mail.Channels(c.UserContext()); err != nil {
		return err
	}
	if v.New.Values == nil {
		v.New.Values = map[string]string{}
	}
	return s.Render(c, templates.Channels(v))
}

// AddChannel stores a channel. Of a webhook it shows the signing secret, this once. A refused form
// comes back with all its errors, and without the address.
func (s *Area) AddChannel(c *fiber.Ctx) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	fields := s.Form(c)
	n := mail.NewChannel{Name: strings.TrimSpace(fields.Get("name")), Kind: fields.Get("kind"), Address: fields.Get("address"), Owner: strings.TrimSpace(fields.Get("owner"))}
	form := ui.Form{Values: map[string]string{"name": n.Name, "kind": n.Kind, "owner": n.Owner}}
	for _, event := range findings.EventNames() {
		if fields.Has("event-" + event) {
			n.Events = append(n.Events, event)
			form.Values["event-"+event] = ui.Ticked
		}
	}
	secret, version := "", store.AnyVersion
	err := s.SavePlan(&form, false, &version, func() error { return nil }, func() (err error) {
		secret, err = s.Mail.AddChannel(c.UserContext(), n, s.By(c))
		return err
	})
	switch {
	case err != nil:
		return err
	case form.Wrong():
		c.Status(form.Status())
		return s.showChannels(c, templates.ChannelsView{New: form})
	case secret != "":
		return s.showChannels(c, templates.ChannelsView{Secret: secret, Of: n.Name})
	}
	return backToMail(c, templates.ChannelsPath, "added")
}

// changeChannel changes the channel in the address, in the version from which the form was made.
// A refused change shows its reason.
func (s *Area) changeChannel(c *fiber.Ctx, done string, f func(outbox.Channel) error) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	one, err := s.Mail.Channel(c.UserContext(), id)
	if err != nil {
		return err
	}
	if one.Updated, err = handler.SeenIn(s.Form(c)); err != nil {
		return err
	}
	if err := f(one); err != nil {
		problem := cmp.Or(handler.ProblemOf(err), handler.StaleOf(err))
		if problem == "" {
			return err
		}
		c.Status(fiber.StatusConflict)
		return s.showChannels(c, templates.ChannelsView{Failed: problem})
	}
	return c.Redirect(templates.ChannelsPath+"?"+url.Values{"done": {done}}.Encode(), fiber.StatusSeeOther)
}

// PauseChannel pauses or resumes a channel, as the address says.
func (s *Area) PauseChannel(c *fiber.Ctx) error {
	paused, done := strings.HasSuffix(c.Path(), "/pause"), "resumed"
	if paused {
		done = "paused"
	}
	return s.changeChannel(c, done, func(one outbox.Channel) error {
		return s.Mail.PauseChannel(c.UserContext(), one, paused, s.By(c))
	})
}

// RemoveChannel ends a channel.
func (s *Area) RemoveChannel(c *fiber.Ctx) error {
	return s.changeChannel(c, "removed", func(one outbox.Channel) error {
		return s.Mail.RemoveChannel(c.UserContext(), one, s.By(c))
	})
}

// TestChannel sends a test message and leads to its delivery.
func (s *Area) TestChannel(c *fiber.Ctx) error {
	if err := s.mayWrite(c); err != nil {
		return err
	}
	var failed error
	err := s.changeChannel(c, "tested", func(one outbox.Channel) error {
		failed = s.Mail.TestChannel(c.UserContext(), one, s.By(c))
		if handler.ProblemOf(failed) != "" {
			return failed
		}
		return nil
	})
	if err != nil || failed == nil || handler.ProblemOf(failed) != "" {
		return err
	}
	c.Response().Header.Del(fiber.HeaderLocation)
	c.Status(fiber.StatusOK)
	return s.showChannels(c, templates.ChannelsView{Failed: "The test message was not accepted: " + failed.Error()})
}

// RotateChannel gives a webhook another secret and shows it, this once.
func (s *Area) RotateChannel(c *fiber.Ctx) error {
	secret, name := "", ""
	err := s.changeChannel(c, "", func(one outbox.Channel) (err error) {
		name = one.Name
		secret, err = s.Mail.RotateChannel(c.UserContext(), one, s.By(c))
		return err
	})
	if err != nil || secret == "" {
		return err
	}
	c.Response().Header.Del(fiber.HeaderLocation)
	c.Status(fiber.StatusOK)
	return s.showChannels(c, templates.ChannelsView{Secret: secret, Of: name})
}
