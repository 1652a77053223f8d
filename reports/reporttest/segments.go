package reporttest

import (
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

// NewSegment adds a segment by its conditions.
func (d *Fixture) NewSegment(name, definition string) int64 {
	d.Helper()
	id, err := d.Service.AddSegment(d.Context(), name, definition, audit.Line{Actor: "ann"})
	storetest.Done(d, err)
	return id
}

// Person is one invitee of one account.
type Person struct {
	Account affiliate.Account
	Uid     affiliate.UID
}

// Members returns whom the conditions select, by a scan of all records and of the list of
// invitees.
func (m *Model) Members(conditions url.Values) map[Person]bool {
	given := conditions.Get
	chosen := func(name, value string) bool {
		return given(name) == "" || slices.Contains(strings.Split(given(name), ","), value)
	}
	everybody := map[Person]bool{} // true: listed
	for account, codes := range inviteCodes {
		for uid := range codes {
			everybody[Person{account, uid}] = true
		}
	}
	for _, r := range m.Records {
		if p := (Person{r.Account, r.UID}); !everybody[p] {
			everybody[p] = false
		}
	}
	found := map[Person]bool{}
	for p, listed := range everybody {
		commission, volume := new(big.Rat), new(big.Rat)
		matching, last := 0, affiliate.Day(0)
		for _, r := range m.Records {
			if (Person{r.Account, r.UID}) != p {
				continue
			}
			day := affiliate.DayOf(r.DealTime.Time(), m.Zone)
			last = max(last, day)
			if !chosen("product", string(r.Product)) || given("source") != "" && given("source") != string(r.Source) || !m.symbol(given("symbol"), r.Symbol) ||
				!chosen("coin", string(r.Coin)) || day.String() < given("from") || day.String() > given("to") {
				continue
			}
			matching++
			commission.Add(commission, Rat(m, string(r.Commission.Commission)))
			volume.Add(volume, Rat(m, string(r.TakerAmount)))
			volume.Add(volume, Rat(m, string(r.MakerAmount)))
		}
		bounded := given("commission_least")+given("commission_most") != ""
		needs := given("product")+given("source")+given("symbol") != "" || given("coin") != "" && !bounded
		registered := affiliate.DayOf(Midnight(Today-30).Time(), m.Zone)
		ok := chosen("account", string(p.Account)) && chosen("code", inviteCodes[p.Account][p.Uid]) && chosen("uid", string(p.Uid)) &&
			(!needs || matching > 0) && between(m, commission, given("commission_least"), given("commission_most")) && between(m, volume, given("volume_least"), given("volume_most")) &&
			(given("first_trade") == "" || (last != 0) == (given("first_trade") == "yes"))
		switch given("registered") {
		case "90d":
			ok = ok && listed
		case "7d":
			ok = false
		case "2026-08-01..2026-08-31":
			ok = ok && listed && registered.String() >= "2026-08-01" && registered.String() <= "2026-08-31"
		}
		if least := given("silent_least"); least != "" {
			ok = ok && last != 0 && int(affiliate.DayOf(Noon, m.Zone)-last) >= int(least[0]-'0')
		}
		if ok {
			found[p] = true
		}
	}
	return found
}

func (m *Model) symbol(asked, symbol string) bool {
	return asked == "" || strings.EqualFold(asked, symbol)
}

func between(t testing.TB, amount *big.Rat, least, most string) bool {
	return (least == "" || amount.Cmp(Rat(t, least)) >= 0) && (most == "" || amount.Cmp(Rat(t, most)) <= 0)
}
