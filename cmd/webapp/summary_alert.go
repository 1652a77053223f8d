package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/store/outbox"
)

// summaryAlert manages the alerts.
type summaryAlert struct {
	Add    alertAdd    `cmd:"" help:"Tell of something by mail as soon as it happens."`
	List   alertList   `cmd:"" help:"List the alerts, and what they hold back."`
	Pause  alertPause  `cmd:"" help:"Tell nothing of an alert until it is resumed."`
	Resume alertResume `cmd:"" help:"Go on with an alert, with what happens from now on."`
	Remove alertRemove `cmd:"" help:"End an alert for good; the log of it stays."`
}

type alertAdd struct {
	Alert   string   `required:"" placeholder:"NAME" help:"Name of the alert."`
	Watch   string   `required:"" enum:"collection,gap,drop,restatement,silence,payment,outstanding,goal,rate" placeholder:"WHAT" help:"What is told: collection (it fails for --hours), gap (a day stays uncollected for --hours), drop (a day brings less than --below percent of the same weekdays), restatement (figures of past days change by more than --above), silence (an invitee falls silent who brought more than --above in 30 days), payment (the exchange does not pay what was earned, pays too little, late or twice), outstanding (more than --above is due and not paid), goal (a goal of the month is out of reach, or reached), rate (commission is paid otherwise than agreed, or a rate that was constant changes)."`
	To      []string `placeholder:"ADDRESS" sep:"none" help:"Who is told; may be repeated. Each gets a message of their own."`
	Channel []string `placeholder:"NAME" sep:"none" help:"Channel that is told; may be repeated. webapp channel list shows them."`
	Hours   int      `placeholder:"N" help:"How long it must last. Default: 3 of collection, 24 of gap."`
	Below   int      `placeholder:"PERCENT" help:"Of drop: percent of the usual commission. Default: 50."`
	Above   string   `placeholder:"AMOUNT" help:"Of restatement, silence and outstanding: the amount, such as \"100 USDT\"."`
	Coin    string   `placeholder:"CODE" help:"Of drop, payment, goal and rate: only this coin."`
	Account string   `placeholder:"NAME" help:"Only this account."`
	Segment string   `placeholder:"NAME" help:"Of drop, restatement, silence, goal and rate: only the invitees of this segment."`
	AsUser  string   `name:"as" placeholder:"USER" help:"Of drop, restatement and silence: only the invitees to whom this user is bound."`
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
	if err := errors.Join(checkName("--alert", c.Alert), checkAs(c.AsUser), checkTo(c.To, c.Channel), checkAccount("--account", c.Account), checkAddresses(c.To),
		checkFilters(now, map[string]string{"coin": c.Coin, "segment": c.Segment})); err != nil {
		return err
	}
	_, err := c.alert(time.UTC, standIns(c.Channel))
	return err
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
	switch {
	case c.Watch == mail.WatchCollection && a.Hours == 0:
		a.Hours = mail.UsualFailing
	case c.Watch == mail.WatchGap && a.Hours == 0:
		a.Hours = mail.UsualMissing
	case c.Watch == mail.WatchDrop && a.Percent == 0:
		a.Percent = mail.UsualPercent
	}
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
	if _, err := mail.ParseAlert(a); err != nil {
		return a, ruled(err)
	}
	return a, nil
}

// fits rejects flags that do not apply to the watched figure, because they would be
// ignored.
func (c *alertAdd) fits() error {
	for _, flag := range []struct {
		name  string
		given bool
		of    []string
	}{
		{"--hours", c.Hours != 0, []string{mail.WatchCollection, mail.WatchGap}},
		{"--below", c.Below != 0, []string{mail.WatchDrop}},
		{"--above", c.Above != "", []string{mail.WatchRestatement, mail.WatchSilence, mail.WatchOutstanding}},
		{"--coin", c.Coin != "", []string{mail.WatchDrop, mail.WatchPayment, mail.WatchGoal, mail.WatchRate}},
	} {
		if flag.given && !slices.Contains(flag.of, c.Watch) {
			return usage("%s goes with --watch %s, not with %s", flag.name, strings.Join(flag.of, " and "), c.Watch)
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

func (c alertName) named() named { return named{outbox.KindAlert, c.Alert, c.seenFlag} }

type alertPause struct {
	alertName `embed:""`
}

// Run pauses the alert.
func (c *alertPause) Run(ctx context.Context, p *program) error { return c.named().pause(ctx, p, true) }

type alertResume struct {
	alertName `embed:""`
}

// Run resumes the alert.
func (c *alertResume) Run(ctx context.Context, p *program) error {
	return c.named().pause(ctx, p, false)
}

type alertRemove struct {
	alertName `embed:""`
}

// Run ends the alert.
func (c *alertRemove) Run(ctx context.Context, p *program) error { return c.named().remove(ctx, p) }
