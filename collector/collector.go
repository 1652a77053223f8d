package collector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/internal/guard"
	"rebatedesk/store"
	"rebatedesk/store/received"
	"rebatedesk/store/records"
)

// Target is one affiliate account to collect for.
type Target struct {
	Name   affiliate.Account
	Source exchange.Source
}

// Options configures a collector.
type Options struct {
	Store    *store.Store
	Accounts []Target         // may be changed later, see [Collector.Use]
	History  time.Duration    // how far back to collect; at least a day
	Every    time.Duration    // pause between scheduled runs
	Log      *slog.Logger     // nil = none
	Now      func() time.Time // of this machine; nil = time.Now
	Market   exchange.Market  // source of coin prices; nil = no prices; changed by Use

	KeepAnswers int // days for which the exchange's answers are kept; 0 = only their fingerprints
}

// Collector reads the exchange into the store. Only one collector works on a database at a
// time.
type Collector struct {
	options  Options
	log      *slog.Logger
	now      func() time.Time
	progress *tracker
	wake     chan struct{} // a run was requested
	after    func(time.Duration) <-chan time.Time
	rates    *rates
	leads    atomic.Bool // this process is the one that collects

	using    sync.Mutex // guards accounts
	accounts []Target   // of the next run; the slice is replaced, never changed

	busy      sync.Mutex // held by a run; guards the fields below
	standings map[affiliate.Account]*standing
}

