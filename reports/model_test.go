package reports_test

import (
	"cmp"
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
	"rebatedesk/store/records"
)

// record holds the fields of a stored row that the model needs.
type record struct {
	affiliate.Commission
	account affiliate.Account
	code    string
}

// model answers queries by scanning every record, with arithmetic independent of the
// program.
type model struct {
	testing.TB
	zone    *time.Location
	records []record
}

// span is the range of the model's records, in UTC days.
var span = affiliate.Days{First: today - 5, Last: today}

var inviteCodes = map[affiliate.Account]map[affiliate.UID]string{
	"main":  {"4667776801": "spring", "4667776802": "yt-100%", "4667776803": ""},
	"other": {"4667776801": "telegram", "4667776804": "spring", "4667776805": "SPRING"},
}

// newModelFixture returns a fixture whose invitees have codes.
func newModelFixture(t *testing.T, zone string) *fixture {
	d := newFixture(t, zone)
	for account, codes := range inviteCodes {
		var invitees []affiliate.Invitee
		for uid, code := range codes {
			invitees = append(invitees, affiliate.Invitee{UID: uid, InviteCode: code, RegisterTime: midnight(today - 30)})
		}
		d.readInvitees(account, span, invitees...)
	}
	return d
}

func drawNumber(t *rapid.T, label string) affiliate.Number {
	return affiliate.Number(rapid.OneOf(
		rapid.SampledFrom([]string{"", "", "0", "-0.00", "0.682571", "-5.00", "0.000000000000000001", "98765432109876543210.000000000000000003"}),
		rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,18})?`), rapid.StringMatching(`[0-9]{1,3}\.[0-9]{1,4}`),
	).Draw(t, label))
}

func drawRecord(t *rapid.T) record {
	var r record
	r.account = rapid.SampledFrom([]affiliate.Account{"main", "main", "other"}).Draw(t, "account")
	r.UID = affiliate.UID(fmt.Sprint(4667776800 + rapid.IntRange(1, 5).Draw(t, "uid")))
	r.code = inviteCodes[r.account][r.UID]
	r.Product = rapid.SampledFrom(affiliate.Products()).Draw(t, "product")
	r.Symbol = rapid.SampledFrom([]string{"BTCUSDT", "cmt_btcusdt", "cmtxbtcusdt", ""}).Draw(t, "symbol")
	r.Source = rapid.SampledFrom([]affiliate.Source{affiliate.Direct, affiliate.SubAgent, "7"}).Draw(t, "source")
	r.Coin = rapid.SampledFrom([]affiliate.Coin{"USDT", "USDT", "BTC", "ETH"}).Draw(t, "coin")
	hours := rapid.IntRange(0, 24*span.Len()-13).Draw(t, "hour")
	offset := rapid.SampledFrom([]time.Duration{0, -time.Millisecond, 15 * time.Minute, time.Millisecond, 45 * time.Minute}).Draw(t, "offset")
	r.DealTime = max(affiliate.MillisOf(span.First.Start(time.UTC).Add(time.Duration(hours)*time.Hour+offset)), midnight(span.First))
	r.TakerAmount, r.MakerAmount = drawNumber(t, "taker"), drawNumber(t, "maker")
	r.Fee, r.Rate, r.Commission.Commission = drawNumber(t, "fee"), drawNumber(t, "rate"), drawNumber(t, "commission")
	return r
}

// draw replaces the records of the fixture by at most the given number and some twins of
// them, and returns their model.
func draw(t *rapid.T, d *fixture, most int) *model {
	m := &model{TB: d.TB, zone: d.zone, records: rapid.SliceOfN(rapid.Custom(drawRecord), 0, most).Draw(t, "records")}
	if n := len(m.records); n > 0 {
		for range rapid.IntRange(0, 3).Draw(t, "twins") {
			m.records = append(m.records, m.records[rapid.IntRange(0, n-1).Draw(t, "twin")])
		}
	}
	for _, account := range []affiliate.Account{"main", "other"} {
		for _, stream := range []affiliate.Stream{spot, futures} {
			var list []affiliate.Commission
			for _, r := range m.records {
				if r.account == account && r.Product == stream.Product {
					list = append(list, r.Commission)
				}
			}
			d.read(account, stream, span, list...)
		}
	}
	return m
}

// drawFilters draws filters of a query, by values that occur and by others.
func drawFilters(t *rapid.T) url.Values {
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
	values.Set("from", (today + affiliate.Day(first)).String())
	values.Set("to", (today + affiliate.Day(rapid.IntRange(first, 0).Draw(t, "last"))).String())
	return values
}

// matching returns the model's records that match a query.
func (m *model) matching(q query.Query) []record {
	return slices.DeleteFunc(slices.Clone(m.records), func(r record) bool {
		contains := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) }
		return !q.Days.Contains(affiliate.DayOf(r.DealTime.Time(), m.zone)) ||
			q.Account != "" && r.account != q.Account || q.Product != "" && r.Product != q.Product ||
			q.Coin != "" && r.Coin != q.Coin || q.UID != "" && r.UID != q.UID || q.Symbol != "" && r.Symbol != q.Symbol ||
			q.Source != "" && r.Source != q.Source || q.Code != "" && r.code != q.Code ||
			q.Text != "" && !contains(string(r.UID)) && !contains(r.Symbol) && !contains(r.code)
	})
}

// sums holds the exact totals of a coin.
type sums struct {
	records                       int64
	fee, commission, taker, maker *big.Rat
}

func (m *model) sums(records []record) map[affiliate.Coin]*sums {
	list := map[affiliate.Coin]*sums{}
	for _, r := range records {
		s := list[r.Coin]
		if s == nil {
			s = &sums{0, new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)}
			list[r.Coin] = s
		}
		s.add(m, 1, r.Fee, r.Commission.Commission, r.TakerAmount, r.MakerAmount)
	}
	return list
}

func (s *sums) add(t testing.TB, records int64, fee, commission, taker, maker affiliate.Number) {
	s.records += records
	s.fee.Add(s.fee, rat(t, string(fee)))
	s.commission.Add(s.commission, rat(t, string(commission)))
	s.taker.Add(s.taker, rat(t, string(taker)))
	s.maker.Add(s.maker, rat(t, string(maker)))
}

func (s *sums) equal(o *sums) bool {
	return s.records == o.records && s.fee.Cmp(o.fee) == 0 && s.commission.Cmp(o.commission) == 0 &&
		s.taker.Cmp(o.taker) == 0 && s.maker.Cmp(o.maker) == 0
}

func (s *sums) String() string {
	return fmt.Sprintf("%d records, fee %s, commission %s, taker %s, maker %s", s.records,
		s.fee.FloatString(18), s.commission.FloatString(18), s.taker.FloatString(18), s.maker.FloatString(18))
}

// order compares two rows by a column, independently of SQL.
func order(t testing.TB, column string, a, b records.CommissionRow) int {
	byValue := func(a, b affiliate.Number) int { // unknown values come first
		if !a.Known() || !b.Known() {
			return cmp.Compare(len(a), len(b))
		}
		return rat(t, string(a)).Cmp(rat(t, string(b)))
	}
	switch column {
	case "time":
		return cmp.Compare(a.DealTime, b.DealTime)
	case "uid":
		return cmp.Compare(a.UID, b.UID)
	case "symbol":
		return cmp.Compare(a.Symbol, b.Symbol)
	case "product":
		return cmp.Compare(a.Product, b.Product)
	case "source":
		return cmp.Compare(a.Source, b.Source)
	case "coin":
		return cmp.Compare(a.Coin, b.Coin)
	case "taker":
		return byValue(a.TakerAmount, b.TakerAmount)
	case "maker":
		return byValue(a.MakerAmount, b.MakerAmount)
	case "fee":
		return byValue(a.Fee, b.Fee)
	case "rate":
		return byValue(a.Rate, b.Rate)
	case "commission":
		return byValue(a.Commission.Commission, b.Commission.Commission)
	}
	t.Fatalf("no column %s", column)
	return 0
}

// atScale rounds to 18 decimals, half to even, with arithmetic independent of the program.
func atScale(r *big.Rat) *big.Rat {
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
