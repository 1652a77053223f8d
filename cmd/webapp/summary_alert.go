package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
)

// summaryAlert manages the alerts.
type summaryAlert struct {
	Add    alertAdd  `cmd:"" help:"Tell of something by mail as soon as it happens."`
	List   alertList `cmd:"" help:"List the alerts, and what they hold back."`
	Pause  alertName `cmd:"" help:"Tell nothing of an alert until it is resumed."`
	Resume alertName `cmd:"" help:"Go on with an alert, with what happens from now on."`
	Remove alertName `cmd:"" help:"End an alert for good; the log of it stays."`
}

func withHours(a *findings.Alert) bool   { return a.Hours > 0 }
func withPercent(a *findings.Alert) bool { return a.Percent > 0 }
func withAmount(a *findings.Alert) bool  { return a.Amount != "" }
func withCoin(a *findings.Alert) bool    { return a.Coin != "" }

// vocabulary is what the help of flags says of the kinds of findings.
func vocabulary() kong.Option {
	of := func(has func(*findings.Alert) bool) string { return phrase.Listed(findings.AlertNames(has)) }
	usual := func(number func(*findings.Alert) int) string {
		var list []string
		for _, a := range findings.Alerts() {
			if n := number(a); n > 0 {
				list = append(list, fmt.Sprintf("%d of %s", n, a.Name))
			}
		}
		if len(list) == 1 {
			list[0], _, _ = strings.Cut(list[0], " ")
		}
		return strings.Join(list, ", ")
	}
	var watched []string
	for _, a := range findings.Alerts() {
		watched = append(watched, a.Name+" ("+a.Help+")")
	}
	words := strings.NewReplacer(
		"${watches}", strings.Join(findings.AlertNames(nil), ","), "${watched}", strings.Join(watched, ", "),
		"${usual_hours}", usual(func(a *findings.Alert) int { return a.Hours }),
		"${usual_percent}", usual(func(a *findings.Alert) int { return a.Percent }),
		"${with_percent}", of(withPercent), "${with_amount}", of(withAmount), "${with_coin}", of(withCoin),
		"${with_segment}", of(func(a *findings.Alert) bool { return a.Segments }), "${with_user}", of(func(a *findings.Alert) bool { return a.Users }),
		"${events}", strings.Join(findings.EventNames(), ", "),
	)
	return kong.PostBuild(func(k *kong.Kong) error {
		return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
			if flag, ok := node.(*kong.Flag); ok {
				flag.Help, flag.Enum = words.Replace(flag.Help), words.Replace(flag.Enum)
			}
			return next(nil)
		})
	})
}

type alertAdd struct {
	Alert   string   `required:"" field:"name" placeholder:"NAME" help:"Name of the alert."`
	Watch   string   `required:"" field:"watches" enum:"${watches}" placeholder:"WHAT" help:"What is told: ${watched}."`
	To      []string `field:"recipients" placeholder:"ADDRESS" sep:"none" help:"Who is told; may be repeated. Each gets a message of their own."`
	Channel []string `placeholder:"NAME" sep:"none" help:"Channel that is told; may be repeated. webapp channel list shows them."`
	Hours   int      `placeholder:"N" help:"How long it must last. Default: ${usual_hours}."`
	Below   int      `field:"percent" placeholder:"PERCENT" help:"Of ${with_percent}: percent of the usual commission. Default: ${usual_percent}."`
	Above   string   `field:"amount" placeholder:"AMOUNT" help:"Of ${with_amount}: the amount, such as \"100 USDT\"."`
	Coin    string   `placeholder:"CODE" help:"Of ${with_coin}: only this coin."`
	Account string   `placeholder:"NAME" help:"Only this account."`
	Segment string   `placeholder:"NAME" help:"Of ${with_segment}: only the invitees of this segment."`
	AsUser  string   `name:"as" field:"as_user" placeholder:"USER" help:"Of ${with_user}: only the invitees to whom this user is bound."`
	Quiet   string   `placeholder:"FROM-TO" help:"Time of day at which nothing is sent, such as 22:00-07:00: it is told at its end."`
	Zone    string   `placeholder:"ZONE" help:"Time zone of --quiet. Default: the reporting zone."`
	Apart   int      `placeholder:"HOURS" help:"At most one mail in so many hours: what happens meanwhile is in the next one."`
}

