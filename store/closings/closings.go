package closings

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Closing is a month that a user closed, for all accounts. Only its reopening is added
// afterwards.
type Closing struct {
	ID       int64
	Month    affiliate.Day    // its first day
	Zone     string           // of its days
	Known    affiliate.Millis // the figures are as of this instant
	Closed   affiliate.Millis // when it was closed
	Actor    string           // who closed it
	Complete bool             // every day was collected and settled
	Proof    []string         // why it was complete, or what was missing: sentences
	Reason   string           // why it was closed incomplete, or a note; empty: none
	// PayoutRule is the setting of that name at the time. Empty: the rule was found in the data.
	PayoutRule string

	Reopened    affiliate.Millis // unknown: the closing is in force
	ReopenedBy  string
	ReopenedWhy string

	Sums []Sum // by account, product, coin and source
}

// InForce reports whether the month was not reopened after this closing.
func (c *Closing) InForce() bool { return !c.Reopened.Known() }

// Sum is a sum of a closed month, exact.
type Sum struct {
	Account affiliate.Account
	Product affiliate.Product
	Coin    affiliate.Coin
	Source  affiliate.Source

	Records                            int64
	affiliate.Summed[affiliate.Number] // unknown: the month was closed before the program knew the amount
}

// sumColumns are the columns of a sum.
var sumColumns = affiliate.SummedFields.InStore("%s")

// Details are the frozen lists of a closing.
type Details struct {
	Coverage []Coverage // by account and stream
	Payments []Payment  // the open lines, by time
	Findings []Finding
}

// Coverage says how completely a stream of an account was collected, in UTC days of
// which a part lies in the month.
type Coverage struct {
	Account   affiliate.Account
	Stream    affiliate.Stream
	Days      int
	Collected int
	Settled   int              // of these, read after the exchange had stopped changing them
	Verified  int              // of these, found the same by two readings in a row
	Failed    int              // the last try failed, and nothing was read before
	Missing   int              // not read
	Beyond    int              // the exchange does not give them
	Read      affiliate.Millis // when the newest reading began; unknown: none
}

// Payment is a line of payments that was open.
type Payment struct {
	Account    affiliate.Account
	Coin       affiliate.Coin
	Kind       string // direct, sub or all
	From, To   affiliate.Millis
	Bill       string // of a payment without a period
	State      string // as in the export of payments
	Earned     affiliate.Number
	Paid       affiliate.Number
	Difference affiliate.Number // paid − earned
}

// Finding is something that was found about the month.
type Finding struct {
	Kind    string            // such as "late" or "removed"
	Account affiliate.Account // empty: all
	Coin    affiliate.Coin
	Records int64
	Amount  affiliate.Number // what happened less what was due, or after less before
	Words   string           // a sentence
}

// MaxReason is the maximum number of characters of a reason.
const MaxReason = 500

// CheckReason returns a reason as it is stored. One that is empty, too long or not one line of
// visible characters is a *[store.RuleError] of the field "reason".
func CheckReason(reason string) (string, error) {
	reason, err := store.CheckLabel("The reason", reason, MaxReason)
	if err != nil {
		return "", &store.RuleError{Problem: err.Error(), Field: "reason"}
	}
	return reason, nil
}

// MonthText names a month as commands and addresses do: 2026-10.
func MonthText(first affiliate.Day) string { return first.Format("2006-01") }

// List lists all closings as known at an instant, where unknown means now: the newest month
// first, and of a month the newest closing first.
func List(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]Closing, error) {
	var w store.Where
	w.Add(`c.id > 0`)
	list, err := readClosings(ctx, r, at, w)
	if err != nil {
		return nil, fmt.Errorf("reading the closed months: %w", err)
	}
	return list, nil
}

// Of lists the closings of a month like [List].
func Of(ctx context.Context, r *store.Tx, month affiliate.Day, at affiliate.Millis) ([]Closing, error) {
	var w store.Where
	w.Add(`c.month = ?`, store.DayText(month))
	list, err := readClosings(ctx, r, at, w)
	if err != nil {
		return nil, fmt.Errorf("reading the closings of %s: %w", MonthText(month), err)
	}
	return list, nil
}

