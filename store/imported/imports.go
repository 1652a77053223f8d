package imported

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
)

// Comparison says what a file would change.
type Comparison struct {
	Days                      affiliate.Days                   // UTC
	Added, Removed, Unchanged int                              // records
	Changes                   map[affiliate.Coin]affiliate.Sum // commission after − before, of coins in which it changes
}

// Imported is an import of a commission file.
type Imported struct {
	people.Imported
	Account affiliate.Account
	Days    affiliate.Days // UTC
}

// Compare says what a file would change. An account of another exchange is a *[store.RuleError].
func Compare(ctx context.Context, r *store.Tx, account affiliate.Account, file File) (Comparison, error) {
	c := Comparison{Days: file.Days, Changes: map[affiliate.Coin]affiliate.Sum{}}
	of, err := r.Exchanges(ctx)
	if err != nil {
		return c, err
	}
	if is := of[account]; is != "" && is != affiliate.FileExchange {
		return c, store.Refuse("The account “%s” has records of %s: import the file into an account of its own.", account, is)
	}
	known, err := at(ctx, r, account, file.Days, 0)
	if err != nil {
		return c, err
	}
	c.add(file.Records, known)
	return c, nil
}

// AllNew says what a file would change where nothing is known.
func AllNew(file File) Comparison {
	c := Comparison{Days: file.Days, Changes: map[affiliate.Coin]affiliate.Sum{}}
	c.add(file.Records, nil)
	return c
}

// add compares the records of a file with those that are known.
func (c *Comparison) add(read, known []affiliate.Commission) {
	open := map[affiliate.Commission]int{}
	for _, one := range known {
		open[one.Key()]++
		sum := c.Changes[one.Coin]
		sum.Sub(one.Commission)
		c.Changes[one.Coin] = sum
	}
	for _, one := range read {
		sum := c.Changes[one.Coin]
		sum.Add(one.Commission)
		c.Changes[one.Coin] = sum
		if open[one.Key()] > 0 {
			open[one.Key()]--
			c.Unchanged++
		} else {
			c.Added++
		}
	}
	c.Removed = len(known) - c.Unchanged
	for coin, sum := range c.Changes {
		if sum.Cmp(new(affiliate.Sum)) == 0 {
			delete(c.Changes, coin)
		}
	}
}

// at returns the records of days that were open before a write; 0 = that are open.
func at(ctx context.Context, r store.Asker, account affiliate.Account, days affiliate.Days, before affiliate.Millis) ([]affiliate.Commission, error) {
	span := days.Range(time.UTC)
	open, args := `c.closed_ms IS NULL`, []any{string(account), affiliate.MillisOf(span.From), affiliate.MillisOf(span.To)}
	if before.Known() {
		open, args = `c.opened_ms < ? AND (c.closed_ms IS NULL OR c.closed_ms >= ?)`, append(args, before, before)
	}
	scan := func(rows *sql.Rows) (c affiliate.Commission, err error) {
		return c, rows.Scan(records.CommissionTargets(&c)...)
	}
	return store.Scanned(ctx, r, scan, `
		SELECT `+records.CommissionColumnList("c.")+`
		FROM commissions c JOIN accounts a ON a.id = c.account_id
		WHERE a.name = ? AND c.deal_time_ms >= ? AND c.deal_time_ms < ? AND `+open, args...)
}