// Run stores the alert.
func (c *alertAdd) Run(ctx context.Context, p *program) error {
	if err := c.check(p.clock()); err != nil {
		return err
	}
	return p.withMail(ctx, true, func(d summaryWork) error {
		channels, err := d.channels(ctx, c.Channel)
		if err != nil {
			return err
		}
		a, err := c.alert(d.cfg.Timezone, channels)
		if err != nil {
			return err
		}
		return d.save(ctx, p, a)
	})
}

// check checks the flags without opening the database.
func (c *alertAdd) check(now time.Time) error {
	_, err := c.alert(time.UTC, standIns(c.Channel))
	return errors.Join(err, checkPlan(c.Alert, c.AsUser, c.Account, c.Channel), checkFilters(now, map[string]string{"coin": c.Coin, "segment": c.Segment}))
}

// alert returns the alert of the command line; zone is the reporting zone, and channels are
// recipients that are channels.
func (c *alertAdd) alert(zone *time.Location, channels []string) (a outbox.Subscription, err error) {
	a = outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindAlert}, Name: c.Alert, Watches: c.Watch, Account: affiliate.Account(c.Account), Segment: c.Segment, AsUser: c.AsUser, Hours: c.Hours, Percent: c.Below, Apart: c.Apart, Zone: c.Zone}
	if a.Zone == "" {
		a.Zone = zone.String()
	}
	if err := c.fits(); err != nil {
		return a, err
	}
	about := findings.AlertKind(c.Watch).Alert // the parser takes no other
	a.Hours, a.Percent = cmp.Or(a.Hours, about.Hours), cmp.Or(a.Percent, about.Percent)
	if a.Amount, a.Coin, err = amountOf("--above", c.Above); err != nil {
		return a, err
	}
	if c.Coin != "" {
		a.Coin = affiliate.Coin(c.Coin)
	}
	if a.QuietFrom, a.QuietUntil, err = mail.ParseQuiet(c.Quiet); err != nil {
		return a, usage("--quiet: %s", err)
	}
	a.Recipients = outbox.Recipients(slices.Concat(c.To, channels))
	_, err = mail.ParseAlert(a)
	return a, misused(err)
}

// fits rejects flags that do not apply to the watched figure, because they would be
// ignored.
func (c *alertAdd) fits() error {
	for _, flag := range []struct {
		name  string
		given bool
		fits  func(*findings.Alert) bool
	}{
		{"--hours", c.Hours != 0, withHours}, {"--below", c.Below != 0, withPercent}, {"--above", c.Above != "", withAmount}, {"--coin", c.Coin != "", withCoin},
	} {
		if names := findings.AlertNames(flag.fits); flag.given && !slices.Contains(names, c.Watch) {
			return usage("%s goes with --watch %s, not with %s", flag.name, strings.Join(names, " and "), c.Watch)
		}
	}
	return nil
}

type alertList struct{}

// Run prints a line for each alert.
func (c *alertList) Run(ctx context.Context, p *program) error {
	return p.withMail(ctx, false, func(d summaryWork) error {
		list, err := d.AlertStates(ctx)
		if err != nil {
			return err
		}
		return printTable(p, "NAME\tWATCHES\tACCOUNT\tRECIPIENTS\tQUIET\tLAST TOLD (UTC)\tSTATE\tCHANGED", list, func(a mail.AlertState) string {
			told := "never"
			if a.Told.Known() {
				told = moment(a.Told.Time())
			}
			return strings.Join([]string{a.Name, strings.ReplaceAll(a.Words, "\u00a0", " "), dash(string(a.Account)), recipientList(a.Recipients), dash(mail.QuietWords(a.Subscription)), told, alertState(a), a.Updated.String()}, "\t")
		})
	})
}

func alertState(a mail.AlertState) string {
	switch {
	case a.Problem != "":
		return "cannot be used: " + a.Problem
	case a.Paused.Known():
		return "paused"
	case len(a.Waiting) > 0 && a.Held != "":
		return fmt.Sprintf("holds back %d until %s: %s", len(a.Waiting), moment(a.Until), a.Held)
	}
	return "active"
}

// alertName names one alert.
type alertName struct {
	Alert    string `required:"" placeholder:"NAME" help:"Name of the alert."`
	seenFlag `embed:""`
}

// Run makes the change that the command is named after.
func (c alertName) Run(ctx context.Context, p *program, k *kong.Context) error {
	return change(ctx, p, outbox.KindAlert, c.Alert, c.Seen, k.Selected().Name)
}
