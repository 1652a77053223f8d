package prices

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/tabular"
)

// Comparison says what a price file would change.
type Comparison struct {
	Added     []Price // of days that had no imported price
	Replaced  []Replacement
	Unchanged int
	Collected []Price          // what the file says of days with a collected price: it is not stored, and the collected price counts
	Unknown   []affiliate.Coin // coins of the file in which nothing was ever earned
}

// Replacement is a price that replaces that of an earlier import.
type Replacement struct {
	Price
	Before affiliate.Number
}

// Stored lists the prices that an import stores.
func (c Comparison) Stored() []Price {
	list := slices.Clone(c.Added)
	for _, r := range c.Replaced {
		list = append(list, r.Price)
	}
	return list
}

// Imported is an import of a price file.
type Imported struct {
	ID                         int64
	At                         affiliate.Millis
	Actor                      string
	File                       string // its name
	Added, Replaced, Unchanged int    // prices
	Undone                     affiliate.Millis
	UndoBy                     string
	Kept                       int // prices that the undoing left, since a later import had replaced them
}

// Compare says what a file would change. A day that is not over is a fault of the file, since its price
// is not final: the error is then [tabular.Mistakes].
func Compare(ctx context.Context, r *store.Tx, file File, today affiliate.Day) (c Comparison, err error) {
	if err := file.over(today); err != nil {
		return c, err
	}
	known, err := sums.Coins(ctx, r, affiliate.Members{})
	if err != nil {
		return c, fmt.Errorf("reading the coins that were earned: %w", err)
	}
	byCoin := map[affiliate.Coin][]Price{}
	var coins []affiliate.Coin
	for _, p := range file.Prices {
		p.Coin = affiliate.Spelling(known, p.Coin)
		if byCoin[p.Coin] == nil {
			coins = append(coins, p.Coin)
		}
		byCoin[p.Coin] = append(byCoin[p.Coin], p)
	}
	for _, coin := range coins {
		if !slices.Contains(known, coin) {
			c.Unknown = append(c.Unknown, coin)
		}
		if err := c.compare(ctx, r, coin, byCoin[coin]); err != nil {
			return Comparison{}, err
		}
	}
	return c, nil
}

// compare adds what the prices of one coin would change.
func (c *Comparison) compare(ctx context.Context, r *store.Tx, coin affiliate.Coin, list []Price) error {
	stored, err := Of(ctx, r, coin, 0)
	if err != nil {
		return err
	}
	before := map[affiliate.Day]affiliate.Number{}
	for _, p := range stored {
		before[p.Day] = p.Price.Price
	}
	var days []affiliate.Day
	for _, p := range list {
		days = append(days, p.Day)
	}
	samples, err := records.Rates(ctx, r, coin, Quote, days, 0)
	if err != nil {
		return err
	}
	for _, p := range list {
		sample, sampled := samples[p.Day]
		was, imported := before[p.Day]
		switch {
		case sampled && p.Day.Range(r.ReportingZone()).Contains(sample.At):
			c.Collected = append(c.Collected, p)
		case !imported:
			c.Added = append(c.Added, p)
		case was.Cmp(p.Price) == 0:
			c.Unchanged++
		default:
			c.Replaced = append(c.Replaced, Replacement{p, was})
		}
	}
	return nil
}

// over refuses days that are not over.
func (f File) over(today affiliate.Day) error {
	var faults tabular.Mistakes
	for i, p := range f.Prices {
		if p.Day >= today {
			faults = append(faults, tabular.Mistake{Line: f.lines[i], Column: f.column, Name: dateColumn,
				Text: fmt.Sprintf("%s is not over: the last day that can have a price is %s; remove the line", p.Day, today-1)})
		}
	}
	return faults.Err()
}

