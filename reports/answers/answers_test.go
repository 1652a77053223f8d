package answers

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/people"
)

// Concurrent requests for one answer share one computation.
func TestAnswerIsMadeOnce(t *testing.T) {
	a := New()
	var made atomic.Int64
	release := make(chan struct{})
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			got, err := Get(t.Context(), a, ReportKey{Report: "slow"}, func(context.Context) (string, error) {
				<-release
				made.Add(1)
				return "done", nil
			})
			if got != "done" || err != nil {
				t.Errorf("the answer is %q, %v", got, err)
			}
		})
	}
	close(release)
	wg.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("the answer was computed %d times", n)
	}
}

// A reader who leaves during a computation for others does not end it.
func TestAnswerOutlivesItsFirstReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		first, leave := context.WithCancel(t.Context())
		slow := func(ctx context.Context) (string, error) {
			select {
			case <-ctx.Done():
				return "", ctx.Err()
			case <-time.After(time.Minute):
				return "done", nil
			}
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := Get(first, a, ReportKey{Report: "slow"}, slow); !errors.Is(err, context.Canceled) {
				t.Errorf("the reader who left got %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if got, err := Get(t.Context(), a, ReportKey{Report: "slow"}, slow); got != "done" || err != nil {
				t.Errorf("the reader who stayed got %q, %v", got, err)
			}
		})
		synctest.Wait()
		leave()
		wg.Wait()
	})
}

// An error is not kept: the next reader computes again.
func TestErrorsAreNotKept(t *testing.T) {
	a, broken := New(), errors.New("the disk is gone")
	if _, err := Get(t.Context(), a, ReportKey{}, func(context.Context) (int, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if got, err := Get(t.Context(), a, ReportKey{}, func(context.Context) (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("the next reader got %d, %v", got, err)
	}
}

// What belongs to an earlier state or minute is forgotten, and nothing else.
func TestForgotten(t *testing.T) {
	a := New()
	keep := func(key ReportKey) (made bool) {
		if _, err := Get(t.Context(), a, key, func(context.Context) (string, error) { made = true; return strings.Repeat("x", 1000), nil }); err != nil {
			t.Fatal(err)
		}
		return made
	}
	stays := []ReportKey{{Report: "report", Written: 7, Minute: 3}, {Report: "part", Written: 7}, {Report: "newer", Written: 8, Minute: 4}, {Report: "drawing", Minute: 3}}
	goes := []ReportKey{{Report: "report", Written: 6, Minute: 3}, {Report: "part", Written: 6}, {Report: "report", Written: 7, Minute: 2}, {Report: "drawing", Minute: 2}}
	for _, key := range slices.Concat(stays, goes) {
		keep(key)
	}
	if freed := a.Forget(7, 3); freed < 4000 || freed > 5000 {
		t.Errorf("%d bytes were forgotten", freed)
	}
	for _, key := range stays {
		if keep(key) {
			t.Errorf("%+v was forgotten", key)
		}
	}
	for _, key := range goes {
		if !keep(key) {
			t.Errorf("%+v was kept", key)
		}
	}
}

// The memory of the cache is bounded for any number of queries.
func TestAnswersAreBounded(t *testing.T) {
	a := New()
	const size = 1 << 20
	for i := range 4 * answersBytes / size {
		_, err := Get(t.Context(), a, ReportKey{Asked: i}, func(context.Context) (string, error) {
			return strings.Repeat("x", size), nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if held := a.cache.WeightedSize(); held > answersBytes || held < answersBytes/2 {
		t.Errorf("%d bytes are kept, %d are allowed", held, answersBytes)
	}
}

func TestSizeOf(t *testing.T) {
	text := strings.Repeat("x", 1000)
	members := affiliate.MembersOf(nil, map[affiliate.Account][]affiliate.UID{"main": {affiliate.UID(text)}})
	names := people.NewNameBook(map[affiliate.UID]string{"7": text})
	if own, book := weightOf(members), weightOf(names); own < 1000 || own > 1200 || book < 1000 || book > 1200 {
		t.Errorf("members weigh %d, names %d", own, book)
	}
	for _, c := range []struct {
		name      string
		value     any
		low, high uint64
	}{
		{"nothing", nil, 0, 0},
		{"a text", text, 1000, 1100},
		{"bytes", bytes.Repeat([]byte{1}, 1000), 1000, 1100},
		{"texts of a map", map[string][]string{"a": {text, text}}, 2000, 2200},
		{"a pointer within", struct{ p *[1000]int64 }{new([1000]int64)}, 8000, 8100},
		{"an interface", []any{text, 1}, 1000, 1100},
		{"amounts", []decimal.Decimal{decimal.New(1, -8), decimal.New(2, -8)}, 32, 400},
		{"members and names, which all values share", struct {
			of    affiliate.Members
			names *people.NameBook
		}{members, names}, 16, 16},
		{"a time with its zone", time.Now().In(time.FixedZone("here", 3600)), 24, 40},
	} {
		if got := sizeOf(reflect.ValueOf(c.value)); got < c.low || got > c.high {
			t.Errorf("%s takes %d bytes, not %d to %d", c.name, got, c.low, c.high)
		}
	}
}
