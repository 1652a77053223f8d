package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/dispatch"
	"rebatedesk/exchange/known"
	"rebatedesk/mail"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/reports/query"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// mailLabel derives the key of the links in mails.
const mailLabel = "links of mails"

// summaryCommand sends summaries manually and manages schedules and alerts.
type summaryCommand struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.MailFlags     `embed:"" group:"settings"`
	config.ReportFlags   `embed:"" group:"settings"`
	config.PublicURLFlag `embed:"" group:"settings"`
	config.MasterKeyFlag `embed:"" group:"settings"`

	config.ReachFlags `embed:"" group:"settings"`

	Preview  summaryPreview  `cmd:"" help:"Print the message of a summary as it would be sent now."`
	Send     summarySend     `cmd:"" help:"Send a summary now and wait until the mail server has it."`
	Schedule summarySchedule `cmd:"" help:"Keep the schedules of summaries that are sent by webapp serve."`
	Alert    summaryAlert    `cmd:"" help:"Keep the alerts that webapp serve sends as soon as something happens."`
}

// newMail creates the mail service. Without a key, mails have no links.
func newMail(cfg config.Config, st *store.Store, key secret.MasterKey, log *slog.Logger) *mail.Service {
	options := mail.Options{
		Store: st, Reports: newReports(cfg, st), Now: cfg.Now, From: cfg.Mail.From, PublicURL: cfg.PublicURL, Log: log,
		Server: cfg.Mail.MailServer(), Reach: cfg.Reach,
	}
	if key.Given() {
		options.Key, options.Box = key.Derive(mailLabel), key.Box()
	}
	return mail.New(options)
}

// newReports creates the service of reports.
func newReports(cfg config.Config, st *store.Store) *reports.Service {
	service := reports.New(st, cfg.Now)
	service.SetPayoutRule(cfg.PayoutRule)
	service.Sheets = known.ByName()
	service.Letterhead, service.InactivityLimit, service.BalanceTolerance = cfg.Letterhead, cfg.InactivityLimit, cfg.BalanceTolerance
	return service
}

// summaryWork is the environment of the summary commands.
type summaryWork struct {
	*mail.Service
	store *store.Store
	cfg   config.Config
	by    audit.Line
}

// needMail are the settings that commands about mails and channels read.
const needMail = config.NeedStore | config.NeedMail | config.NeedWeb | config.NeedMasterKey | config.NeedReports

// withMail runs f with the mail service. Changes are written to the audit log,
// which needs the master key.
func (p *program) withMail(ctx context.Context, changes bool, f func(summaryWork) error) error {
	work := func(o opened, key secret.MasterKey) error {
		return sentence(f(summaryWork{newMail(o.cfg, o.store, key, o.log), o.store, o.cfg, operatorAudit()}))
	}
	if changes {
		return p.withKey(ctx, needMail, database.OpenExisting, work)
	}
	return p.withStore(ctx, needMail, database.OpenExisting, func(o opened) error {
		key, _, err := database.FindKey(o.cfg)
		if err := errors.Join(err, database.UseKeyAtHand(ctx, o.cfg, o.store)); err != nil {
			return err
		}
		return work(o, key)
	})
}

// summaryTarget selects a summary.
type summaryTarget struct {
	Schedule string   `placeholder:"NAME" help:"That of a schedule: its newest period that is over, or the one of --date."`
	Period   string   `enum:",daily,weekly,monthly" default:"" placeholder:"PERIOD" help:"One of no schedule: daily, weekly or monthly."`
	Date     string   `placeholder:"DAY" help:"A day of the period. Default: of the newest that is over."`
	To       []string `placeholder:"ADDRESS" sep:"none" help:"Who gets it; may be repeated. Default: the recipients of the schedule."`
	Account  string   `placeholder:"NAME" help:"With --period: only this account."`
}

// check checks the flags without opening the database.
func (c summaryTarget) check(toRequired bool) error {
	switch {
	case (c.Schedule == "") == (c.Period == ""):
		return usage("say which summary: --schedule NAME, or --period daily|weekly|monthly with --to ADDRESS")
	case c.Schedule != "" && c.Account != "":
		return usage("--account goes with --period: a schedule has its own account")
	case c.Schedule == "" && toRequired && len(c.To) == 0:
		return usage("say who gets it: --to ADDRESS, which may be repeated")
	}
	if c.Schedule != "" {
		if err := checkName("--schedule", c.Schedule); err != nil {
			return err
		}
	}
	if c.Date != "" {
		if err := checkDay("--date", c.Date); err != nil {
			return err
		}
	}
	return errors.Join(checkAccount("--account", c.Account), checkAddresses(c.To))
}

