package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/rollup"
)

// Contents describes what a database holds, exactly enough to compare a copy with it.
type Contents struct {
	Schema    int              // migrations applied
	LastWrite affiliate.Millis // newest stamp of a write
	Tables    map[string]int64 // rows of each table
	Open      []OpenSum        // by product and coin
	Bills     []BillSum        // by wallet and coin; none in a schema without bills
}

// OpenSum is the sum of the commission records of a product and a coin that are not closed.
type OpenSum struct {
	Product         affiliate.Product
	Coin            affiliate.Coin
	Records         int64
	Fee, Commission affiliate.Number
}

func (o OpenSum) String() string {
	return fmt.Sprintf("%s %s: %d records, fee %s, commission %s", o.Product, o.Coin, o.Records, o.Fee, o.Commission)
}

// BillSum is the sum of the bills of a wallet and a coin that are not closed.
type BillSum struct {
	Wallet affiliate.Wallet
	Coin   affiliate.Coin
	Bills  int64
	Amount affiliate.Number
}

func (b BillSum) String() string {
	return fmt.Sprintf("%s %s: %d bills, amount %s", b.Wallet, b.Coin, b.Bills, b.Amount)
}

// Rows counts the rows of all tables.
func (c Contents) Rows() (rows int64) {
	for _, count := range c.Tables {
		rows += count
	}
	return rows
}

// Differences describes how a copy differs from c.
func (c Contents) Differences(copied Contents) []string {
	var words []string
	if c.Schema != copied.Schema {
		words = append(words, fmt.Sprintf("schema version %d instead of %d", copied.Schema, c.Schema))
	}
	if c.LastWrite != copied.LastWrite {
		words = append(words, fmt.Sprintf("the last write at %s instead of %s", copied.LastWrite, c.LastWrite))
	}
	names := maps.Clone(c.Tables)
	maps.Copy(names, copied.Tables)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if want, got := c.Tables[name], copied.Tables[name]; want != got {
			words = append(words, fmt.Sprintf("%d rows of %s instead of %d", got, name, want))
		}
	}
	return append(words, c.otherSums(copied)...)
}

// otherSums is the part of [Contents.Differences] that no migration may change.
func (c Contents) otherSums(copied Contents) (words []string) {
	if !slices.Equal(c.Open, copied.Open) {
		words = append(words, fmt.Sprintf("open commission %v instead of %v", copied.Open, c.Open))
	}
	if !slices.Equal(c.Bills, copied.Bills) {
		words = append(words, fmt.Sprintf("open bills %v instead of %v", copied.Bills, c.Bills))
	}
	return words
}

// ReadContents reads what the database holds. Its cost grows with the rows, its memory does
// not.
func ReadContents(ctx context.Context, r *store.Tx) (Contents, error) {
	c := Contents{Tables: map[string]int64{}}
	var err error
	if c.Schema, err = r.Schema(ctx); err == nil {
		c.LastWrite, err = r.LastWrite(ctx)
	}
	if err == nil {
		err = countRows(ctx, r, c.Tables)
	}
	if err == nil {
		c.Open, err = addUpOpen(ctx, r)
	}
	if _, ok := c.Tables["bills"]; ok && err == nil {
		c.Bills, err = addUpBills(ctx, r)
	}
	if err != nil {
		return Contents{}, fmt.Errorf("reading what the database holds: %w", err)
	}
	return c, nil
}

func countRows(ctx context.Context, r *store.Tx, rows map[string]int64) error {
	names, err := r.Tables(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if slices.Contains(store.Uncopied, name) {
			continue
		}
		var count int64
		if err := r.QueryRowContext(ctx, `SELECT count(*) FROM "`+name+`"`).Scan(&count); err != nil {
			return err
		}
		rows[name] = count
	}
	return nil
}

// sumBatch is how many records are grouped at once: the engine keeps all grouped records in
// memory.
const sumBatch = 50_000

// inBatches calls add for the ids of a table: those above after, up to last.
func inBatches(ctx context.Context, r *store.Tx, table string, add func(after, last int64) error) error {
	var last int64
	if err := r.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM `+table).Scan(&last); err != nil {
		return err
	}
	for after := int64(0); after < last; after += sumBatch {
		if err := add(after, after+sumBatch); err != nil {
			return err
		}
	}
	return nil
}

func addUpOpen(ctx context.Context, r *store.Tx) ([]OpenSum, error) {
	sums := openSums{}
	err := inBatches(ctx, r, "commissions", func(after, last int64) error { return sums.add(ctx, r, after, last) })
	return sums.list(), err
}

func addUpBills(ctx context.Context, r *store.Tx) ([]BillSum, error) {
	type total struct {
		bills  int64
		amount affiliate.Sum
	}
	totals := map[BillSum]*total{}
	err := inBatches(ctx, r, "bills", func(after, last int64) error {
		rows, err := r.QueryContext(ctx, `
			SELECT wallet, coin, count(*), decimal_sum(amount) FROM bills
			WHERE id > ? AND id <= ? AND closed_ms IS NULL
			GROUP BY wallet, coin`, after, last)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var key, sum BillSum
			if err := rows.Scan(&key.Wallet, &key.Coin, &sum.Bills, &sum.Amount); err != nil {
				return err
			}
			t := rollup.At(totals, key)
			t.bills += sum.Bills
			if !t.amount.Add(sum.Amount) {
				return fmt.Errorf("the sum %.50q is no number", sum.Amount)
			}
		}
		return rows.Err()
	})
	list := make([]BillSum, 0, len(totals))
	for key, t := range totals {
		list = append(list, BillSum{key.Wallet, key.Coin, t.bills, affiliate.Number(t.amount.String())})
	}
	slices.SortFunc(list, func(a, b BillSum) int {
		return cmp.Or(cmp.Compare(a.Wallet, b.Wallet), cmp.Compare(a.Coin, b.Coin))
	})
	return list, err
}

type openSums map[openKey]*openTotal

type openKey struct {
	product affiliate.Product
	coin    affiliate.Coin
}

type openTotal struct {
	records         int64
	fee, commission affiliate.Sum
}

// add adds the open records whose ids are above after, up to last.
func (s openSums) add(ctx context.Context, r *store.Tx, after, last int64) error {
	rows, err := r.QueryContext(ctx, `
		SELECT product, coin, count(*), decimal_sum(fee), decimal_sum(commission) FROM commissions
		WHERE id > ? AND id <= ? AND closed_ms IS NULL
		GROUP BY product, coin`, after, last)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key openKey
		var records int64
		var fee, commission affiliate.Number
		if err := rows.Scan(&key.product, &key.coin, &records, &fee, &commission); err != nil {
			return err
		}
		total := s[key]
		if total == nil {
			total = new(openTotal)
			s[key] = total
		}
		total.records += records
		if !total.fee.Add(fee) || !total.commission.Add(commission) {
			return fmt.Errorf("the sums %.50q and %.50q are no numbers", fee, commission)
		}
	}
	return rows.Err()
}

// list returns the sums ordered by product and coin.
func (s openSums) list() []OpenSum {
	list := make([]OpenSum, 0, len(s))
	for key, total := range s {
		list = append(list, OpenSum{Product: key.product, Coin: key.coin, Records: total.records,
			Fee: affiliate.Number(total.fee.String()), Commission: affiliate.Number(total.commission.String())})
	}
	slices.SortFunc(list, func(a, b OpenSum) int {
		return cmp.Or(cmp.Compare(a.Product, b.Product), cmp.Compare(a.Coin, b.Coin))
	})
	return list
}