func readClosings(ctx context.Context, r *store.Tx, at affiliate.Millis, w store.Where) ([]Closing, error) {
	if at.Known() {
		w.Add(`c.closed_ms <= ?`, int64(at))
	}
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (c Closing, err error) {
		var proof string
		err = rows.Scan(&c.ID, (*store.DayText)(&c.Month), &c.Zone, &c.Known, &c.Closed, &c.Actor, &c.Complete, &proof, store.Opt(&c.Reason), &c.PayoutRule,
			store.Opt(&c.Reopened), store.Opt(&c.ReopenedBy), store.Opt(&c.ReopenedWhy))
		if proof != "" {
			c.Proof = strings.Split(proof, "\n")
		}
		if at.Known() && c.Reopened > at {
			c.Reopened, c.ReopenedBy, c.ReopenedWhy = 0, "", ""
		}
		return c, err
	}, `SELECT c.id, c.month, c.zone, c.known_ms, c.closed_ms, c.actor, c.complete, c.proof, c.reason, c.payout_rule, c.reopened_ms, c.reopened_by, c.reopened_why
		FROM closings c WHERE `+w.String()+` ORDER BY c.month DESC, c.id DESC`, w.Args...)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	place := map[int64]int{}
	for i := range list {
		place[list[i].ID] = i
	}
	type sumOf struct {
		closing int64
		Sum
	}
	sums, err := store.Scanned(ctx, r, func(rows *sql.Rows) (s sumOf, err error) {
		return s, rows.Scan(affiliate.Targets(&s.Summed, &s.closing, &s.Account, &s.Product, &s.Coin, &s.Source, &s.Records)...)
	}, `SELECT s.closing_id, s.account, s.product, s.coin, s.source, s.records, `+sumColumns+`
		FROM closing_sums s JOIN closings c ON c.id = s.closing_id WHERE `+w.String()+`
		ORDER BY s.closing_id, s.account, s.product, s.coin, s.source`, w.Args...)
	for _, s := range sums {
		of := &list[place[s.closing]]
		of.Sums = append(of.Sums, s.Sum)
	}
	return list, err
}

// ReadDetails reads the frozen lists of a closing.
func ReadDetails(ctx context.Context, r *store.Tx, id int64) (d Details, err error) {
	d.Coverage, err = store.Scanned(ctx, r, func(rows *sql.Rows) (c Coverage, err error) {
		return c, rows.Scan(&c.Account, &c.Stream.Kind, &c.Stream.Product, &c.Days, &c.Collected, &c.Settled, &c.Verified,
			&c.Failed, &c.Missing, &c.Beyond, store.Opt(&c.Read))
	}, `SELECT account, stream, product, days, collected, settled, verified, failed, missing, beyond, read_ms
		FROM closing_coverage WHERE closing_id = ? ORDER BY account, stream, product`, id)
	if err == nil {
		d.Payments, err = store.Scanned(ctx, r, func(rows *sql.Rows) (p Payment, err error) {
			return p, rows.Scan(&p.Account, &p.Coin, &p.Kind, &p.From, &p.To, &p.Bill, &p.State, &p.Earned, &p.Paid, &p.Difference)
		}, `SELECT account, coin, kind, from_ms, to_ms, bill, state, earned, paid, difference
			FROM closing_payments WHERE closing_id = ? ORDER BY number`, id)
	}
	if err == nil {
		d.Findings, err = store.Scanned(ctx, r, func(rows *sql.Rows) (f Finding, err error) {
			return f, rows.Scan(&f.Kind, &f.Account, &f.Coin, &f.Records, &f.Amount, &f.Words)
		}, `SELECT kind, account, coin, records, amount, words FROM closing_findings WHERE closing_id = ? ORDER BY number`, id)
	}
	if err != nil {
		return d, fmt.Errorf("reading a closed month: %w", err)
	}
	return d, nil
}

// CloseMonth stores a closing with its line of the audit log, and returns it as it is stored. A
// month that is closed is a *[store.RuleError]. The caller has checked whether the month is
// complete, and with [CheckReason] its reason.
func CloseMonth(ctx context.Context, s *store.Store, c Closing, d Details, by audit.Line) (Closing, error) {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		other, err := inForce(ctx, tx, c.Month)
		if err != nil {
			return err
		}
		if other != nil {
			return &store.RuleError{Problem: fmt.Sprintf("%s is closed already, by %s on %s UTC. Reopen it first, with a reason, to close it again.",
				c.Month.Format("January 2006"), whoever(other.Actor), other.Closed.Time().UTC().Format("2 Jan 2006 15:04")), Stale: true}
		}
		c.Closed, c.Actor = stamp, by.Actor
		if c.ID, err = insert(ctx, tx, &c); err != nil {
			return err
		}
		if err := insertLists(ctx, tx, &c, d); err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "month closed", MonthText(c.Month), "as known at "+c.Known.String()
		if !c.Complete {
			by.Detail += ", incomplete"
		}
		if c.Reason != "" {
			by.Detail += ": " + c.Reason
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return Closing{}, fmt.Errorf("closing %s: %w", MonthText(c.Month), err)
	}
	return c, nil
}

