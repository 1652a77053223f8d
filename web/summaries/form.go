package summaries

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
	"rebatedesk/web/templates/ui"
)

// NewSchedule is an empty form, with what is usual.
func (s *Area) NewSchedule(c *fiber.Ctx) error {
	return s.showSchedule(c, outbox.Schedule{}, ui.Form{Values: scheduleFields(outbox.Schedule{
		Every: string(mail.Daily), Hour: 7, Zone: s.Zone.String(), Weekday: time.Monday, MonthDay: 1, Deadline: mail.DefaultDeadline})})
}

// EditSchedule is the form of a schedule as it is stored.
func (s *Area) EditSchedule(c *fiber.Ctx) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	raw, err := s.rawSchedule(c, id)
	if err != nil {
		return err
	}
	return s.showSchedule(c, raw, ui.Form{Values: scheduleFields(raw)})
}

// rawSchedule is a schedule as it is stored, which may not be of use any more.
func (s *Area) rawSchedule(c *fiber.Ctx, id int64) (outbox.Schedule, error) {
	list, err := s.Mail.Schedules(c.UserContext())
	for _, one := range list {
		if err == nil && one.ID == id {
			return one, nil
		}
	}
	if err != nil {
		return outbox.Schedule{}, err
	}
	return outbox.Schedule{}, &store.RuleError{Problem: "There is no such schedule.", Missing: true}
}

func (s *Area) showSchedule(c *fiber.Ctx, of outbox.Schedule, form ui.Form) error {
	title := "New schedule"
	if of.ID != 0 {
		title = of.Name
	}
	frame, err := s.mailPage(c, title, "/summaries")
	if err != nil {
		return err
	}
	v := templates.ScheduleView{MailPage: frame, Schedule: of, Form: form, Zones: zones, Sections: mail.Sections()}
	if v.Accounts, err = s.Mail.Accounts(c.UserContext()); err != nil {
		return err
	}
	return s.Render(c, templates.ScheduleForm(v))
}

// SaveSchedule stores the form, as a new schedule where the address names none.
// What was typed comes back with all that is wrong with it.
func (s *Area) SaveSchedule(c *fiber.Ctx) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	var old outbox.Schedule
	if c.Params("id") != "" {
		id, err := handler.IdIn(c)
		if err != nil {
			return err
		}
		if old, err = s.rawSchedule(c, id); err != nil {
			return err
		}
	}
	form := s.Typed(c)
	sc := scheduleIn(s.Form(c), &form)
	sc.ID = old.ID
	if s.Form(c).Has("keep_code") {
		form.Values["code_unknown"] = "yes"
	} else if sc.Code != old.Code {
		unknown, err := s.Mail.UnknownCodes(c.UserContext(), sc)
		if err != nil {
			return err
		}
		if len(unknown) > 0 {
			form.Fault("code", mail.UnknownCodeWords(unknown)+" Correct it, or keep it anyway.")
			form.Values["code_unknown"] = "yes"
		}
	}
	err := s.SavePlan(&form, sc.ID != 0, &sc.Updated,
		func() error { _, err := s.Mail.CheckSchedule(c.UserContext(), sc); return err },
		func() error { return s.Mail.SaveSchedule(c.UserContext(), sc, s.By(c)) })
	switch {
	case err != nil:
		return err
	case !form.Wrong() && old.ID == 0:
		return backToMail(c, "/summaries", "added")
	case !form.Wrong():
		return backToMail(c, "/summaries", "changed")
	case form.Stale:
		if old, err = s.rawSchedule(c, old.ID); err != nil {
			return err
		}
		form.Compare(scheduleFields(old), templates.ScheduleLabels())
	}
	c.Status(form.Status())
	return s.showSchedule(c, old, form)
}

// usualCoin stands beside amounts that are not given.
const usualCoin affiliate.Coin = "USDT"

