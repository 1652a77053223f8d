package site

import (
	"encoding/csv"
	"math/big"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
)

// Rows returns the rows of a CSV file, each cell under its column name.
func (f *Pipeline) Rows(path string) (list []map[string]string) {
	f.Helper()
	a := Get(f.TB, f.Address+path)
	rows, err := csv.NewReader(strings.NewReader(a.Body)).ReadAll()
	if err != nil || a.StatusCode != 200 || len(rows) == 0 {
		f.Fatalf("%s: status %d, %v", path, a.StatusCode, err)
	}
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = row[i]
		}
		list = append(list, cells)
	}
	return list
}

// Life holds the history of one invitee, computed independently from the records and the
// exchange. Days are numbers.
type Life struct {
	Days    []int // days with commission, in order, each once
	Last    int   // last day with a trade; 0: none
	Ever    CoinRats
	Recent  CoinRats // sums of the last 180 days
	records map[string]int
}

// Lives computes the history of each invitee from the files of a programme.
func (f *Pipeline) Lives(zone *time.Location, today int) map[string]*Life {
	f.Helper()
	day := func(text string) int {
		at, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		if err != nil {
			f.Fatal(err)
		}
		y, m, d := at.In(zone).Date()
		return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	}
	all := map[string]*Life{}
	of := func(uid string) *Life {
		if all[uid] == nil {
			all[uid] = &Life{Ever: CoinRats{}, Recent: CoinRats{}, records: map[string]int{}}
		}
		return all[uid]
	}
	for _, r := range f.Rows("/commissions.csv?range=all&sort=time") {
		one, on, coin := of(r["uid"]), day(r["deal_time_utc"]), r["coin"]
		one.Ever.Add(affiliate.Coin(coin), r["commission"])
		one.records[coin]++
		one.Last = max(one.Last, on)
		if on > today-180 {
			one.Recent.Add(affiliate.Coin(coin), r["commission"])
			if n := len(one.Days); n == 0 || one.Days[n-1] != on {
				one.Days = append(one.Days, on)
			}
		}
	}
	for _, r := range f.Rows("/invitees.csv?range=all") {
		if told := r["last_trade_utc"]; told != "" {
			of(r["uid"]).Last = max(of(r["uid"]).Last, day(told))
		}
	}
	return all
}

// Gap returns twice the median of the days between days with commission, or 0 if there
// are too few.
func (l *Life) Gap() int {
	var gaps []int
	for i := 1; i < len(l.Days); i++ {
		gaps = append(gaps, l.Days[i]-l.Days[i-1])
	}
	if len(gaps) < 3 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[(len(gaps)-1)/2] + gaps[len(gaps)/2]
}

// Coin returns the coin of most records.
func (l *Life) Coin() string {
	best := ""
	for coin, n := range l.records {
		if best == "" || n > l.records[best] || n == l.records[best] && coin < best {
			best = coin
		}
	}
	return best
}

// AtRisk returns the mean commission in a coin in thirty days while the invitee traded,
// or nil if the invitee is not silent by its own gap.
func (l *Life) AtRisk(coin string, today int) *big.Rat {
	gap, sum := l.Gap(), l.Recent[affiliate.Coin(coin)]
	if gap == 0 || 2*(today-l.Last) <= min(60, 3*gap) || sum == nil || sum.Sign() <= 0 {
		return nil
	}
	span := max(30, l.Days[len(l.Days)-1]-l.Days[0]+1)
	return new(big.Rat).Mul(sum, big.NewRat(30, int64(span)))
}

// Same reports whether a cell equals a value to nine decimals; nil means unknown.
func Same(cell string, value *big.Rat) bool {
	if value == nil || cell == "" {
		return value == nil && cell == ""
	}
	got, ok := new(big.Rat).SetString(cell)
	return ok && new(big.Rat).Abs(got.Sub(got, value)).Cmp(big.NewRat(1, 1_000_000_000)) < 0
}