// checkAddresses checks the recipients.
func checkAddresses(to []string) error {
	for _, address := range to {
		if _, err := mailer.ParseAddress(address); err != nil {
			return usage("--to: %w", sentence(err))
		}
	}
	return nil
}

// find returns the selected schedule, period and recipients.
func (c summaryTarget) find(ctx context.Context, d summaryWork, toRequired bool) (sc mail.Schedule, p dispatch.Period, to []string, err error) {
	switch {
	case c.Schedule != "":
		sc, err = d.Service.Schedule(ctx, c.Schedule)
	default:
		sc, err = mail.AdHoc(dispatch.Every(c.Period), affiliate.Account(c.Account))
	}
	if err != nil {
		return sc, p, nil, err
	}
	if p, err = c.period(d, sc); err != nil {
		return sc, p, nil, err
	}
	to = c.To
	if len(to) == 0 {
		to = sc.Active()
	}
	if len(to) == 0 && toRequired {
		return sc, p, nil, usage("say who gets it: --to ADDRESS, which may be repeated")
	}
	to = slices.Clone(to)
	for i := range to {
		if to[i], err = mail.ParseRecipient(to[i]); err != nil {
			return sc, p, nil, usage("%s", err)
		}
	}
	return sc, p, to, nil
}

// period returns the period that contains --date.
func (c summaryTarget) period(d summaryWork, sc mail.Schedule) (dispatch.Period, error) {
	every := dispatch.Every(sc.Every)
	today := affiliate.DayOf(d.cfg.Clock(), d.cfg.Timezone)
	if c.Date == "" {
		return every.Of(today).Previous(), nil
	}
	day, err := affiliate.ParseDay(c.Date)
	if err != nil {
		return dispatch.Period{}, err
	}
	p := every.Of(day)
	if p.First > today {
		return p, usage("the period of --date %s has not begun", c.Date)
	}
	return p, nil
}

type summaryPreview struct {
	summaryTarget `embed:""`
}

// Run prints the message of the first recipient.
func (c *summaryPreview) Run(ctx context.Context, p *program) error {
	if err := c.check(false); err != nil {
		return err
	}
	return p.withMail(ctx, false, func(d summaryWork) error {
		sc, period, to, err := c.find(ctx, d, false)
		if err != nil {
			return err
		}
		content, err := d.Service.Preview(ctx, sc, period, append(to, "recipient@example.com")[0])
		if err != nil {
			return parameter(err)
		}
		_, err = p.stdout.Write(content)
		return err
	})
}

type summarySend struct {
	summaryTarget `embed:""`
	Partial       bool `help:"Send it even when the period is not collected completely."`
	Again         bool `help:"Send it even to who got it already."`
}

// Run sends the summary to each recipient. It exits with 3 if the period is not
// collected completely.
func (c *summarySend) Run(ctx context.Context, p *program) error {
	if err := c.check(true); err != nil {
		return err
	}
	return p.withMail(ctx, true, func(d summaryWork) error {
		sc, period, to, err := c.find(ctx, d, true)
		if err != nil {
			return err
		}
		ready, err := d.Prepare(ctx, sc, period, to, mail.SendOptions{Partial: c.Partial, Again: c.Again})
		if missing, ok := errors.AsType[*mail.IncompleteError](err); ok {
			return &incompleteError{append(missing.Missing, "the summary was not sent: collect first, or send it with --partial")}
		}
		if sent, ok := errors.AsType[*mail.SentError](err); ok {
			return fmt.Errorf("%w: send it once more with --again", sent)
		}
		if err != nil {
			return parameter(err)
		}
		// Logged first: some recipients may get the mail even if others do not.
		d.by.Action, d.by.Object = "summary sent", period.Label(d.cfg.Timezone)
		d.by.Detail = fmt.Sprintf("%d recipients", len(to))
		if err := audit.Write(ctx, d.store, d.by); err != nil {
			return err
		}
		return ready.Send(ctx)
	})
}

// parameter turns an invalid query into a usage error.
func parameter(err error) error {
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		return usage("%w", wrong)
	}
	return err
}
