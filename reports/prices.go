package reports

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/prices"
)

// PriceDesk keeps imported prices.
type PriceDesk struct{ store *store.Store }

// NewPriceDesk returns the desk of a database.
func NewPriceDesk(s *store.Store) *PriceDesk { return &PriceDesk{s} }

// PricesOf returns the desk of a service's database.
func PricesOf(s *Service) *PriceDesk { return NewPriceDesk(s.store) }

// Compare says what a price file would change.
func (d *PriceDesk) Compare(ctx context.Context, file prices.File) (c prices.Comparison, err error) {
	err = d.reading(ctx, func(r *store.Tx) error {
		c, err = prices.Compare(ctx, r, file, affiliate.DayOf(d.store.Now(), d.store.Zone()))
		return err
	})
	return c, err
}

// Import stores a price file.
func (d *PriceDesk) Import(ctx context.Context, file prices.File, name string, by audit.Line) (prices.Imported, prices.Comparison, error) {
	return prices.Import(ctx, d.store, file, name, by)
}

// Undo undoes an import of prices.
func (d *PriceDesk) Undo(ctx context.Context, id int64, by audit.Line) (prices.Undoing, error) {
	return prices.Undo(ctx, d.store, id, by)
}

// Imports lists the imports of prices, newest first.
func (d *PriceDesk) Imports(ctx context.Context, most int) (list []prices.Imported, err error) {
	err = d.reading(ctx, func(r *store.Tx) error {
		list, err = prices.Imports(ctx, r, most)
		return err
	})
	return list, err
}

// All lists the imported prices in force.
func (d *PriceDesk) All(ctx context.Context) (list []prices.Price, err error) {
	err = d.reading(ctx, func(r *store.Tx) error {
		list, err = prices.All(ctx, r)
		return err
	})
	return list, err
}

// KindOfImport returns what an import is of.
func (d *PriceDesk) KindOfImport(ctx context.Context, id int64) (kind people.ImportKind, err error) {
	err = d.reading(ctx, func(r *store.Tx) error {
		kind, err = people.KindOfImport(ctx, r, id)
		return err
	})
	return kind, err
}

func (d *PriceDesk) reading(ctx context.Context, f func(*store.Tx) error) error {
	r, err := d.store.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	return f(r)
}

// PriceWords says what an import of prices changes, in lines.
func PriceWords(c prices.Comparison, file prices.File) []string {
	lines := []string{fmt.Sprintf("%d new, %d replaced, %d unchanged", len(c.Added), len(c.Replaced), c.Unchanged)}
	for _, words := range daysOfCoins(c.Stored()) {
		lines = append(lines, "stored: "+words)
	}
	for _, words := range daysOfCoins(c.Collected) {
		lines = append(lines, "left out, since a price was collected, which counts: "+words)
	}
	if n := len(c.Unknown); n > 0 {
		names := make([]string, 0, mostUnknown)
		for _, coin := range c.Unknown[:min(n, mostUnknown)] {
			names = append(names, string(coin))
		}
		lines = append(lines, phrase.Things(n, "coin")+" in which nothing was earned yet; their prices are kept: "+strings.Join(names, " "))
	}
	if file.Blank > 0 {
		lines = append(lines, phrase.Things(file.Blank, "line")+" without a price left out")
	}
	if file.Repeats > 0 {
		lines = append(lines, phrase.Things(file.Repeats, "line")+" of the file say the same as earlier ones")
	}
	return lines
}

// daysOfCoins says for each coin on how many days it has a price.
func daysOfCoins(list []prices.Price) (lines []string) {
	days := map[affiliate.Coin][]affiliate.Day{}
	for _, p := range list {
		days[p.Coin] = append(days[p.Coin], p.Day)
	}
	for _, coin := range slices.Sorted(maps.Keys(days)) {
		of := days[coin]
		lines = append(lines, fmt.Sprintf("%s, %s, %s", coin, phrase.Things(len(of), "day"), phrase.Days(affiliate.Days{First: slices.Min(of), Last: slices.Max(of)})))
	}
	return lines
}
