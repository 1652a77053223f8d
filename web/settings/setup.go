package settings

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/web/admin"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/guide"
	templates "rebatedesk/web/templates/settings"
)

// Steps of the first setup that can be left for later. Such a step has a mark of its name; what became
// of the others shows in the data, so every administrator on every node sees the same.
const (
	stepExchange  = "exchange"
	stepMail      = "mail"
	stepNames     = "names"
	stepColleague = "colleague"
)

// Further marks of the first setup.
const (
	markLeft = "setup" // the setup as a whole was left
	markKey  = "key"   // how the last test of a key ended
)

const (
	keyWorks    = "works"
	markSkipped = "skipped"
)

// setupField is a field of forms that belong to the setup: they lead back to it.
const setupField = "setup"

// SetupPage is the first setup, step by step.
func (s *Area) SetupPage(c *fiber.Ctx) error {
	return s.showSetup(c, templates.StepsView{})
}

// showSetup shows the step that is asked for, or the first one that is open.
func (s *Area) showSetup(c *fiber.Ctx, v templates.StepsView) error {
	done := v.Done
	v.Settings = s.settingsPage(c, "Setup", "/settings/setup")
	if err := s.setupState(c, &v); err != nil {
		return err
	}
	v.Run = v.Page.Run
	v.Page.Bare, v.Page.Wide = true, true
	v.Done = cmp.Or(done, setupDone[c.Query("done")], v.Done)
	asked := cmp.Or(v.Current, c.Query("step"))
	at := slices.IndexFunc(v.Steps, func(one templates.SetupStep) bool { return one.Name == asked })
	if at < 0 {
		at = slices.IndexFunc(v.Steps, func(one templates.SetupStep) bool { return one.State == templates.StepOpen })
	}
	if at < 0 {
		at = len(v.Steps) - 1
	}
	v.Current = v.Steps[at].Name
	switch v.Current {
	case stepExchange:
		if v.New.Values == nil {
			v.New.Values = map[string]string{"account": "main"}
		}
	case stepMail:
		if s.Mail != nil {
			v.Mail.Setup, v.Mail.Token = true, v.Token
			if err := s.mailServer(c, &v.Mail); err != nil {
				return err
			}
		}
	}
	if v.Invited.Link != "" {
		return s.RenderSecret(c, templates.SetupPage(v))
	}
	return s.Render(c, templates.SetupPage(v))
}

var setupDone = map[string]string{
	"skipped":   "Left for later. You find it again here at any time.",
	"continued": "The setup is open again.",
}

// setupState says how far each step is.
func (s *Area) setupState(c *fiber.Ctx, v *templates.StepsView) error {
	ctx := c.UserContext()
	marks, err := s.Access.SetupMarks(ctx)
	if err != nil {
		return err
	}
	v.Left = marks[markLeft] != ""
	if s.Accounts != nil {
		if v.Accounts, err = s.Accounts.List(ctx); err != nil {
			return err
		}
	}
	report, err := s.Whole.Collection(ctx)
	if err != nil {
		return err
	}
	for _, one := range report.Streams {
		if one.Stream.Kind.Money() { // not every key may read them
			continue
		}
		v.Wanted, v.Read = v.Wanted+one.Coverage.Wanted, v.Read+one.Coverage.Collected
	}
	for _, a := range v.Accounts {
		switch usable := a.Problem == "" && !a.Hidden; {
		case !usable:
		case v.Read > 0, marks[markKey] == keyWorks+" "+string(a.Name), a.Settings:
			v.Usable = true
		}
		if v.Account.Name == "" && !a.Hidden {
			v.Account = a
		}
	}
	mails, err := s.hasMail(ctx)
	if err != nil {
		return err
	}
	names, err := reports.NamesFor(ctx, s.Whole, true)
	if err != nil {
		return err
	}
	users, err := s.Access.Users(ctx)
	if err != nil {
		return err
	}
	step := func(name, label, title string, done bool) {
		one := templates.SetupStep{Name: name, Label: label, Title: title}
		switch {
		case done:
			one.State = templates.StepDone
		case marks[name] == markSkipped:
			one.State = templates.StepSkipped
		}
		v.Steps = append(v.Steps, one)
	}
	step("administrator", "Administrator", "create the first administrator", true)
	step("protection", "Protection", "protect your account", s.Who(c).HasTOTP || !s.Access.NeedsTOTP(access.Admin))
	step(stepExchange, "Exchange", "connect the exchange", v.Usable)
	step(stepMail, "Mail", "let it send mails", mails)
	step(stepNames, "Names", "give invitees their names", names != nil)
	step(stepColleague, "A colleague", "invite a colleague", len(users) > 1)
	done := !slices.ContainsFunc(v.Steps, func(one templates.SetupStep) bool { return one.State == templates.StepOpen })
	step("done", "What comes now", "what comes now", done)
	return nil
}

