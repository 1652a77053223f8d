package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// summarySchedule manages the schedules.
type summarySchedule struct {
	Add    scheduleAdd  `cmd:"" help:"Send a summary again and again."`
	List   scheduleList `cmd:"" help:"List the schedules."`
	Pause  scheduleName `cmd:"" help:"Send nothing of a schedule until it is resumed."`
	Resume scheduleName `cmd:"" help:"Go on with a schedule, from its next period on."`
	Remove scheduleName `cmd:"" help:"End a schedule for good; the log of it stays."`
}

type scheduleAdd struct {
	Schedule string   `required:"" field:"name" placeholder:"NAME" help:"Name of the schedule."`
	Period   string   `required:"" field:"every" enum:"daily,weekly,monthly" placeholder:"PERIOD" help:"daily, weekly or monthly."`
	To       []string `field:"recipients" placeholder:"ADDRESS" sep:"none" help:"Who gets it; may be repeated. Each gets a message of their own."`
	Channel  []string `placeholder:"NAME" sep:"none" help:"Channel that gets it; may be repeated. webapp channel list shows them."`
	At       string   `default:"07:00" placeholder:"HH:MM" help:"When it is sent. Default: ${default}."`
	Zone     string   `placeholder:"ZONE" help:"Time zone of --at. Default: the reporting zone."`
	Weekday  string   `default:"monday" placeholder:"DAY" help:"Day of weekly ones. Default: ${default}."`
	Day      int      `default:"1" field:"month_day" placeholder:"N" help:"Day of the month of monthly ones, the last one where the month is shorter. Default: ${default}."`

	Account  string   `placeholder:"NAME" help:"Only this account."`
	Product  []string `placeholder:"TYPE" help:"Only SPOT or FUTURES; may be repeated."`
	Coin     []string `placeholder:"CODE" help:"Only this coin; may be repeated."`
	Code     []string `placeholder:"CODE" sep:"none" help:"Only this invite code; may be repeated."`
	Segment  string   `placeholder:"NAME" help:"Only the invitees of this segment."`
	AsUser   string   `name:"as" field:"as_user" placeholder:"USER" help:"Only the invitees to whom this user is bound."`
	KeepCode bool     `help:"Take an invite code that no invitee has yet."`
	Section  []string `field:"sections" placeholder:"NAME" help:"A section besides the cards; may be repeated. none: the cards only. Default: attention, chart, payments and worklist."`
	CSV      bool     `name:"csv" help:"Attach the sums of each day as CSV."`
	XLSX     bool     `name:"xlsx" help:"Attach the sums of each day as a workbook."`

	SkipEmpty    bool   `help:"Send nothing where there is no commission."`
	SkipBelow    string `placeholder:"AMOUNT" help:"Send nothing below this commission, such as \"100 USDT\"."`
	Deadline     int    `default:"12" placeholder:"HOURS" help:"Hours after --at until it is sent incomplete, marked as such. Default: ${default}."`
	CorrectAbove string `placeholder:"AMOUNT" help:"Send a correction once the commission has moved by more than this, such as \"5 USDT\"."`
}

// Run stores the schedule.
func (c *scheduleAdd) Run(ctx context.Context, p *program) error {
	if err := c.check(p.clock()); err != nil {
		return err
	}
	return p.withMail(ctx, true, func(d summaryWork) error {
		channels, err := d.channels(ctx, c.Channel)
		if err != nil {
			return err
		}
		sc, err := c.schedule(d.cfg.Timezone, channels)
		if err != nil {
			return err
		}
		if !c.KeepCode {
			unknown, err := d.UnknownCodes(ctx, sc)
			if err != nil {
				return err
			}
			if len(unknown) > 0 {
				return errors.New(mail.UnknownCodeWords(unknown) + " Correct it, or keep it anyway with --keep-code")
			}
		}
		return d.save(ctx, p, sc)
	})
}

// check checks the flags without opening the database.
func (c *scheduleAdd) check(now time.Time) error {
	_, err := c.schedule(time.UTC, standIns(c.Channel))
	return errors.Join(err, checkPlan(c.Schedule, c.AsUser, c.Account, c.Channel),
		checkFilters(now, map[string]string{"product": strings.Join(c.Product, ","), "coin": strings.Join(c.Coin, ","), "code": strings.Join(c.Code, ","), "segment": c.Segment}))
}

// schedule returns the schedule of the command line; zone is the reporting zone, and channels are
// recipients that are channels.
func (c *scheduleAdd) schedule(zone *time.Location, channels []string) (sc outbox.Subscription, err error) {
	at, err := time.Parse("15:04", c.At)
	if err != nil {
		return sc, usage("--at %q is not a time of day; give one such as 07:30", c.At)
	}
	weekday, known := weekdays[strings.ToLower(c.Weekday)]
	if !known {
		return sc, usage("--weekday %q is no day of the week; give one such as monday", c.Weekday)
	}
	sc = outbox.Subscription{
		Ref: outbox.Ref{Kind: outbox.KindSchedule}, Name: c.Schedule, Every: c.Period, Hour: at.Hour(), Minute: at.Minute(), Zone: c.Zone, Weekday: weekday, MonthDay: c.Day,
		Account: affiliate.Account(c.Account), Product: affiliate.Product(strings.ToUpper(strings.Join(c.Product, ","))),
		Coin: affiliate.Coin(strings.Join(c.Coin, ",")), Code: strings.Join(c.Code, ","), Segment: c.Segment, AsUser: c.AsUser,
		Sections: c.Section, AttachCSV: c.CSV, AttachXLSX: c.XLSX, SkipEmpty: c.SkipEmpty, Deadline: c.Deadline,
	}
	if sc.Zone == "" {
		sc.Zone = zone.String()
	}
	if sc.SkipBelow, sc.SkipCoin, err = amountOf("--skip-below", c.SkipBelow); err != nil {
		return sc, err
	}
	if sc.CorrectAbove, sc.CorrectCoin, err = amountOf("--correct-above", c.CorrectAbove); err != nil {
		return sc, err
	}
	sc.Recipients = outbox.Recipients(slices.Concat(c.To, channels))
	_, err = mail.ParseSchedule(sc)
	return sc, misused(err)
}

