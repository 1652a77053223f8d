package store_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// everything lists the stored data, without ids and versions.
var everything = []string{
	`SELECT * FROM commissions ORDER BY id`,
	`SELECT * FROM commission_bounds ORDER BY last_deal_ms, first_id`,
	`SELECT * FROM commission_days ORDER BY day, account_id, product, coin, source`,
	`SELECT kind, span, day, account_id, shard, names, lines FROM commission_blocks ORDER BY kind, span, day, account_id, shard`,
	`SELECT * FROM coverage ORDER BY account_id, stream, product, day`,
	`SELECT * FROM slices ORDER BY id`,
	`SELECT * FROM runs ORDER BY id`,
	`SELECT * FROM meta`,
}

// readings returns slices of two accounts, in any order, that open, close and repeat
// rows.
func readings(seed uint64, run int64) []records.CommissionSlice {
	random := rand.New(rand.NewPCG(seed, seed))
	var list []records.CommissionSlice
	for range 2 + random.IntN(4) {
		slice := records.CommissionSlice{Slice: storetest.DaySlice(storetest.OneDay)}
		slice.Run, slice.Account = run, []affiliate.Account{"main", "other"}[random.IntN(2)]
		slice.Started = storetest.Day.Start(time.UTC)
		for range random.IntN(150) {
			slice.Records = append(slice.Records, storetest.Record(random.IntN(40), affiliate.Number([]string{"0.5", "1", "0.25"}[random.IntN(3)])))
		}
		list = append(list, slice)
	}
	return list
}

// Slices written together leave exactly the same database as slices written one after the
// other, including stamps.
func TestSliceBatchEqualsSingleSlices(t *testing.T) {
	storetest.Engines(t, "rows that are sent together", testSliceBatchEqualsSingleSlices)
}

func testSliceBatchEqualsSingleSlices(t *testing.T) {
	for seed := range uint64(12 / oneIn(t, 3)) {
		clock := func() time.Time { return storetest.Day.Start(time.UTC) }
		together, single := storetest.Open(t, store.Options{Now: clock}), storetest.Open(t, store.Options{Now: clock})
		var list []records.CommissionSlice
		for _, s := range []*store.Store{together, single} {
			run, err := records.StartRun(t.Context(), s, "main", "test")
			if err != nil {
				t.Fatal(err)
			}
			list = readings(seed, run)
		}
		before := slices.Clone(list[0].Records)
		written, err := records.ReplaceCommissionSlices(t.Context(), together, list...)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before, list[0].Records) {
			t.Fatal("the records of the caller were changed")
		}
		for i, slice := range list {
			if w := storetest.Replace(t, single, slice.Slice, slice.Records...); w != written[i] {
				t.Fatalf("seed %d: slice %d wrote %+v, alone %+v", seed, i, written[i], w)
			}
		}
		for _, query := range everything {
			if got, want := lines(t, together, query), lines(t, single, query); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s\ngave %s\nwant %s", seed, query, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// If one slice cannot be written, no slice of its transaction is written.
func TestSliceBatchIsAtomic(t *testing.T) {
	storetest.Engines(t, "rows that are sent together, the write as a whole", testSliceBatchIsAtomic)
}

func testSliceBatchIsAtomic(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"))
	storetest.Refuse(t, s, "commissions", "INSERT", "NEW.symbol = 'refused'", "refused")
	refused := storetest.Record(3, "1")
	refused.Symbol = "refused"
	before := [][]string{}
	for _, query := range everything {
		before = append(before, lines(t, s, query))
	}
	_, err := records.ReplaceCommissionSlices(context.Background(), s,
		records.CommissionSlice{Slice: storetest.DaySlice(storetest.OneDay), Records: []affiliate.Commission{storetest.Record(2, "1")}},
		records.CommissionSlice{Slice: storetest.DaySlice(storetest.OneDay), Records: []affiliate.Commission{refused}})
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Fatalf("the refused slice gave %v", err)
	}
	for i, query := range everything {
		if got := lines(t, s, query); !slices.Equal(got, before[i]) {
			t.Errorf("%s\ngave %s\nbefore %s", query, got, before[i])
		}
	}
}

func lines(t testing.TB, s *store.Store, query string) []string {
	t.Helper()
	list, err := storetest.Lines(s, query)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