// scheduleFields are the fields of the form of a schedule.
func scheduleFields(sc outbox.Schedule) map[string]string {
	var to []string
	for _, r := range sc.Recipients {
		to = append(to, r.Address)
	}
	fields := map[string]string{
		"name": sc.Name, "every": sc.Every, "at": fmt.Sprintf("%02d:%02d", sc.Hour, sc.Minute), "zone": sc.Zone,
		"version": strconv.FormatInt(int64(sc.Updated), 10),
		"weekday": strconv.Itoa(int(sc.Weekday)), "month_day": strconv.Itoa(sc.MonthDay), "deadline": strconv.Itoa(sc.Deadline),
		"recipients": strings.Join(to, "\n"), "account": string(sc.Account), "product": string(sc.Product), "coin": string(sc.Coin), "code": sc.Code,
		"skip_below": string(sc.SkipBelow), "skip_coin": string(cmp.Or(sc.SkipCoin, usualCoin)), "correct_above": string(sc.CorrectAbove), "correct_coin": string(cmp.Or(sc.CorrectCoin, usualCoin)),
	}
	for name, on := range map[string]bool{"attach_csv": sc.AttachCSV, "attach_xlsx": sc.AttachXLSX, "skip_empty": sc.SkipEmpty} {
		if on {
			fields[name] = "yes"
		}
	}
	sections := sc.Sections
	if len(sections) == 0 {
		sections = mail.Sections()
	}
	for _, name := range sections { // that there are none ticks nothing
		fields["section-"+name] = "yes"
	}
	return fields
}

// scheduleIn reads the fields of a form. What cannot be read at all is a fault
// of it; the rest is judged where schedules are.
func scheduleIn(fields url.Values, form *ui.Form) outbox.Schedule {
	text := func(name string) string { return strings.TrimSpace(fields.Get(name)) }
	number := func(name, problem string) int {
		n, err := strconv.Atoi(text(name))
		if err != nil {
			form.Fault(name, problem)
		}
		return n
	}
	sc := outbox.Schedule{
		Name: text("name"), Every: text("every"), Zone: text("zone"), Account: affiliate.Account(text("account")), Product: affiliate.Product(text("product")),
		Coin: affiliate.Coin(text("coin")), Code: text("code"), Updated: handler.VersionIn(fields, form), AttachCSV: fields.Has("attach_csv"), AttachXLSX: fields.Has("attach_xlsx"), SkipEmpty: fields.Has("skip_empty"),
		Weekday: time.Weekday(number("weekday", "Choose a day of the week.")), MonthDay: number("month_day", "Give a day from 1 to 31."),
		Deadline: number("deadline", "Give a number of hours."),
	}
	at, err := time.Parse("15:04", text("at"))
	if err != nil {
		form.Fault("at", "Give a time of the day, such as 07:30.")
	}
	sc.Hour, sc.Minute = at.Hour(), at.Minute()
	sc.SkipBelow, sc.SkipCoin = amountIn(text("skip_below"), text("skip_coin"))
	sc.CorrectAbove, sc.CorrectCoin = amountIn(text("correct_above"), text("correct_coin"))
	sc.Sections = sectionsIn(fields)
	for _, address := range addressesIn(fields.Get("recipients")) {
		sc.Recipients = append(sc.Recipients, outbox.Recipient{Address: address})
	}
	return sc
}

// addressesIn are the addresses of a field, one on a line or with commas or
// spaces between. What has a name or other words in it stays whole, to be refused
// as it is.
func addressesIn(text string) (list []string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\r\n,;", r) }) {
		words := strings.Fields(part)
		if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(word, "@") || strings.Contains(word, "<") }) {
			words = []string{strings.TrimSpace(part)}
		}
		list = append(list, words...)
	}
	return list
}

// amountIn is an amount with its coin. A coin beside an empty amount stands in
// the form for the next one, and says nothing.
func amountIn(amount, coin string) (affiliate.Number, affiliate.Coin) {
	if amount == "" {
		return "", ""
	}
	return affiliate.Number(amount), affiliate.Coin(coin)
}

// sectionsIn are the sections that are chosen: none where all are, so that what
// comes later is in it too.
func sectionsIn(fields url.Values) []string {
	var chosen []string
	for _, name := range mail.Sections() {
		if fields.Has("section-" + name) {
			chosen = append(chosen, name)
		}
	}
	switch len(chosen) {
	case 0:
		return []string{mail.SectionNone}
	case len(mail.Sections()):
		return nil
	}
	return chosen
}
