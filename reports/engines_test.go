package reports_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// The same readings give the same reports, the same files byte for byte, and the same
// verification on every engine.
func TestEnginesAgree(t *testing.T) {
	servers := storetest.Servers(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "desk.db")
	storetest.Place(t, path)
	sqlite := newFixtureAt(t, "Asia/Kathmandu", path)
	sqlite.fillVaried()
	want, files := sqlite.everyReport(t), sqlite.everyFile()
	verification := verified(t, sqlite.store)
	for engine, empty := range servers {
		t.Run(engine, func(t *testing.T) {
			d := newFixtureAt(t, "Asia/Kathmandu", empty(t))
			d.fillVaried()
			got := d.everyReport(t)
			for name := range want {
				if !reflect.DeepEqual(got[name], want[name]) {
					t.Errorf("report %s: %s gives\n%+v\nSQLite gives\n%+v", name, engine, got[name], want[name])
				}
			}
			for name, content := range d.everyFile() {
				if content != files[name] {
					t.Errorf("%s: %s gives\n%.3000s\nSQLite gives\n%.3000s", name, engine, content, files[name])
				}
			}
			if found := verified(t, d.store); !reflect.DeepEqual(found, verification) {
				t.Errorf("%s is verified as\n%+v\nSQLite as\n%+v", engine, found, verification)
			}
			t.Logf("%d reports, %d files", len(want), len(files))
		})
	}
}

// everyReport returns the reports of [Cache], and pages of lists of records in several orders.
func (d *fixture) everyReport(t *testing.T) map[string]any {
	all := Cache(t, d, d.Service)
	for _, order := range []string{"-time", "time", "-commission", "fee", "-symbol"} {
		for _, of := range []string{"", "&code=spring", "&q=é", "&uid=4667776801", "&coin=USDT&page=2"} {
			asked := "range=all&per=10&sort=" + order + of
			list, err := d.Commissions(t.Context(), d.ask(asked))
			if err != nil || len(list.Rows) == 0 {
				t.Fatalf("%s: %d rows, %v", asked, len(list.Rows), err)
			}
			all["records "+asked] = list
		}
	}
	return all
}

// everyFile returns the content of each kind of export for each of its queries, by what was
// asked. At least half of them have rows.
func (d *fixture) everyFile() map[string]string {
	d.Helper()
	files, filled := map[string]string{}, 0
	for _, kind := range slices.Sorted(maps.Keys(kindQueries)) {
		for _, asked := range append(slices.Clone(kindQueries[kind]), "as_of="+noon.Add(90*time.Minute).UTC().Format("2006-01-02T15:04:05Z")) {
			if !strings.Contains(asked, "range") {
				asked += "&from=" + (today - 20).String() + "&to=" + today.String()
			}
			for _, format := range []export.Format{export.CSV, export.JSON} {
				content, written := d.export(kind, format, d.askFor(kind, asked))
				if written.Rows > 0 {
					filled++
				}
				files[fmt.Sprintf("%s?%s as %s", kind, asked, format)] = content
			}
		}
	}
	if filled < len(files)/2 {
		d.Errorf("only %d of %d files have rows", filled, len(files))
	}
	return files
}

// fillVaried stores readings of two accounts that open, close and change rows of all kinds.
func (d *fixture) fillVaried() {
	d.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	numbers := []affiliate.Number{"", "0", "-0.0", "1", "1.0", "-1", "10", "9", "-10.5", "98765432109876543210.000000000000000001", "0.10", "0.1", "0.000000000000000001"}
	number := func() affiliate.Number { return numbers[random.IntN(len(numbers))] }
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	d.want("main", today-30)
	kept := map[string][]affiliate.Commission{}
	for reading := range 3 {
		for _, account := range []affiliate.Account{"main", "other"} {
			var invitees []affiliate.Invitee
			for n := range 12 {
				if random.IntN(6) == 0 {
					continue
				}
				in := affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(4667776800 + n)), RegisterTime: midnight(today-affiliate.Day(n)) + 5, InviteCode: pick("spring", "Spring", "", "vip é"), KYC: affiliate.Flag(pick("true", "false", ""))}
				if random.IntN(2) == 0 {
					in.FirstDeposit = in.RegisterTime + 7
					in.FirstTrade = in.FirstDeposit + affiliate.Millis(random.IntN(1e9))
				}
				invitees = append(invitees, in)
			}
			d.readInvitees(account, days(-20, 0), invitees...)
			for _, stream := range []affiliate.Stream{spot, futures} {
				key := string(account) + stream.String()
				rows := slices.DeleteFunc(kept[key], func(affiliate.Commission) bool { return random.IntN(5) == 0 })
				for range 80 {
					c := trade(today-affiliate.Day(random.IntN(20)), stream, random.IntN(12), number())
					c.DealTime += affiliate.Millis(random.IntN(12 * 3600 * 1000))
					c.Symbol, c.Source = pick("BTCUSDT", "cmt_btcusdt", "é_usdt", "", "btcusdt"), affiliate.Source(pick("direct", "sub", "7"))
					c.Coin = affiliate.Coin(pick("USDT", "USDT", "BTC", "ETH"))
					c.Fee, c.TakerAmount, c.MakerAmount, c.Rate = number(), number(), number(), number()
					rows = append(rows, c)
				}
				kept[key] = rows
				d.read(account, stream, days(-20, 0), rows...)
				subs := d.slice(account, affiliate.Stream{Kind: affiliate.SubAffiliates, Product: stream.Product}, days(-20, -1))
				var list []affiliate.SubAffiliateDay
				for n := range 10 {
					list = append(list, affiliate.SubAffiliateDay{UID: affiliate.UID(pick("7", "8", "70")), Product: stream.Product, Date: today - affiliate.Day(2*n+1), TradingVolume: number(), NetTradingFee: number(), PaidCommission: number()})
				}
				if _, err := records.ReplaceSubAffiliateDays(d.Context(), d.store, subs, list); err != nil {
					d.Fatal(err)
				}
			}
		}
		d.sample("BTC", affiliate.Number(fmt.Sprintf("8921%d.01", reading)))
		d.now = d.now.Add(time.Hour)
	}
	d.fail(futures, days(-1, -1), "HTTP 502")
	for _, uid := range []affiliate.UID{"4667776801", "4667776805"} {
		if err := d.AddTag(d.Context(), "main", uid, "VIP é"); err != nil {
			d.Fatal(err)
		}
	}
}

// verified returns the findings about a store, without what only a file has.
func verified(t *testing.T, s *store.Store) (findings []store.VerifyResult) {
	t.Helper()
	for finding, err := range upkeep.Verify(t.Context(), s) {
		if err != nil || !finding.Sound() {
			t.Errorf("%s: %v (%v)", finding.Check, finding.Faults, err)
		}
		if finding.Check != "integrity" {
			findings = append(findings, finding)
		}
	}
	return findings
}
