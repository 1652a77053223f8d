package summaries

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/reports/findings"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
	"rebatedesk/web/templates/ui"
)

// usualCoin is the default coin next to an empty amount.
const usualCoin affiliate.Coin = "USDT"

// fieldsOf returns the fields of the form of a subscription.
func fieldsOf(sub outbox.Subscription) map[string]string {
	var to []string
	chosen := map[string]string{}
	for _, r := range sub.Recipients {
		if id, ok := outbox.ChannelOf(r.Address); ok {
			chosen[templates.ChannelField(id)] = ui.Ticked
			continue
		}
		to = append(to, r.Address)
	}
	fields := map[string]string{"version": ui.VersionText(sub.Updated), "name": sub.Name, "account": string(sub.Account), "coin": string(sub.Coin), "segment": sub.Segment, "as_user": sub.AsUser,
		"zone": sub.Zone, "recipients": strings.Join(to, "\n")}
	maps.Copy(fields, chosen)
	if sub.Kind == outbox.KindAlert {
		alertFields(sub, fields)
	} else {
		scheduleFields(sub, fields)
	}
	return fields
}

func alertFields(a outbox.Subscription, fields map[string]string) {
	maps.Copy(fields, map[string]string{"watches": a.Watches, "hours": strconv.Itoa(a.Hours), "percent": strconv.Itoa(a.Percent), "amount": string(a.Amount), "apart": strconv.Itoa(a.Apart)})
	if a.QuietFrom != a.QuietUntil {
		fields["quiet"] = fmt.Sprintf("%02d:%02d-%02d:%02d", a.QuietFrom/60, a.QuietFrom%60, a.QuietUntil/60, a.QuietUntil%60)
	}
}

func scheduleFields(sc outbox.Subscription, fields map[string]string) {
	maps.Copy(fields, map[string]string{
		"every": sc.Every, "at": fmt.Sprintf("%02d:%02d", sc.Hour, sc.Minute),
		"weekday": strconv.Itoa(int(sc.Weekday)), "month_day": strconv.Itoa(sc.MonthDay), "deadline": strconv.Itoa(sc.Deadline), "product": string(sc.Product), "code": sc.Code,
		"skip_below": string(sc.SkipBelow), "skip_coin": string(cmp.Or(sc.SkipCoin, usualCoin)), "correct_above": string(sc.CorrectAbove), "correct_coin": string(cmp.Or(sc.CorrectCoin, usualCoin)),
	})
	for name, on := range map[string]bool{"attach_csv": sc.AttachCSV, "attach_xlsx": sc.AttachXLSX, "skip_empty": sc.SkipEmpty} {
		if on {
			fields[name] = ui.Ticked
		}
	}
	sections := sc.Sections
	if len(sections) == 0 {
		sections = mail.DefaultSections()
	}
	for _, name := range sections { // the value for no sections ticks none
		fields["section-"+name] = ui.Ticked
	}
}

// typed parses the fields of a form. A value that cannot be parsed is a fault of the
// form; all other rules are checked where subscriptions are.
type typed struct {
	url.Values
	form *ui.Form
}

func (t typed) text(name string) string { return strings.TrimSpace(t.Get(name)) }

func (t typed) number(name, problem string) int {
	n, err := strconv.Atoi(t.text(name))
	if err != nil {
		t.form.Fault(name, problem)
	}
	return n
}

// subscriptionIn reads the fields of a form about an existing subscription, or about a
// new one of its kind.
func subscriptionIn(fields url.Values, old outbox.Subscription, form *ui.Form) outbox.Subscription {
	t := typed{fields, form}
	sub := outbox.Subscription{Ref: old.Ref, Updated: handler.VersionIn(fields, form), Name: t.text("name"), Account: affiliate.Account(t.text("account")),
		Coin: affiliate.Coin(t.text("coin")), Segment: t.text("segment"), AsUser: t.text("as_user"), Zone: t.text("zone"), Recipients: outbox.Recipients(append(addressesIn(fields.Get("recipients")), channelsIn(fields)...))}
	if sub.Kind == outbox.KindAlert {
		sub.Watches = old.Watches
		t.alert(&sub)
	} else {
		t.schedule(&sub)
	}
	return sub
}

func (t typed) alert(a *outbox.Subscription) {
	a.Apart = t.number("apart", "Give a number of hours; 0 sends a mail for each event.")
	if kind := findings.AlertKind(a.Watches); kind != nil {
		if kind.Alert.Hours > 0 {
			a.Hours = t.number("hours", "Give a number of hours.")
		}
		if kind.Alert.Percent > 0 {
			a.Percent = t.number("percent", "Give a percentage.")
		}
		a.Amount = affiliate.Number(t.text("amount"))
	}
	var err error
	if a.QuietFrom, a.QuietUntil, err = mail.ParseQuiet(t.text("quiet")); err != nil {
		t.form.Fault("quiet", "Give two different times of day, such as 22:00-07:00, or leave it empty.")
	}
}

func (t typed) schedule(sc *outbox.Subscription) {
	sc.Every, sc.Product, sc.Code = t.text("every"), affiliate.Product(t.text("product")), t.text("code")
	sc.AttachCSV, sc.AttachXLSX, sc.SkipEmpty = t.Has("attach_csv"), t.Has("attach_xlsx"), t.Has("skip_empty")
	sc.Weekday = time.Weekday(t.number("weekday", "Choose a day of the week."))
	sc.MonthDay = t.number("month_day", "Give a day from 1 to 31.")
	sc.Deadline = t.number("deadline", "Give a number of hours.")
	at, err := time.Parse("15:04", t.text("at"))
	if err != nil {
		t.form.Fault("at", "Give a time of the day, such as 07:30.")
	}
	sc.Hour, sc.Minute = at.Hour(), at.Minute()
	sc.SkipBelow, sc.SkipCoin = amountIn(t.text("skip_below"), t.text("skip_coin"))
	sc.CorrectAbove, sc.CorrectCoin = amountIn(t.text("correct_above"), t.text("correct_coin"))
	sc.Sections = sectionsIn(t.Values)
}

// addressesIn splits the addresses of a field at line breaks, commas or spaces. Text
// with a name or other words stays whole, so that it is refused unchanged.
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

// channelsIn lists the channels that a form chooses, as recipients.
func channelsIn(fields url.Values) (recipients []string) {
	for name := range fields {
		text, ok := strings.CutPrefix(name, templates.ChannelField(0)[:len(templates.ChannelField(0))-1])
		if id, err := strconv.ParseInt(text, 10, 64); ok && err == nil && id > 0 {
			recipients = append(recipients, outbox.ChannelAddress(id))
		}
	}
	slices.Sort(recipients)
	return recipients
}

// amountIn returns an amount with its coin. A coin next to an empty amount is only the
// default of the form and is ignored.
func amountIn(amount, coin string) (affiliate.Number, affiliate.Coin) {
	if amount == "" {
		return "", ""
	}
	return affiliate.Number(amount), affiliate.Coin(coin)
}

// sectionsIn returns the chosen sections, and an empty list if those of a summary are chosen of which nobody
// has chosen any.
func sectionsIn(fields url.Values) []string {
	var chosen []string
	for _, name := range mail.Sections() {
		if fields.Has("section-" + name) {
			chosen = append(chosen, name)
		}
	}
	switch {
	case len(chosen) == 0:
		return []string{mail.SectionNone}
	case len(chosen) == len(mail.DefaultSections()) && !slices.ContainsFunc(chosen, func(name string) bool { return !slices.Contains(mail.DefaultSections(), name) }):
		return nil
	}
	return chosen
}
