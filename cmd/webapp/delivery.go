package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/delivery"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// deliveryCommand keeps the scheduled deliveries.
type deliveryCommand struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.ReportFlags   `embed:"" group:"settings"`
	config.DeliveryFlags `embed:"" group:"settings"`

	config.AllowedHostsFlag `embed:"" group:"settings"`

	config.MasterKeyFlag `embed:"" group:"settings"`

	Add    deliveryAdd    `cmd:"" help:"Deliver an export again and again: webapp serve does it."`
	List   deliveryList   `cmd:"" help:"List the scheduled deliveries."`
	Log    deliveryLog    `cmd:"" help:"List what one has delivered, newest first."`
	Run    deliveryRun    `cmd:"" help:"Deliver a period now and wait for the result."`
	Pause  deliveryChange `cmd:"" help:"Deliver nothing until it is resumed."`
	Resume deliveryChange `cmd:"" help:"Go on, with the next period that is due."`
	Remove deliveryChange `cmd:"" help:"End a scheduled delivery for good; its files and its log stay."`
}

// newDeliveries creates the service of scheduled deliveries.
func newDeliveries(cfg config.Config, st *store.Store, log *slog.Logger) *delivery.Service {
	return delivery.New(delivery.Options{Store: st, Reports: newReports(cfg, st), Destinations: cfg.Carriers(), Now: cfg.Now, Log: log})
}

// deliveryWork is the environment of the delivery commands.
type deliveryWork struct {
	*delivery.Service
	cfg config.Config
	by  audit.Line
}

// withDeliveries runs f with the scheduled deliveries. Changes are written to the audit log, which
// needs the master key.
func (p *program) withDeliveries(ctx context.Context, changes bool, f func(deliveryWork) error) error {
	const need = config.NeedStore | config.NeedReports | config.NeedDelivery | config.NeedMasterKey
	work := func(o opened) error {
		err := f(deliveryWork{newDeliveries(o.cfg, o.store, o.log), o.cfg, operatorAudit()})
		if _, misused := errors.AsType[*usageError](err); misused {
			return err
		}
		return sentence(err)
	}
	if changes {
		return p.withKey(ctx, need, database.OpenExisting, func(o opened, _ secret.MasterKey) error { return work(o) })
	}
	return p.withStore(ctx, need, database.OpenExisting, work)
}

type deliveryAdd struct {
	Name   string `required:"" placeholder:"NAME" help:"Name of the delivery."`
	Kind   string `required:"" placeholder:"KIND" help:"A kind of webapp export, such as commissions."`
	Format string `default:"csv" placeholder:"FORMAT" help:"csv, xlsx, jsonl or parquet. Default: ${default}."`
	Every  string `required:"" placeholder:"PERIOD" help:"day, week (from Monday) or month: the period before, in the reporting zone."`
	At     string `default:"06:00" placeholder:"HH:MM" help:"When it is delivered, in the reporting zone. Default: ${default}."`
	To     string `required:"" placeholder:"URL" help:"file:///folder, s3://bucket/prefix or sftp://user@host/folder."`

	Content  string `default:"" placeholder:"WHAT" help:"period, whole (everything up to the end of the period) or, of changes, incremental (since the last delivery). Default: period; whole for people and the worklist."`
	Deadline int    `default:"12" placeholder:"HOURS" help:"Hours after --at until a period that is not collected is delivered as an incomplete- file. Default: ${default}."`

	Account string `placeholder:"NAME" help:"Only this account."`
	Product string `placeholder:"TYPE" help:"Only SPOT or FUTURES."`
	Coin    string `placeholder:"CODE" help:"Only this coin."`
	UID     string `name:"uid" placeholder:"UID" help:"Only this invitee or sub-affiliate."`
	Symbol  string `placeholder:"PAIR" help:"Only this trading pair."`
	Source  string `placeholder:"SOURCE" help:"Only direct or sub."`
	Code    string `placeholder:"CODE" help:"Only this invite code."`
	Segment string `placeholder:"NAME" help:"Only the invitees of this segment."`
}

// delivery returns the delivery that the flags describe.
func (c *deliveryAdd) delivery() (d outbox.Delivery, err error) {
	at, err := time.Parse("15:04", c.At)
	if err != nil {
		return d, usage("--at %q is not a time of day; give one such as 06:30", c.At)
	}
	filters := url.Values{}
	for name, value := range map[string]string{"account": c.Account, "product": c.Product, "coin": c.Coin, "uid": c.UID, "symbol": c.Symbol, "source": c.Source, "code": c.Code, "segment": c.Segment} {
		if value != "" {
			filters.Set(name, value)
		}
	}
	return outbox.Delivery{Name: c.Name, Kind: c.Kind, Format: c.Format, Every: c.Every, Hour: at.Hour(), Minute: at.Minute(), Content: c.Content,
		Filters: filters.Encode(), To: c.To, Deadline: c.Deadline}, nil
}

// Run stores the delivery.
func (c *deliveryAdd) Run(ctx context.Context, p *program) error {
	d, err := c.delivery()
	if err == nil {
		_, err = delivery.Check(d, p.clock(), time.UTC)
	}
	_, unnamed := store.PlanName(c.Name)
	// Wrong flags are reported before a database is opened.
	if err := errors.Join(misused(unnamed), misused(err)); err != nil {
		return err
	}
	return p.withDeliveries(ctx, true, func(w deliveryWork) error {
		_, err := w.Save(ctx, d, w.by)
		if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Field == "to" {
			return misused(err)
		}
		return err
	})
}

type deliveryList struct{}