// Import stores what a file says of the days that it covers, all of it or nothing, together with its line
// of the audit log, and returns the import. A file that changes nothing is an import too.
func Import(ctx context.Context, s *store.Store, account affiliate.Account, file File, name string, by audit.Line) (done Imported, c Comparison, err error) {
	if err := s.SetExchange(ctx, account, affiliate.FileExchange); err != nil {
		return done, c, err
	}
	if err := s.WantFrom(ctx, account, file.Days.First); err != nil {
		return done, c, err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if c, err = Compare(ctx, tx, account, file); err != nil {
			return err
		}
		done = Imported{Account: account, Days: file.Days, Imported: people.Imported{Kind: people.CommissionImport, At: stamp, Actor: by.Actor, File: name,
			Counts: people.ImportCounts{Added: c.Added, Changed: c.Removed, Unchanged: c.Unchanged}}}
		if done.ID, err = people.NewImport(ctx, tx, done.Imported); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO commission_imports (import_id, account_id, first_day, last_day, stamp_ms)
			SELECT ?, id, ?, ?, ? FROM accounts WHERE name = ?`,
			done.ID, store.DayText(file.Days.First), store.DayText(file.Days.Last), stamp, account); err != nil {
			return err
		}
		if err := write(ctx, s, tx, stamp, account, file.Days, file.Records); err != nil {
			return err
		}
		var invitees []affiliate.Invitee
		for uid, code := range file.Codes {
			invitees = append(invitees, affiliate.Invitee{UID: uid, InviteCode: code})
		}
		if err := records.NoteInvitees(ctx, tx, account, stamp, invitees); err != nil {
			return err
		}
		by.Action, by.Object = "commissions imported", name
		by.Detail = fmt.Sprintf("import %d of the account %s, %s to %s: %d new, %d removed, %d unchanged", done.ID, account, file.Days.First, file.Days.Last, c.Added, c.Removed, c.Unchanged)
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return Imported{}, Comparison{}, fmt.Errorf("importing commissions: %w", err)
	}
	return done, c, nil
}

// write makes the records of days equal to a list.
func write(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, account affiliate.Account, days affiliate.Days, list []affiliate.Commission) error {
	now := affiliate.MillisOf(s.Now())
	_, err := records.ReplaceCommissionsIn(ctx, s, tx, stamp, records.CommissionSlice{
		Slice:   records.Slice{Account: account, Stream: affiliate.Stream{Kind: affiliate.Commissions}, Days: days, Through: min(now, affiliate.MillisOf(days.Range(time.UTC).To)), Read: now},
		Records: list,
	})
	return err
}

// Undoing says what an undoing did.
type Undoing struct {
	Removed, Restored int // records
}

// Undo restores what was known of the days of an import before it, together with its line of the audit
// log. Invite codes that the file told stay. An import that does not exist, was undone, or has a later
// one on one of its days is a *[store.RuleError].
func Undo(ctx context.Context, s *store.Store, id int64, by audit.Line) (done Undoing, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := people.Undoable(ctx, tx, people.CommissionImport, id); err != nil {
			return err
		}
		var account affiliate.Account
		var first, last string
		var was affiliate.Millis
		if err := tx.QueryRowContext(ctx, `
			SELECT a.name, i.first_day, i.last_day, i.stamp_ms FROM commission_imports i JOIN accounts a ON a.id = i.account_id WHERE i.import_id = ?`,
			id).Scan(&account, &first, &last, &was); err != nil {
			return err
		}
		var later int64
		err := tx.QueryRowContext(ctx, `
			SELECT i.import_id FROM commission_imports i JOIN accounts a ON a.id = i.account_id JOIN people_imports p ON p.id = i.import_id
			WHERE a.name = ? AND i.import_id > ? AND p.undone_ms = 0 AND i.first_day <= ? AND i.last_day >= ? ORDER BY i.import_id DESC LIMIT 1`,
			account, id, last, first).Scan(&later)
		if err == nil {
			return store.Refuse("Import %d covers some of the same days and came later: undo it first.", later)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		days, err := daysOf(first, last)
		if err != nil {
			return err
		}
		before, err := at(ctx, tx, account, days, was)
		if err != nil {
			return err
		}
		c, err := Compare(ctx, tx, account, File{Days: days, Records: before})
		if err != nil {
			return err
		}
		if err := write(ctx, s, tx, stamp, account, days, before); err != nil {
			return err
		}
		// Days that no earlier import covered are unknown again.
		if _, err := tx.ExecContext(ctx, `
			DELETE FROM coverage WHERE account_id = (SELECT id FROM accounts WHERE name = ?) AND stream = ? AND product = '' AND day >= ? AND day <= ? AND first_read_ms = ?`,
			account, string(affiliate.Commissions), first, last, was); err != nil {
			return err
		}
		done = Undoing{Removed: c.Removed, Restored: c.Added}
		if err := people.MarkUndone(ctx, tx, stamp, id, by.Actor, 0); err != nil {
			return err
		}
		by.Action, by.Object = "commission import undone", strconv.FormatInt(id, 10)
		by.Detail = fmt.Sprintf("%d records removed, %d restored", done.Removed, done.Restored)
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return Undoing{}, fmt.Errorf("undoing import %d: %w", id, err)
	}
	return done, nil
}

func daysOf(first, last string) (days affiliate.Days, err error) {
	if days.First, err = affiliate.ParseDay(first); err == nil {
		days.Last, err = affiliate.ParseDay(last)
	}
	return days, err
}

// Imports lists the imports of commissions, newest first.
func Imports(ctx context.Context, r *store.Tx, most int) ([]Imported, error) {
	all, err := people.ImportsOf(ctx, r, people.CommissionImport, most)
	if err != nil {
		return nil, err
	}
	list := make([]Imported, len(all))
	for i, one := range all {
		list[i].Imported = one
		var first, last string
		if err := r.QueryRowContext(ctx, `
			SELECT a.name, i.first_day, i.last_day FROM commission_imports i JOIN accounts a ON a.id = i.account_id WHERE i.import_id = ?`,
			one.ID).Scan(&list[i].Account, &first, &last); err != nil {
			return nil, fmt.Errorf("reading import %d: %w", one.ID, err)
		}
		if list[i].Days, err = daysOf(first, last); err != nil {
			return nil, err
		}
	}
	return list, nil
}