func whoever(actor string) string {
	if actor == "" {
		return "nobody named"
	}
	return actor
}

func insert(ctx context.Context, tx *store.Tx, c *Closing) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO closings (month, zone, known_ms, closed_ms, actor, complete, proof, reason, payout_rule) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		store.DayText(c.Month), c.Zone, c.Known, c.Closed, c.Actor, number(c.Complete), strings.Join(c.Proof, "\n"), store.Opt(&c.Reason), c.PayoutRule).Scan(&id)
	return id, err
}

// number returns a truth value as columns have it.
func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func insertLists(ctx context.Context, tx *store.Tx, c *Closing, d Details) error {
	sums := store.NewBatch(ctx, tx, "closing_sums", "closing_id, account, product, coin, source, records, "+sumColumns, "", c.ID)
	for _, s := range c.Sums {
		values := []any{string(s.Account), string(s.Product), string(s.Coin), string(s.Source), s.Records}
		for _, sum := range s.All() {
			values = append(values, string(*sum))
		}
		if err := sums.Add(values...); err != nil {
			return err
		}
	}
	for _, v := range d.Coverage {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO closing_coverage (closing_id, account, stream, product, days, collected, settled, verified, failed, missing, beyond, read_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.ID, v.Account, v.Stream.Kind, v.Stream.Product, v.Days, v.Collected, v.Settled, v.Verified, v.Failed, v.Missing, v.Beyond, store.Opt(&v.Read))
		if err != nil {
			return err
		}
	}
	payments := store.NewBatch(ctx, tx, "closing_payments", "closing_id, number, account, coin, kind, from_ms, to_ms, bill, state, earned, paid, difference", "", c.ID)
	for i, p := range d.Payments {
		err := payments.Add(int64(i+1), string(p.Account), string(p.Coin), p.Kind, int64(p.From), int64(p.To), p.Bill, p.State,
			string(p.Earned), string(p.Paid), string(p.Difference))
		if err != nil {
			return err
		}
	}
	findings := store.NewBatch(ctx, tx, "closing_findings", "closing_id, number, kind, account, coin, records, amount, words", "", c.ID)
	for i, f := range d.Findings {
		if err := findings.Add(int64(i+1), f.Kind, string(f.Account), string(f.Coin), f.Records, string(f.Amount), f.Words); err != nil {
			return err
		}
	}
	for _, batch := range []*store.Batch{sums, payments, findings} {
		if err := batch.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// inForce returns the closing of a month that is in force, without its sums; nil if there is
// none.
func inForce(ctx context.Context, tx *store.Tx, month affiliate.Day) (*Closing, error) {
	c := Closing{Month: month}
	err := tx.QueryRowContext(ctx, `SELECT id, closed_ms, actor FROM closings WHERE month = ? AND reopened_ms IS NULL`, store.DayText(month)).
		Scan(&c.ID, &c.Closed, &c.Actor)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &c, err
}

// ReopenMonth ends the closing of a month that is in force, with its line of the audit log. The
// closing stays stored with the reason. A month that is not closed, and a reason that
// [CheckReason] refuses, are a *[store.RuleError].
func ReopenMonth(ctx context.Context, s *store.Store, month affiliate.Day, reason string, by audit.Line) error {
	reason, err := CheckReason(reason)
	if err != nil {
		return err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		c, err := inForce(ctx, tx, month)
		if err != nil {
			return err
		}
		if c == nil {
			return &store.RuleError{Problem: month.Format("January 2006") + " is not closed, so there is nothing to reopen.", Stale: true}
		}
		_, err = tx.ExecContext(ctx, `UPDATE closings SET reopened_ms = ?, reopened_by = ?, reopened_why = ? WHERE id = ?`, stamp, by.Actor, reason, c.ID)
		if err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "month reopened", MonthText(month), reason
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("reopening %s: %w", MonthText(month), err)
	}
	return nil
}