// Run prints a line for each delivery.
func (c *deliveryList) Run(ctx context.Context, p *program) error {
	return p.withDeliveries(ctx, false, func(w deliveryWork) error {
		list, err := w.Deliveries(ctx)
		if err != nil {
			return err
		}
		lasts := map[int64]string{}
		for _, d := range list {
			log, err := w.Files(ctx, d.ID, 0, 1)
			if err != nil {
				return err
			}
			for _, one := range log {
				lasts[d.ID] = fileWords(one)
			}
		}
		return printTable(p, "NAME\tKIND\tFORMAT\tEVERY\tAT\tCONTENT\tFILTERS\tTO\tNEXT (UTC)\tLAST", list, func(d outbox.Delivery) string {
			next := "paused"
			if !d.Paused.Known() {
				next = moment(w.NextDue(d))
			}
			return strings.Join([]string{d.Name, d.Kind, d.Format, d.Every, fmt.Sprintf("%02d:%02d", d.Hour, d.Minute), d.Content, dash(d.Filters), d.To, next, dash(lasts[d.ID])}, "\t")
		})
	})
}

// fileWords says what became of a file.
func fileWords(one outbox.File) string {
	switch {
	case one.State == outbox.Sent || one.State == outbox.Incomplete:
		return string(one.State) + " " + one.File
	case one.Answer != "":
		return string(one.State) + ": " + one.Answer
	}
	return string(one.State)
}

// namedDelivery names one delivery, by the flag or without it.
type namedDelivery struct {
	Delivery string `arg:"" optional:"" name:"delivery" placeholder:"NAME" help:"Name of the delivery."`
	Name     string `placeholder:"NAME" help:"The same as the argument."`
}

// find returns the delivery.
func (c namedDelivery) find(ctx context.Context, w deliveryWork) (outbox.Delivery, error) {
	list, err := w.Deliveries(ctx)
	if err != nil {
		return outbox.Delivery{}, err
	}
	name := cmp.Or(c.Delivery, c.Name)
	for _, d := range list {
		if strings.EqualFold(d.Name, strings.TrimSpace(name)) {
			return d, nil
		}
	}
	return outbox.Delivery{}, &store.RuleError{Problem: fmt.Sprintf("There is no scheduled delivery called %q: webapp delivery list shows them.", name), Missing: true}
}

func (c namedDelivery) check() error {
	switch {
	case c.Delivery == "" && c.Name == "":
		return usage("say which delivery: --name NAME")
	case c.Delivery != "" && c.Name != "" && c.Delivery != c.Name:
		return usage("two names are given, %q and %q: give one", c.Delivery, c.Name)
	}
	if c.Delivery != "" {
		return checkName("<delivery>", c.Delivery)
	}
	return checkName("--name", c.Name)
}

type deliveryLog struct {
	namedDelivery `embed:""`
	Most          int `default:"31" placeholder:"N" help:"How many lines. Default: ${default}."`
}

// Run prints a line for each file.
func (c *deliveryLog) Run(ctx context.Context, p *program) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Most < 1 {
		return usage("--most %d is no number of lines; give 1 or more", c.Most)
	}
	return p.withDeliveries(ctx, false, func(w deliveryWork) error {
		d, err := c.find(ctx, w)
		if err != nil {
			return err
		}
		list, err := w.Files(ctx, d.ID, 0, c.Most)
		if err != nil {
			return err
		}
		return printTable(p, "FROM\tTO\tSTATE\tTRIES\tENDED (UTC)\tAS OF (UTC)\tFILE\tROWS\tBYTES\tSHA-256\tANSWER", list, func(one outbox.File) string {
			return strings.Join([]string{one.Days.First.String(), one.Days.Last.String(), string(one.State), fmt.Sprint(one.Tries), dash(one.Ended.String()), dash(one.AsOf.String()),
				dash(one.File), fmt.Sprint(one.Rows), fmt.Sprint(one.Bytes), dash(one.SHA256), dash(one.Answer)}, "\t")
		})
	})
}

type deliveryRun struct {
	namedDelivery `embed:""`
	Date          string `placeholder:"DAY" help:"A day of the period. Default: of the newest that is over."`
}

// Run delivers a period now.
func (c *deliveryRun) Run(ctx context.Context, p *program) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Date != "" {
		if err := checkDay("--date", c.Date); err != nil {
			return err
		}
	}
	return p.withDeliveries(ctx, true, func(w deliveryWork) error {
		d, err := c.find(ctx, w)
		if err != nil {
			return err
		}
		days := w.NewestPeriod(d)
		if c.Date != "" {
			day, err := affiliate.ParseDay(c.Date)
			if err != nil {
				return err
			}
			if days, err = w.PeriodOver(d, day); err != nil {
				return usage("--date: %w", sentence(err))
			}
		}
		done, failed, err := w.DeliverNow(ctx, d, days, w.by)
		if err := errors.Join(failed, err); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(p.stdout, printable(done.File)); err != nil {
			return err
		}
		if done.State == outbox.Incomplete || !done.Complete {
			return &incompleteError{[]string{fmt.Sprintf("%s to %s is not collected completely: %s was delivered", days.First, days.Last, done.File)}}
		}
		return nil
	})
}

type deliveryChange struct {
	namedDelivery `embed:""`
}

// Run makes the change that the command is named after.
func (c *deliveryChange) Run(ctx context.Context, p *program, k *kong.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	return p.withDeliveries(ctx, true, func(w deliveryWork) error {
		d, err := c.find(ctx, w)
		if err != nil {
			return err
		}
		act := k.Selected().Name
		if act == "remove" {
			return w.Remove(ctx, d, w.by)
		}
		return w.Pause(ctx, d, act == "pause", w.by)
	})
}