// New returns a collector. It reads nothing yet.
func New(o Options) *Collector {
	c := &Collector{
		options: o, log: o.Log, now: o.Now, wake: make(chan struct{}, 1),
		after: time.After, standings: map[affiliate.Account]*standing{},
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.now == nil {
		c.now = time.Now
	}
	c.progress = &tracker{now: c.now, failures: map[affiliate.Account]*Failure{}}
	c.rates = newRates(o, c.log, c.now)
	c.Use(o.Accounts, o.Market)
	return c
}

// Use sets the accounts of the runs that begin from now on, and the source of coin prices
// (nil: none). A run in progress keeps the accounts with which it began. Use may be called
// at any time.
func (c *Collector) Use(accounts []Target, market exchange.Market) {
	c.using.Lock()
	defer c.using.Unlock()
	c.accounts = slices.Clone(accounts)
	c.progress.only(accounts)
	c.rates.use(market)
}

func (c *Collector) inUse() []Target {
	c.using.Lock()
	defer c.using.Unlock()
	return c.accounts
}

// RunRequest says what a run reads. The zero RunRequest covers everything not yet
// collected, recent days again, and older days that are due for another read, of all
// accounts and streams.
type RunRequest struct {
	Cause   string                 // for the log: "command", "schedule", "button"
	Account affiliate.Account      // empty = all
	Kinds   []affiliate.StreamKind // empty = all
	Since   affiliate.Day          // everything from this day on, whatever is covered; 0 = no such day
	Within  time.Duration          // stop after that long, leaving the rest for the next run; 0 = no limit

	// Scheduled runs start several times an hour: only the first of each hour reads what is
	// due hourly.
	Scheduled bool
}

// streams returns what the run reads of what an exchange gives.
func (r RunRequest) streams(of *exchange.Sheet) (list []affiliate.Stream) {
	for _, s := range of.Streams {
		if len(r.Kinds) == 0 || slices.Contains(r.Kinds, s.Kind) {
			list = append(list, s.Stream)
		}
	}
	return list
}

// never is a day later than every record.
const never = affiliate.Day(1 << 30)

// Collect makes one run. An error means that a run ended early: a wrong key, a database
// that rejects the records, an exchange that is down. Other failed reads are listed in the
// report, which is always valid.
func (c *Collector) Collect(ctx context.Context, request RunRequest) (RunReport, error) {
	if !c.busy.TryLock() {
		return RunReport{Incomplete: []Incomplete{}}, store.ErrLocked
	}
	defer c.busy.Unlock()
	ctx, release, err := c.options.Store.Lock(ctx, store.CollectorLease)
	if err != nil {
		return RunReport{Incomplete: []Incomplete{}}, err
	}
	defer func() {
		if err := release(); err != nil {
			c.log.Error("letting go of the collector's lock", "error", err)
		}
	}()
	if request.Since == 0 {
		request.Since = never
	}
	ctx = exchange.WithPriority(ctx, exchange.Collection)
	report := RunReport{Incomplete: []Incomplete{}}
	var errs []error
	asked := slices.DeleteFunc(slices.Clone(c.inUse()), func(a Target) bool { return request.Account != "" && a.Name != request.Account })
	c.progress.open(len(asked))
	defer func() { c.progress.close(report.Postponed && ctx.Err() == nil) }()
	for _, account := range asked {
		err := guard.Do(c.log, "collecting for "+string(account.Name), func() error { return c.collect(ctx, account, request, &report) })
		if err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	c.rates.after(ctx, report)
	if ctx.Err() == nil {
		errs = append(errs, explained(c.prune(ctx)))
	}
	err = errors.Join(errs...)
	report.Complete = err == nil && len(report.Incomplete) == 0 && !report.Postponed
	return report, err
}

// prune deletes the exchange's answers whose time is over.
func (c *Collector) prune(ctx context.Context) error {
	n, err := received.Prune(ctx, c.options.Store, affiliate.MillisOf(c.now()), c.options.KeepAnswers)
	if n > 0 {
		c.log.Info("old answers of the exchange deleted", "slices", n)
	}
	return err
}

// collect runs over one account and always closes the log of the run, even if ctx has
// ended.
func (c *Collector) collect(ctx context.Context, account Target, request RunRequest, report *RunReport) error {
	id, err := records.StartRun(ctx, c.options.Store, account.Name, request.Cause)
	if err != nil {
		return explained(err)
	}
	r := &run{Collector: c, account: account, id: id, request: request, before: account.Source.Usage(), report: report}
	r.standing = c.standing(account.Name)
	r.probing = r.standing.outages > 0
	defer c.progress.end()
	cause := ""
	err = explained(r.do(ctx))
	if ctx.Err() == nil {
		r.standing.ended(err, r.read, c.now())
	}
	report.outages = max(report.outages, r.standing.outages)
	if r.plan != nil {
		r.standing.turn = r.plan.turn
	}
	if err != nil {
		cause = told(err)
		if ctx.Err() != nil {
			cause = records.RunStopped
		} else if !errors.Is(err, store.ErrSuperseded) {
			c.progress.failed(err)
		}
		if r.plan != nil {
			why := err.Error()
			if cause == records.RunStopped {
				why = cause
			}
			report.Incomplete = append(report.Incomplete, r.notReached(why)...)
		}
	}
	if cause != "" && ctx.Err() == nil {
		r.tellReadTo(ctx)
	}
	usage := account.Source.Usage()
	requests, weight := int64(usage.Requests-r.before.Requests), int64(usage.Weight-r.before.Weight)
	report.Requests += requests
	report.Weight += weight
	return errors.Join(err, explained(records.FinishRun(context.WithoutCancel(ctx), c.options.Store, id, requests, weight, cause)))
}

// told is a failure as it is stored: in the words of those who read figures, with advice, and in
// the next line what exactly happened. One that is not the exchange's has one line.
func told(cause error) string {
	exact := affiliate.OneLine(cause.Error())
	words := exchange.ClassOf(cause).Words()
	if words == "" {
		return exact
	}
	words += "."
	if e, ok := errors.AsType[*exchange.Error](cause); ok && e.Hint != "" {
		words += " " + strings.ToUpper(e.Hint[:1]) + e.Hint[1:] + "."
	}
	return strings.ToUpper(words[:1]) + words[1:] + "\n" + exact
}

// tellReadTo notes for those who read of the failure how far the newest commission was read.
func (r *run) tellReadTo(ctx context.Context) {
	tx, err := r.options.Store.Read(ctx)
	if err == nil {
		var at affiliate.Millis
		if at, err = records.NewestReadOf(ctx, tx, affiliate.Commissions, r.account.Name); err == nil {
			r.progress.readTo(r.account.Name, at)
		}
		err = errors.Join(err, tx.Close())
	}
	if err != nil {
		r.log.Warn("how far the account was read is not known", "account", r.account.Name, "error", err)
	}
}

// standing returns what the previous run left for the next run over the account.
func (c *Collector) standing(name affiliate.Account) *standing {
	if c.standings[name] == nil {
		c.standings[name] = &standing{}
	}
	return c.standings[name]
}

// explained prefixes an error of the database with advice on how to fix it.
func explained(err error) error {
	if mend := store.Hint(err); mend != "" {
		return fmt.Errorf("%s: %w", mend, err)
	}
	return err
}

// Progress returns how far the current run is, or how the last one ended.
func (c *Collector) Progress() Progress {
	p := c.progress.get()
	p.Now = c.now()
	p.NoAccount, p.Several = len(c.inUse()) == 0, len(c.inUse()) > 1
	return p
}