// Import stores what a file says, all of it or nothing, together with its line of the audit log, and
// returns the import. A file that changes nothing is an import too. The error may be [tabular.Mistakes].
func Import(ctx context.Context, s *store.Store, file File, name string, by audit.Line) (done Imported, c Comparison, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if c, err = Compare(ctx, tx, file, affiliate.DayOf(s.Now(), s.Zone())); err != nil {
			return err
		}
		done = Imported{At: stamp, Actor: by.Actor, File: name, Added: len(c.Added), Replaced: len(c.Replaced), Unchanged: c.Unchanged}
		if done.ID, err = people.NewImport(ctx, tx, people.Imported{Kind: people.PriceImport, At: stamp, Actor: by.Actor, File: name,
			Counts: people.ImportCounts{Added: done.Added, Changed: done.Replaced, Unchanged: done.Unchanged}}); err != nil {
			return err
		}
		for _, r := range c.Replaced {
			if _, err := tx.ExecContext(ctx, `UPDATE imported_prices SET removed_ms = ? WHERE coin = ? AND day = ? AND removed_ms IS NULL`, stamp, r.Coin, store.DayText(r.Day)); err != nil {
				return err
			}
		}
		if err := write(ctx, tx, stamp, done.ID, c.Stored()); err != nil {
			return err
		}
		by.Action, by.Object = "prices imported", name
		by.Detail = fmt.Sprintf("import %d: %d new, %d replaced, %d unchanged, %d left out since a price was collected", done.ID, done.Added, done.Replaced, done.Unchanged, len(c.Collected))
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return Imported{}, Comparison{}, fmt.Errorf("importing prices: %w", err)
	}
	return done, c, nil
}

func write(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, id int64, list []Price) error {
	batch := store.NewBatch(ctx, tx, "imported_prices", "import_id, created_ms, coin, day, price", "", id, int64(stamp))
	for _, p := range list {
		if err := batch.Add(string(p.Coin), p.Day.String(), string(p.Price)); err != nil {
			return err
		}
	}
	return batch.Flush()
}

// Undoing says what an undoing did.
type Undoing struct {
	Removed  int // prices that are gone
	Restored int // prices of an earlier import that hold again
	Kept     int // prices that a later import had replaced, which stay
}

// Undo ends the prices of an import that are in force, and restores those of earlier imports that they
// had replaced, together with its line of the audit log. An import that does not exist or was undone is a
// *[store.RuleError].
func Undo(ctx context.Context, s *store.Store, id int64, by audit.Line) (done Undoing, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := people.Undoable(ctx, tx, people.PriceImport, id); err != nil {
			return err
		}
		ended, err := store.Scanned(ctx, tx, scanPrice, `SELECT coin, day, price FROM imported_prices WHERE import_id = ? AND removed_ms IS NULL ORDER BY coin, day`, id)
		if err != nil {
			return err
		}
		var all int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT DISTINCT coin, day FROM imported_prices WHERE import_id = ?) d`, id).Scan(&all); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE imported_prices SET removed_ms = ? WHERE import_id = ? AND removed_ms IS NULL`, stamp, id); err != nil {
			return err
		}
		if done.Restored, err = restore(ctx, tx, stamp, id, ended); err != nil {
			return err
		}
		done.Removed, done.Kept = len(ended)-done.Restored, all-len(ended)
		if err := people.MarkUndone(ctx, tx, stamp, id, by.Actor, done.Kept); err != nil {
			return err
		}
		by.Action, by.Object = "price import undone", strconv.FormatInt(id, 10)
		by.Detail = fmt.Sprintf("%d prices removed, %d of earlier imports restored, %d left", done.Removed, done.Restored, done.Kept)
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return Undoing{}, fmt.Errorf("undoing import %d: %w", id, err)
	}
	return done, nil
}

// restore brings back, for prices that ended, those of the newest earlier import that was not undone.
func restore(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, id int64, ended []Price) (restored int, err error) {
	for _, p := range ended {
		var of int64
		err := tx.QueryRowContext(ctx, `
			SELECT p.import_id, p.price FROM imported_prices p JOIN people_imports i ON i.id = p.import_id
			WHERE p.coin = ? AND p.day = ? AND p.import_id < ? AND i.undone_ms = 0 ORDER BY p.import_id DESC, p.id DESC LIMIT 1`,
			p.Coin, store.DayText(p.Day), id).Scan(&of, &p.Price)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if err := write(ctx, tx, stamp, of, []Price{p}); err != nil {
			return 0, err
		}
		restored++
	}
	return restored, nil
}

// Imports lists the imports of prices, newest first.
func Imports(ctx context.Context, r *store.Tx, most int) (list []Imported, err error) {
	all, err := people.ImportsOf(ctx, r, people.PriceImport, most)
	for _, i := range all {
		list = append(list, Imported{ID: i.ID, At: i.At, Actor: i.Actor, File: i.File, Added: i.Counts.Added, Replaced: i.Counts.Changed, Unchanged: i.Counts.Unchanged,
			Undone: i.Undone, UndoBy: i.UndoBy, Kept: i.Kept})
	}
	return list, err
}