var weekdays = func() map[string]time.Weekday {
	days := map[string]time.Weekday{}
	for day := time.Sunday; day <= time.Saturday; day++ {
		days[strings.ToLower(day.String())] = day
		days[strings.ToLower(day.String()[:3])] = day
	}
	return days
}()

// amountOf parses an amount with its coin.
func amountOf(flag, text string) (affiliate.Number, affiliate.Coin, error) {
	if text == "" {
		return "", "", nil
	}
	amount, coin, _ := strings.Cut(strings.TrimSpace(text), " ")
	if coin = strings.TrimSpace(coin); coin == "" {
		return "", "", usage("%s %q is not an amount with its coin; give one such as \"100 USDT\"", flag, text)
	}
	n, err := affiliate.ParseNumber(amount)
	if err != nil {
		return "", "", usage("%s %q is not an amount with its coin; give one such as \"100 USDT\"", flag, text)
	}
	return n, affiliate.Coin(coin), nil
}

type scheduleList struct{}

// Run prints a line for each schedule.
func (c *scheduleList) Run(ctx context.Context, p *program) error {
	return p.withMail(ctx, false, func(d summaryWork) error {
		list, err := d.Subscriptions(ctx, outbox.KindSchedule)
		if err != nil {
			return err
		}
		return printTable(p, "NAME\tPERIOD\tAT\tZONE\tACCOUNT\tRECIPIENTS\tNEXT (UTC)\tCHANGED", list, func(s outbox.Subscription) string {
			next := "paused"
			if sc, err := mail.ParseSchedule(s); err != nil {
				next = "cannot be used: " + err.Error()
			} else if !s.Paused.Known() {
				next = moment(d.NextDue(sc))
			}
			return strings.Join([]string{s.Name, s.Every, fmt.Sprintf("%02d:%02d", s.Hour, s.Minute), s.Zone, dash(string(s.Account)), recipientList(s.Recipients), next, s.Updated.String()}, "\t")
		})
	})
}

// recipientList lists the recipients and marks those who unsubscribed.
func recipientList(recipients []outbox.Recipient) string {
	var names []string
	for _, r := range recipients {
		name := r.Label()
		if r.Stopped.Known() {
			name += " (stopped)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ",")
}

// scheduleName names one schedule.
type scheduleName struct {
	Schedule string `required:"" placeholder:"NAME" help:"Name of the schedule."`
	seenFlag `embed:""`
}

// Run makes the change that the command is named after.
func (c scheduleName) Run(ctx context.Context, p *program, k *kong.Context) error {
	return change(ctx, p, outbox.KindSchedule, c.Schedule, c.Seen, k.Selected().Name)
}

// checkPlan checks what a schedule and an alert have in common, and the rules leave to the database.
func checkPlan(name, asUser, account string, channels []string) error {
	_, err := store.PlanName(name)
	return errors.Join(misused(err), checkAs(asUser), checkChannels(channels), checkAccount("--account", account))
}

// save stores a schedule or an alert, and reports coins that no account has.
func (d summaryWork) save(ctx context.Context, p *program, sub outbox.Subscription) error {
	if err := d.Save(ctx, sub, d.by); err != nil {
		return err
	}
	unknown, err := d.UnknownCoins(ctx, sub)
	if err != nil || len(unknown) == 0 {
		return err
	}
	_, err = fmt.Fprintln(p.stderr, "webapp: warning: "+printable(mail.UnknownCoinWords(unknown)))
	return err
}

// seenFlag is the version that the user saw before the change.
type seenFlag struct {
	Seen string `placeholder:"TIME" help:"Refuse it if somebody changed it after this time: the one that list shows under CHANGED."`
}

func pausedWord(paused bool) string {
	if paused {
		return "paused"
	}
	return "active"
}

// change pauses, resumes or removes the schedule or the alert of a name in the version seen, by default
// the version stored when the command begins. If another user changed it first, the error shows both the
// stored and the requested version.
func change(ctx context.Context, p *program, kind outbox.SubscriptionKind, name, version, act string) error {
	if err := checkName("--"+string(kind), name); err != nil {
		return err
	}
	seen, err := time.Parse(time.RFC3339, version)
	if version != "" && err != nil {
		return usage("--seen %q is not a time; give one such as 2026-09-07T08:30:00.125Z", version)
	}
	return p.withMail(ctx, true, func(d summaryWork) error {
		sub, err := d.Named(ctx, kind, name)
		if err != nil {
			return err
		}
		if version != "" {
			sub.Updated = affiliate.MillisOf(seen)
		}
		wanted := "removed"
		if act == "remove" {
			err = d.Remove(ctx, sub, d.by)
		} else {
			wanted = pausedWord(act == "pause")
			err = d.Pause(ctx, sub, act == "pause", d.by)
		}
		rule, ok := errors.AsType[*store.RuleError](err)
		if !ok || !rule.Stale {
			return err
		}
		now, other := d.Named(ctx, kind, name)
		if other != nil {
			return errors.Join(err, other)
		}
		return &store.RuleError{Stale: true, Problem: fmt.Sprintf("%s Stored now: %s, changed %s. Asked for: %s.",
			rule.Problem, pausedWord(now.Paused.Known()), now.Updated, wanted)}
	})
}