// hasMail reports whether mail can be sent.
func (s *Area) hasMail(ctx context.Context) (bool, error) {
	if s.Mail == nil {
		return false, nil
	}
	server, _, err := s.Mail.Via(ctx)
	return server != "", err
}

// Strip leads administrators back to a setup that is not finished. It is nil once no step is open,
// and after a user left the setup.
func (s *Area) Strip(c *fiber.Ctx) *guide.SetupStrip {
	if s.Demo || !s.Guide || s.setUp.Load() || s.showsSetup(c) || !s.May(c, access.MayAdminister) {
		return nil
	}
	marks, err := s.Access.SetupMarks(c.UserContext())
	if err != nil || marks[markLeft] != "" {
		return nil // a page without the strip is complete
	}
	var v templates.StepsView
	if err := s.setupState(c, &v); err != nil {
		s.Log.Warn("the state of the setup could not be read", "error", err)
		return nil
	}
	steps := v.Steps[:len(v.Steps)-1] // the last one is nothing to do
	open := slices.IndexFunc(steps, func(one templates.SetupStep) bool { return one.State == templates.StepOpen })
	if open < 0 {
		s.setUp.Store(true)
		return nil
	}
	return &guide.SetupStrip{Step: open + 1, Next: steps[open].Label, Token: s.Token(c)}
}

// showsSetup reports whether the page is the setup itself.
func (s *Area) showsSetup(c *fiber.Ctx) bool {
	return strings.HasPrefix(c.Path(), "/settings/setup") || s.ofSetup(c)
}

// setupStep returns the address of a step, which confirms a change.
func setupStep(step, done string) string { return "/settings/setup?step=" + step + "&done=" + done }

// ofSetup reports whether a form belongs to the setup.
func (s *Area) ofSetup(c *fiber.Ctx) bool { return s.Form(c).Has(setupField) }

// markTested notes how the test of a key ended.
func (s *Area) markTested(c *fiber.Ctx, name affiliate.Account, checks []admin.AccountCheck) error {
	value := "failed"
	if templates.EnoughRights(checks) {
		value = keyWorks + " " + string(name)
	}
	by := s.By(c)
	by.Action, by.Object, by.Detail = "setup: key tested", string(name), value
	return s.Access.MarkSetup(c.UserContext(), markKey, value, by)
}

// beginWithin is how long a page waits for a collection that was started. On a node that does not
// collect it never begins.
const beginWithin = 2 * time.Second

// awaitRun waits until the collection is at work, so that the next page shows it.
func (s *Area) awaitRun(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, beginWithin)
	defer cancel()
	for !s.Progress().Running {
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// SkipStep leaves a step for later, or takes that back.
func (s *Area) SkipStep(c *fiber.Ctx) error {
	step := s.Form(c).Get("step")
	next := map[string]string{stepExchange: stepMail, stepMail: stepNames, stepNames: stepColleague, stepColleague: "done"}[step]
	if next == "" {
		return handler.NewProblem(fiber.StatusBadRequest, "This step cannot be left for later.")
	}
	return s.mark(c, "setup: step skipped", step, step, markSkipped, setupStep(next, "skipped"))
}

// LeaveSetup takes the strip off the pages. The setup stays below the settings.
func (s *Area) LeaveSetup(c *fiber.Ctx) error {
	return s.mark(c, "setup: left", "", markLeft, "left", "/")
}

// ResumeSetup puts the strip back onto the pages until no step is open.
func (s *Area) ResumeSetup(c *fiber.Ctx) error {
	return s.mark(c, "setup: continued", "", markLeft, "", handler.Confirming("/settings/setup", "continued"))
}

// mark keeps a mark of the setup, and leads to an address.
func (s *Area) mark(c *fiber.Ctx, action, object, mark, value, to string) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		f.By.Action, f.By.Object = action, object
		return to, s.Access.MarkSetup(c.UserContext(), mark, value, f.By)
	}, nil)
}
