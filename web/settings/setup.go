package settings

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
	"rebatedesk/web/admin"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/guide"
	templates "rebatedesk/web/templates/settings"
	"rebatedesk/web/templates/ui"
)

// Marks of the first setup that are kept in the database. What became of the other steps shows
// in the data, so every administrator on every node sees the same.
const (
	markLeft    = "setup"   // the setup as a whole was left
	markKey     = "key"     // how the last test of a key ended
	markMail    = "mail"    // skipped
	markSummary = "summary" // skipped
)

const (
	keyWorks    = "works"
	markSkipped = "skipped"
)

// setupField is a field of forms that belong to the setup: they lead back to it.
const setupField = "setup"

// SetupPage is the first setup: administrator, key, first collection, mail server, first summary.
func (s *Area) SetupPage(c *fiber.Ctx) error {
	return s.showSetup(c, templates.StepsView{})
}

// showSetup shows the step that is asked for, or the first one that is open.
func (s *Area) showSetup(c *fiber.Ctx, v templates.StepsView) error {
	if err := s.setupState(c, &v); err != nil {
		return err
	}
	v.Settings = s.settingsPage(c, "Setup", "/settings/setup")
	v.Done = setupDone[c.Query("done")]
	asked := cmp.Or(v.Current, c.Query("step"))
	at := slices.IndexFunc(v.Steps, func(one templates.SetupStep) bool { return one.Name == asked })
	if at < 0 {
		if at = slices.IndexFunc(v.Steps, func(one templates.SetupStep) bool { return one.State == templates.StepOpen }); at < 0 {
			at = len(v.Steps) - 1
		}
	}
	v.Current = v.Steps[at].Name
	v.Run = v.Page.Run
	if v.Current == markSummary {
		v.New = scheduleForm()
	}
	if v.Current == markSummary && v.Schedule.ID != 0 {
		deliveries, err := s.Mail.Deliveries(c.UserContext(), outbox.AttemptQuery{Limit: 1})
		if err != nil {
			return err
		}
		v.Newest = deliveries
	}
	return s.Render(c, templates.SetupPage(v))
}

var setupDone = map[string]string{
	"account":   "The key is stored, sealed. Test it now: nothing is collected before you start that.",
	"rotated":   "The new key is stored, sealed. Test it now.",
	"begun":     "The first collection has begun. You can go on meanwhile.",
	"summary":   "The schedule is added. Its first mail goes out when it is next due.",
	"skipped":   "Skipped. You can come back to it at any time.",
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
	complete := len(report.Streams) > 0
	for _, one := range report.Streams {
		if one.Stream.Kind.Money() { // not every key may read them
			continue
		}
		v.Wanted, v.Read = v.Wanted+one.Coverage.Wanted, v.Read+one.Coverage.Collected
		complete = complete && one.Coverage.Complete()
	}
	running := s.Progress().Running
	account := templates.SetupStep{Name: markKey, Label: "Exchange key"}
	for _, a := range v.Accounts {
		switch usable := a.Problem == "" && !a.Hidden; {
		case !usable:
		case v.Read > 0, marks[markKey] == keyWorks+" "+string(a.Name), a.Settings:
			account.State, v.Usable = templates.StepDone, true
		}
		if v.Account.Name == "" && !a.Hidden {
			v.Account = a
		}
	}
	collect := templates.SetupStep{Name: "collect", Label: "First collection"}
	switch {
	case complete:
		collect.State = templates.StepDone
	case v.Read > 0 || running:
		collect.State = templates.StepRunning
	}
	server := templates.SetupStep{Name: markMail, Label: "Mail server"}
	summary := templates.SetupStep{Name: markSummary, Label: "First summary"}
	if s.Mail != nil {
		v.Server, v.From = s.Mail.Via()
		list, err := s.Mail.Standings(ctx)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			v.Schedule = list[0].Subscription
		}
	}
	server.State = stateOf(v.Server != "", marks[markMail] == markSkipped)
	summary.State = stateOf(v.Schedule.ID != 0, marks[markSummary] == markSkipped)
	v.Zone = s.Zone
	v.Steps = []templates.SetupStep{{Name: "administrator", Label: "Administrator", State: templates.StepDone}, account, collect, server, summary}
	return nil
}

func stateOf(done, skipped bool) templates.StepState {
	switch {
	case done:
		return templates.StepDone
	case skipped:
		return templates.StepSkipped
	}
	return templates.StepOpen
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
	strip := &guide.SetupStrip{Steps: len(v.Steps)}
	for _, one := range v.Steps {
		if one.State != templates.StepOpen {
			strip.Done++
		} else if strip.Next == "" {
			strip.Next = one.Label
		}
	}
	if strip.Next == "" {
		if v.Step("collect").State == templates.StepDone {
			s.setUp.Store(true)
		}
		return nil
	}
	return strip
}

// showsSetup reports whether the page is the setup itself.
func (s *Area) showsSetup(c *fiber.Ctx) bool {
	return strings.HasPrefix(c.Path(), "/settings/setup") || strings.HasPrefix(c.Path(), "/settings/accounts") && s.ofSetup(c)
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

// BeginCollection puts the account into use that was stored for later, which starts its
// collection.
func (s *Area) BeginCollection(c *fiber.Ctx) error {
	if s.Accounts == nil {
		return fiber.ErrNotFound
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		seen, err := f.Seen()
		if err != nil {
			return "", err
		}
		if err := s.Accounts.Disable(c.UserContext(), f.By, affiliate.Account(f.Fields.Get("account")), seen, false); err != nil {
			return "", err
		}
		s.awaitRun(c.UserContext())
		return setupStep("collect", "begun"), nil
	}, func(f *handler.Sent) error {
		if !f.Overtaken() {
			return f.Refused
		}
		return s.showSetup(c, templates.StepsView{Current: "collect", Alert: f.Alert})
	})
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

// greetWithin limits the greeting of the mail server.
const greetWithin = 20 * time.Second

// TestMailServer greets the mail server as for a mail, and sends nothing.
func (s *Area) TestMailServer(c *fiber.Ctx) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	if err := s.Record(c, "mail server tested", "", ""); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), greetWithin)
	defer cancel()
	err := s.Mail.Greet(ctx)
	v := templates.StepsView{Current: markMail}
	refused, known := errors.AsType[*mailer.SendError](err)
	switch {
	case err == nil:
		v.Greeted = &admin.AccountCheck{Result: admin.CheckPassed, Text: "answers, and accepts the sign-in"}
	case errors.Is(err, mail.ErrNoServer):
		v.Alert = "No mail server is set."
	case known:
		v.Greeted = &admin.AccountCheck{Result: admin.CheckFailed, Text: refused.Error(), Hint: refused.Hint}
	default:
		v.Greeted = &admin.AccountCheck{Result: admin.CheckFailed, Text: err.Error(), Hint: "check the setting SMTP_URL"}
	}
	return s.showSetup(c, v)
}

// SkipStep leaves a step for later, or takes that back.
func (s *Area) SkipStep(c *fiber.Ctx) error {
	step := s.Form(c).Get("step")
	next := map[string]string{markMail: markSummary, markSummary: markSummary}[step]
	if next == "" {
		return handler.NewProblem(fiber.StatusBadRequest, "This step cannot be skipped.")
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

// scheduleForm are the values of a first schedule: every morning, all figures.
func scheduleForm() ui.Form {
	return ui.Form{Values: map[string]string{"name": "First summary", "at": "07:00"}}
}
