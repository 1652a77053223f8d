package site

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
)

// List runs the query of the page on the service.
func (f *Pipeline) List(query url.Values) subaffiliates.Report {
	f.Helper()
	report, err := reports.Ask(context.Background(), f.Service, f.question(query, subaffiliates.Sorts), subaffiliates.Make)
	if err != nil {
		f.Fatalf("%s: %v", query.Encode(), err)
	}
	return report
}

func (f *Pipeline) One(uid affiliate.UID, query url.Values) subaffiliates.Detail {
	f.Helper()
	q := f.question(query, subaffiliates.DaySorts)
	q.UID = uid
	report, err := reports.Ask(context.Background(), f.Service, q, subaffiliates.MakeOne)
	if err != nil {
		f.Fatalf("%s: %s: %v", uid, query.Encode(), err)
	}
	return report
}

func (f *Pipeline) question(asked url.Values, sorts []string) query.Query {
	f.Helper()
	basis, err := f.Service.Basis(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	basis.Sorts, basis.Order = sorts, query.Sort{Field: sorts[0], Descending: true}
	q, err := query.Parse(asked, basis)
	if err != nil {
		f.Fatalf("%s: %v", asked.Encode(), err)
	}
	return q
}

// SubSums holds sums that are computed independently of the program.
type SubSums struct {
	Records           int64
	volume, fee, Paid *big.Rat
}

func (s *SubSums) Add(t testing.TB, volume, fee, paid affiliate.Number) {
	if s.volume == nil {
		s.volume, s.fee, s.Paid = new(big.Rat), new(big.Rat), new(big.Rat)
	}
	s.Records++
	for _, sum := range []struct {
		into *big.Rat
		n    affiliate.Number
	}{{s.volume, volume}, {s.fee, fee}, {s.Paid, paid}} {
		r, ok := new(big.Rat).SetString(string(sum.n))
		if !ok {
			t.Fatalf("%q is not a number", sum.n)
		}
		sum.into.Add(sum.into, r)
	}
}

func (s SubSums) String() string {
	if s.volume == nil {
		return "nothing"
	}
	return fmt.Sprintf("%d records, volume %s, fee %s, paid %s", s.Records, s.volume.FloatString(18), s.fee.FloatString(18), s.Paid.FloatString(18))
}

// LedgerSums returns the sums of the simulator's ledger.
func (f *Pipeline) LedgerSums(q query.Query, days affiliate.Days) SubSums {
	var s SubSums
	for _, d := range f.Sim.Ledger().SubAffiliateDays {
		if days.Contains(d.Date) && (q.Product == "" || d.Product == q.Product) && (q.UID == "" || d.UID == q.UID) &&
			(q.Account == "" || q.Account == "main") && strings.Contains(string(d.UID), q.Text) {
			s.Add(f, d.TradingVolume, d.NetTradingFee, d.PaidCommission)
		}
	}
	return s
}

// FileSums returns the sums of the rows of a file.
func (f *Pipeline) FileSums(address string) SubSums {
	f.Helper()
	a := Get(f, address)
	if a.StatusCode != 200 {
		f.Fatalf("%s: status %d", address, a.StatusCode)
	}
	lines, err := csv.NewReader(strings.NewReader(a.Body)).ReadAll()
	if err != nil {
		f.Fatal(err)
	}
	var s SubSums
	for _, line := range lines[1:] {
		s.Add(f, affiliate.Number(line[4]), affiliate.Number(line[5]), affiliate.Number(line[6]))
	}
	return s
}

func (f *Pipeline) DrawFilters(random *rand.Rand) url.Values {
	uids := f.Uids()
	last := affiliate.DayOf(Now, time.UTC) - affiliate.Day(random.IntN(8))
	query := url.Values{"to": {last.String()}, "from": {(last - affiliate.Day(random.IntN(SimulatedDays))).String()}, "per": {"500"}}
	for name, values := range map[string][]string{
		"account": {"main"}, "product": {"SPOT", "FUTURES"}, "uid": {string(uids[0]), "1"}, "q": {"7", "42", "x%", string(uids[1])},
		"compare": {"previous", "weekday"}, "sort": {"-paid", "uid", "-change", "ratio", "-days", "last", "spot", "-share"},
	} {
		if random.IntN(3) == 0 {
			query.Set(name, values[random.IntN(len(values))])
		}
	}
	return query
}

func (f *Pipeline) Uids() []affiliate.UID {
	var uids []affiliate.UID
	for _, d := range f.Sim.Ledger().SubAffiliateDays {
		uids = append(uids, d.UID)
	}
	slices.Sort(uids)
	return slices.Compact(uids)
}

func (s SubSums) Figures() subaffiliates.Figures {
	if s.volume == nil {
		return subaffiliates.Figures{}
	}
	number := func(r *big.Rat) affiliate.Number { return affiliate.Number(r.FloatString(18)) }
	return subaffiliates.Figures{Records: s.Records, Volume: number(s.volume), Fee: number(s.fee), Paid: number(s.Paid)}
}
