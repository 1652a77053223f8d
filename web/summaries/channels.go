package summaries

import (
	"errors"
	"strings"
	"unicode"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/mail"
	"rebatedesk/mail/channel"
	"rebatedesk/reports/findings"
	"rebatedesk/store"
	"rebatedesk/store/audit"
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
	v.MailPage = s.mailPage(c, "Chats", templates.ChannelsPath)
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
	var v templates.ChannelsView
	return s.Act(c, func(f *handler.Sent) (to string, err error) {
		n := mail.NewChannel{Name: f.Text("name"), Kind: f.Text("kind"), Owner: f.Text("owner")}
		if n.Address, err = channelAddress(f, channel.Medium(n.Kind)); err != nil {
			return "", err
		}
		for _, event := range findings.EventNames() {
			if f.Fields.Has("event-" + event) {
				n.Events = append(n.Events, event)
				f.Values["event-"+event] = ui.Ticked
			}
		}
		if v.Secret, err = s.Mail.AddChannel(c.UserContext(), n, f.By); v.Secret == "" {
			to = handler.Confirming(templates.ChannelsPath, "added")
		}
		v.Of = n.Name
		return to, err
	}, func(f *handler.Sent) error {
		v.New = f.Form
		return s.showChannels(c, v)
	})
}

// channelAddress is the address of a channel as its form has it: of Telegram and of a group in parts, of
// the others whole. A missing part is a *store.RuleError.
func channelAddress(f *handler.Sent, kind channel.Medium) (string, error) {
	bot, chat, topic, group := strings.TrimSpace(f.Fields.Get("bot")), f.Text("chat"), f.Text("topic"), f.Text("recipients")
	whole := f.Fields.Get("address")
	switch {
	case whole != "":
		return whole, nil
	case kind == channel.Telegram && (bot == "" || chat == ""):
		var errs []error
		if bot == "" {
			errs = append(errs, store.RefuseAt("bot", "Give the token of the bot, as @BotFather wrote it."))
		}
		if chat == "" {
			errs = append(errs, store.RefuseAt("chat", "Give the number of the chat, or the @name of a channel."))
		}
		return "", errors.Join(errs...)
	case kind == channel.Telegram:
		return channel.TelegramAddress(bot, chat, topic), nil
	case kind == channel.Email:
		return channel.GroupAddress(strings.FieldsFunc(group, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })), nil
	}
	return "", nil
}

// changeChannel changes the channel in the address, in the version from which the form was made. What
// a change leaves in the view is shown, and the reason of a refused one.
func (s *Area) changeChannel(c *fiber.Ctx, done string, change func(v *templates.ChannelsView, one outbox.Channel, by audit.Line) error) error {
	var v templates.ChannelsView
	return s.Act(c, func(f *handler.Sent) (string, error) {
		one, err := s.Mail.Channel(c.UserContext(), f.ID)
		if err != nil {
			return "", err
		}
		if one.Updated, err = f.Seen(); err != nil {
			return "", err
		}
		if err = change(&v, one, f.By); v.Secret != "" || v.Failed != "" {
			return "", err
		}
		return handler.Confirming(templates.ChannelsPath, done), err
	}, func(f *handler.Sent) error {
		if f.Wrong() {
			c.Status(fiber.StatusConflict)
			v.Failed = f.Alert
		}
		return s.showChannels(c, v)
	})
}

// PauseChannel pauses or resumes a channel, as the address says.
func (s *Area) PauseChannel(c *fiber.Ctx) error {
	paused, done := pausing(c)
	return s.changeChannel(c, done, func(_ *templates.ChannelsView, one outbox.Channel, by audit.Line) error {
		return s.Mail.PauseChannel(c.UserContext(), one, paused, by)
	})
}

// RemoveChannel ends a channel.
func (s *Area) RemoveChannel(c *fiber.Ctx) error {
	return s.changeChannel(c, "removed", func(_ *templates.ChannelsView, one outbox.Channel, by audit.Line) error {
		return s.Mail.RemoveChannel(c.UserContext(), one, by)
	})
}

// TestChannel sends a test message, and says what its receiver answered.
func (s *Area) TestChannel(c *fiber.Ctx) error {
	if err := s.mayWrite(c); err != nil {
		return err
	}
	return s.changeChannel(c, "tested", func(v *templates.ChannelsView, one outbox.Channel, by audit.Line) error {
		err := s.Mail.TestChannel(c.UserContext(), one, by)
		if err == nil || handler.ProblemOf(err) != "" {
			return err
		}
		v.Failed = "The test message was not accepted: " + err.Error()
		return nil
	})
}

// RotateChannel gives a webhook another secret and shows it, this once.
func (s *Area) RotateChannel(c *fiber.Ctx) error {
	return s.changeChannel(c, "", func(v *templates.ChannelsView, one outbox.Channel, by audit.Line) (err error) {
		v.Of = one.Name
		v.Secret, err = s.Mail.RotateChannel(c.UserContext(), one, by)
		return err
	})
}
