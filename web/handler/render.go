package handler

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
	"rebatedesk/web/templates/navigation"
	"rebatedesk/web/templates/ui"
)

// Page returns the frame of a page with a title, of the navigation's page at path or one that belongs to
// it. A caller who is not signed in sees no navigation around it.
func (s *Base) Page(c *fiber.Ctx, title, path string) ui.Page {
	p := s.BarePage(c, title)
	who := s.Who(c)
	if !who.Full() {
		return p
	}
	listed, _ := s.Help.At(path)
	p.Bare, p.Path, p.Below, p.Version, p.Run, p.Keep = false, path, title != listed.Name, s.Version, s.Run(c), s.keeper(c)
	p.User = ui.Reader{Name: who.User, Role: who.Role, Map: &s.Map, May: who.May, Settings: who.May(access.MayAdminister), Token: s.Token(c)}
	p.User.Bound = s.IsBound(c)
	p.User.Waiting = s.waiting(c)
	p.Guide = guideView(s, c, who, path)
	if p.User.Bound {
		p.Run = ui.CollectionRun{Zone: s.Zone, Token: "none"}
		return p
	}
	p.User.MailSick = s.mailSick(c)
	return p
}

// waiting says how much waits at the entries of the navigation, when the page is drawn: its own answer may
// tell it. A page without these numbers is complete, so a failure is only logged.
func (s *Base) waiting(c *fiber.Ctx) func(navigation.Place) (int, string) {
	if s.Whole == nil {
		return nil
	}
	ctx, from := context.WithoutCancel(c.UserContext()), s.Reports(c)
	known := sync.OnceValue(func() reports.Waiting {
		w, err := from.Waiting(ctx)
		if err != nil {
			s.Log.Warn("what waits for people could not be read", "error", err)
		}
		return w
	})
	return func(at navigation.Place) (int, string) {
		switch w := known(); {
		case at == navigation.Worklist && w.Today != nil:
			return *w.Today, phrase.Things(*w.Today, "invitee") + " for today"
		case at == navigation.Payments && w.Payments != nil:
			return *w.Payments, phrase.Things(*w.Payments, "payment") + " missing or too low"
		}
		return 0, ""
	}
}

// mailSick reports whether mail cannot be sent. If that cannot be determined now, the
// page itself cannot be drawn either or says enough.
func (s *Base) mailSick(c *fiber.Ctx) bool {
	if s.Mail == nil {
		return false
	}
	outbox, err := s.Mail.Outbox(c.UserContext())
	if err != nil {
		s.Log.Warn("the outbox could not be looked at", "error", err)
		return false
	}
	return outbox.Sick(s.Mail.Now())
}

// BarePage returns a page without navigation, for a caller who is not signed in.
func (s *Base) BarePage(c *fiber.Ctx, title string) ui.Page {
	return ui.Page{Title: title, Assets: s.Assets, Demo: s.Demo, Theme: theme(c), Bare: true}
}

// theme returns the theme that the reader chose in this browser, if any. A script sets
// the cookie, so that later pages have the theme before any script runs.
func theme(c *fiber.Ctx) string {
	switch chosen := c.Cookies("theme"); chosen {
	case "light", "dark":
		return chosen
	}
	return ""
}

// IsUnfolded reports whether the reader unfolded a part of a page in this browser. A script sets
// the cookie.
func IsUnfolded(c *fiber.Ctx, name string) bool {
	return slices.Contains(strings.Split(c.Cookies("unfolded"), "."), name)
}

// HiddenLines returns the names of lines of charts that the reader hid in this browser. A script
// sets the cookie.
func HiddenLines(c *fiber.Ctx) []string { return strings.Split(c.Cookies("hidden"), ".") }

// Render answers with a component. It is drawn completely before the first byte is
// sent, so that a failure produces an error page instead of half a page.
//
// Pages are compressed, shared parts once for all readers. That is safe as long as no
// secret of the reader appears next to text that a stranger can choose. Form tokens are not such secrets: no two pages carry
// the same one. Pages that contain a secret are sent by renderSecret.
func (s *Base) Render(c *fiber.Ctx, component templ.Component) error {
	return s.draw(c, component, Accepts(c, "gzip"))
}

// RenderSecret answers with a component that shows a secret. It is not compressed,
// because the compressed size would reveal something about the secret.
func (s *Base) RenderSecret(c *fiber.Ctx, component templ.Component) error {
	return s.draw(c, component, false)
}

// PartOfStream draws a part of a page for a stream. It has no names of people and no token.
func PartOfStream(ctx context.Context, component templ.Component) ([]byte, error) {
	var b bytes.Buffer
	if err := component.Render(context.WithoutCancel(ctx), &b); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	return visiblePage(b.Bytes()), nil
}

// Names returns the names that the caller may see. A page without them is complete, so a
// failure is only logged.
func (s *Base) Names(c *fiber.Ctx) *people.NameBook {
	who := s.Who(c)
	if !who.Full() || s.Whole == nil {
		return nil
	}
	names, err := reports.NamesFor(context.WithoutCancel(c.UserContext()), s.Reports(c), who.May(access.MayEdit))
	if err != nil {
		s.Log.Warn("the names of people could not be read", "error", err)
		return nil
	}
	return names
}

func (s *Base) draw(c *fiber.Ctx, component templ.Component, compress bool) error {
	var page segmentedPage
	// All queries have been answered; the page that reports a timeout is written after
	// the deadline.
	ctx := ui.WithNames(context.WithoutCancel(c.UserContext()), s.Names(c))
	if s.IsBound(c) {
		ctx = ui.WithBound(ctx)
	}
	if err := component.Render(ctx, &page); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	encode := page.text
	if compress {
		encode = page.gzip
	}
	content, err := encode()
	if err != nil {
		return fmt.Errorf("render: %w", err)
	}
	c.Set(fiber.HeaderContentType, "text/html; charset=utf-8")
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	if compress {
		c.Set(fiber.HeaderContentEncoding, "gzip")
	}
	return c.Send(content)
}

// Accepts reports whether the client takes an encoding. A quality of zero is a
// refusal.
func Accepts(c *fiber.Ctx, encoding string) bool {
	for _, offer := range strings.Split(c.Get(fiber.HeaderAcceptEncoding), ",") {
		name, parameters, _ := strings.Cut(offer, ";")
		if strings.TrimSpace(name) != encoding {
			continue
		}
		quality, given := strings.CutPrefix(strings.TrimSpace(parameters), "q=")
		return !given || strings.Trim(quality, "0.") != ""
	}
	return false
}

// Run is the collection in the form that pages show.
func (s *Base) Run(c *fiber.Ctx) ui.CollectionRun {
	p := s.Progress()
	token := "none"
	switch {
	case p.Running:
		token = "running"
	case !p.Finished.IsZero():
		token = strconv.FormatInt(p.Finished.UnixMilli(), 10)
	}
	run := ui.CollectionRun{Progress: p, CanCollect: s.CanCollect && !p.NoAccount && s.May(c, access.MayEdit), Token: token, Zone: s.Zone}
	if run.CanCollect {
		run.FormToken = s.Token(c)
	}
	return run
}
