package reporttest

import (
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
)

// Record holds the fields of a stored row that the model needs.
type Record struct {
	affiliate.Commission
	Account affiliate.Account
	Code    string
}

// Model answers queries by scanning every record, with arithmetic independent of the
// program.
type Model struct {
	testing.TB
	Zone    *time.Location
	Records []Record
}

// Span is the range of the model's records, in UTC days.
var Span = affiliate.Days{First: Today - 5, Last: Today}

var inviteCodes = map[affiliate.Account]map[affiliate.UID]string{
	"main":  {"4667776801": "spring", "4667776802": "yt-100%", "4667776803": ""},
	"other": {"4667776801": "telegram", "4667776804": "spring", "4667776805": "SPRING"},
}

// NewModelFixture returns a fixture whose invitees have codes.
func NewModelFixture(t *testing.T, zone string) *Fixture {
	d := NewFixture(t, zone)
	for account, codes := range inviteCodes {
		var invitees []affiliate.Invitee
		for uid, code := range codes {
			invitees = append(invitees, affiliate.Invitee{UID: uid, InviteCode: code, RegisterTime: Midnight(Today - 30)})
		}
		d.ReadInvitees(account, Span, invitees...)
	}
	return d
}

func DrawNumber(t *rapid.T, label string) affiliate.Number {
	return affiliate.Number(rapid.OneOf(
		rapid.SampledFrom([]string{"", "", "0", "-0.00", "0.682571", "-5.00", "0.000000000000000001", "98765432109876543210.000000000000000003"}),
		rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,18})?`), rapid.StringMatching(`[0-9]{1,3}\.[0-9]{1,4}`),
	).Draw(t, label))
}

func DrawRecord(t *rapid.T) Record {
	var r Record
	r.Account = rapid.SampledFrom([]affiliate.Account{"main", "main", "other"}).Draw(t, "account")
	r.UID = affiliate.UID(fmt.Sprint(4667776800 + rapid.IntRange(1, 5).Draw(t, "uid")))
	r.Code = inviteCodes[r.Account][r.UID]
	r.Product = rapid.SampledFrom(affiliate.Products()).Draw(t, "product")
	r.Symbol = rapid.SampledFrom([]string{"BTCUSDT", "cmt_btcusdt", "cmtxbtcusdt", ""}).Draw(t, "symbol")
	r.Source = rapid.SampledFrom([]affiliate.Source{affiliate.Direct, affiliate.SubAgent, "7"}).Draw(t, "source")
	r.Coin = rapid.SampledFrom([]affiliate.Coin{"USDT", "USDT", "BTC", "ETH"}).Draw(t, "coin")
	hours := rapid.IntRange(0, 24*Span.Len()-13).Draw(t, "hour")
	offset := rapid.SampledFrom([]time.Duration{0, -time.Millisecond, 15 * time.Minute, time.Millisecond, 45 * time.Minute}).Draw(t, "offset")
	r.DealTime = max(affiliate.MillisOf(Span.First.Start(time.UTC).Add(time.Duration(hours)*time.Hour+offset)), Midnight(Span.First))
	r.TakerAmount, r.MakerAmount = DrawNumber(t, "taker"), DrawNumber(t, "maker")
	r.Fee, r.Rate, r.Commission.Commission = DrawNumber(t, "fee"), DrawNumber(t, "rate"), DrawNumber(t, "commission")
	return r
}

// Draw replaces the records of the fixture by at most the given number and some twins of
// them, and returns their model.
func Draw(t *rapid.T, d *Fixture, most int) *Model {
	m := &Model{TB: d.TB, Zone: d.Zone, Records: rapid.SliceOfN(rapid.Custom(DrawRecord), 0, most).Draw(t, "records")}
	if n := len(m.Records); n > 0 {
		for range rapid.IntRange(0, 3).Draw(t, "twins") {
			m.Records = append(m.Records, m.Records[rapid.IntRange(0, n-1).Draw(t, "twin")])
		}
	}
	for _, account := range []affiliate.Account{"main", "other"} {
		for _, stream := range []affiliate.Stream{Spot, Futures} {
			var list []affiliate.Commission
			for _, r := range m.Records {
				if r.Account == account && r.Product == stream.Product {
					list = append(list, r.Commission)
				}
			}
			d.Read(account, stream, Span, list...)
		}
	}
	return m
}

// DrawFilters draws filters of a query, by values that occur and by others.
func DrawFilters(t *rapid.T) url.Values {
	values := url.Values{}
	for name, options := range map[string][]string{
		"account": {"main", "other"}, "product": {"SPOT", "FUTURES"}, "coin": {"USDT", "BTC", "XRP"},
		"uid": {"4667776801", "4667776805", "1"}, "symbol": {"cmt_btcusdt", "BTCUSDT", "x"}, "source": {"direct", "sub"},
		"code": {"spring", "SPRING", "Spring", "yt-100%", "%"}, "q": {"BTC", "t_b", "776801", "%", "SPR", "nothing"},
	} {
		if rapid.IntRange(0, 4).Draw(t, "narrow by "+name) == 0 {
			values.Set(name, rapid.SampledFrom(options).Draw(t, name))
		}
	}
	first := rapid.IntRange(-6, 0).Draw(t, "first")
	values.Set("from", (Today + affiliate.Day(first)).String())
	values.Set("to", (Today + affiliate.Day(rapid.IntRange(first, 0).Draw(t, "last"))).String())
	return values
}

// Matching returns the model's records that match a query.
func (m *Model) Matching(q query.Query) []Record {
	return slices.DeleteFunc(slices.Clone(m.Records), func(r Record) bool {
		contains := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) }
		return !q.Days.Contains(affiliate.DayOf(r.DealTime.Time(), m.Zone)) ||
			q.Account != "" && r.Account != q.Account || q.Product != "" && r.Product != q.Product ||
			q.Coin != "" && r.Coin != q.Coin || q.UID != "" && r.UID != q.UID || q.Symbol != "" && r.Symbol != q.Symbol ||
			q.Source != "" && r.Source != q.Source || q.Code != "" && r.Code != q.Code ||
			q.Text != "" && !contains(string(r.UID)) && !contains(r.Symbol) && !contains(r.Code)
	})
}

// Sums holds the exact totals of a coin.
type Sums struct {
	Records                       int64
	Fee, Commission, Taker, Maker *big.Rat
}

func (m *Model) Sums(records []Record) map[affiliate.Coin]*Sums {
	list := map[affiliate.Coin]*Sums{}
	for _, r := range records {
		s := list[r.Coin]
		if s == nil {
			s = &Sums{0, new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)}
			list[r.Coin] = s
		}
		s.Add(m, 1, r.Fee, r.Commission.Commission, r.TakerAmount, r.MakerAmount)
	}
	return list
}

func (s *Sums) Add(t testing.TB, records int64, fee, commission, taker, maker affiliate.Number) {
	s.Records += records
	s.Fee.Add(s.Fee, Rat(t, string(fee)))
	s.Commission.Add(s.Commission, Rat(t, string(commission)))
	s.Taker.Add(s.Taker, Rat(t, string(taker)))
	s.Maker.Add(s.Maker, Rat(t, string(maker)))
}

func (s *Sums) Equal(o *Sums) bool {
	return s.Records == o.Records && s.Fee.Cmp(o.Fee) == 0 && s.Commission.Cmp(o.Commission) == 0 &&
		s.Taker.Cmp(o.Taker) == 0 && s.Maker.Cmp(o.Maker) == 0
}

func (s *Sums) String() string {
	return fmt.Sprintf("%d records, fee %s, commission %s, taker %s, maker %s", s.Records,
		s.Fee.FloatString(18), s.Commission.FloatString(18), s.Taker.FloatString(18), s.Maker.FloatString(18))
}

// AtScale rounds to 18 decimals, half to even, with arithmetic independent of the program.
func AtScale(r *big.Rat) *big.Rat {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	units := new(big.Int).Mul(r.Num(), scale)
	whole, rest := new(big.Int).DivMod(units, r.Denom(), new(big.Int)) // rounds down
	switch rest.Lsh(rest, 1).Cmp(r.Denom()) {
	case 1:
		whole.Add(whole, big.NewInt(1))
	case 0:
		whole.Add(whole, new(big.Int).And(whole, big.NewInt(1)))
	}
	return new(big.Rat).SetFrac(whole, scale)
}
