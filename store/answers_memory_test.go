package store

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
)

// heapOf is how many bytes are reachable.
func heapOf() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// manyInvitees is a store of some days on which many invitees traded.
func manyInvitees(t *testing.T, invitees, days int) *Store {
	t.Helper()
	s, err := Open(t.Context(), t.TempDir()+"/test.db", Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	first := affiliate.NewDay(2026, time.March, 2)
	slice := Slice{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot},
		Days: affiliate.Days{First: first, Last: first + affiliate.Day(days) - 1}, Started: time.Now()}
	slice.Through = affiliate.MillisOf(slice.Range().To)
	var records []affiliate.Commission
	for n := range invitees * days {
		records = append(records, affiliate.Commission{UID: uidOf(n % invitees), Product: affiliate.Spot, Symbol: "BTCUSDT_SPBL",
			DealTime: affiliate.MillisOf((first + affiliate.Day(n/invitees)).Start(time.UTC)), Source: affiliate.Direct,
			Coin: "USDT", TakerAmount: "1137.619", MakerAmount: "0", Fee: "0.682571", Rate: "0.1", Commission: "0.0682571"})
	}
	if _, err := s.ReplaceCommissions(t.Context(), slice, records); err != nil {
		t.Fatal(err)
	}
	return s
}

func uidOf(n int) affiliate.UID { return affiliate.UID(fmt.Sprint(4_667_000_000 + n)) }

// What answers take is what is counted: they hold on to no text that they were
// cut out of, neither of blocks nor of the question.
func TestAnswersTakeWhatIsCounted(t *testing.T) {
	s := manyInvitees(t, 4000, 4)
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	days := affiliate.Days{First: affiliate.NewDay(2026, time.March, 2), Last: affiliate.NewDay(2026, time.March, 5)}
	for what, ask := range map[string]func(n int) error{
		"days of one invitee": func(n int) error {
			_, err := r.DaySums(t.Context(), CommissionFilter{Days: days, UID: uidOf(n)})
			return err
		},
		"sums of one invitee": func(n int) error {
			_, err := r.InviteeSums(t.Context(), CommissionFilter{Days: days, UID: uidOf(n)})
			return err
		},
		"codes that nobody has": func(n int) error {
			url := strings.Repeat("x", 1000) + fmt.Sprint(n)
			_, err := r.InviteeSums(t.Context(), CommissionFilter{Days: days, Code: url[500:]})
			return err
		},
		"all their days": func(n int) error {
			_, err := r.InviteeDays(t.Context(), CommissionFilter{Days: affiliate.Days{First: days.First - affiliate.Day(n), Last: days.Last}})
			return err
		},
	} {
		times := 300
		if what == "all their days" {
			times = 10
		}
		if err := ask(0); err != nil { // blocks and names are in memory from here on
			t.Fatal(err)
		}
		var taken, counted int64
		for range 5 { // what else the process does at that moment is in the heap, too
			r.memory.answers = newRoom(roomForAnswers)
			before := heapOf()
			for n := range times {
				if err := ask(n); err != nil {
					t.Fatal(err)
				}
			}
			if taken, counted = heapOf()-before, r.memory.answers.used; taken <= counted*5/4+64<<10 {
				break
			}
		}
		if kept := len(r.memory.answers.kept); kept != times || taken > counted*5/4+64<<10 {
			t.Errorf("%s: %d answers take %d bytes, %d are counted", what, kept, taken, counted)
		}
	}
}

// Questions of the same words but for answers of another type are others.
func TestAnswersOfAnotherTypeAreNotFound(t *testing.T) {
	s := manyInvitees(t, 3, 1)
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f := CommissionFilter{Days: everyDay}
	if _, err := r.InviteeSums(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	got, err := Recall(t.Context(), r, "invitees", f, func(int) int64 { return 8 }, func() (int, error) { return 7, nil })
	if err != nil || got != 7 {
		t.Errorf("the answer is %d (%v)", got, err)
	}
}
