package reporttest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/export"
	shownpayments "rebatedesk/reports/payments"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/costs"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// EveryReport returns the reports of [Cache], and pages of lists of records in several orders.
func (d *Fixture) EveryReport(t *testing.T) map[string]any {
	all := Cache(t, d, d.Service)
	for _, order := range []string{"-time", "time", "-commission", "fee", "-symbol"} {
		for _, of := range []string{"", "&code=spring", "&q=é", "&uid=4667776801", "&coin=USDT&page=2"} {
			asked := "range=all&per=10&sort=" + order + of
			list, err := reports.Ask(t.Context(), d.Service, d.Ask(asked), commissions.Make)
			if err != nil || len(list.Rows) == 0 {
				t.Fatalf("%s: %d rows, %v", asked, len(list.Rows), err)
			}
			all["records "+asked] = list
		}
	}
	for _, by := range drivers.Dimensions() {
		for _, asked := range []string{"range=7d", "range=7d&compare=weekday&coin=BTC", "range=14d&account=other&code=spring", "range=7d&as_of=" + Noon.Add(90*time.Minute).UTC().Format(time.RFC3339)} {
			asked += "&by=" + string(by)
			q := d.QueryOf(asked, drivers.Accepted)
			r, err := reports.Ask(t.Context(), d.Service, q, drivers.Make)
			if err != nil || !r.Known() || len(r.Contributions) == 0 {
				t.Fatalf("drivers %s: %d contributions, %v", asked, len(r.Contributions), err)
			}
			all["drivers "+asked] = r
			all["drivers for programs "+asked], _ = d.Export(drivers.File, export.JSON, q)
		}
	}
	for _, asked := range []string{"range=all", "range=30d&per=7&page=2&sort=-difference", "coin=USDT&kind=all", "account=other&state=unexplained", "q=reward", "as_of=" + Noon.Add(90*time.Minute).UTC().Format(time.RFC3339)} {
		books, err := reports.Ask(t.Context(), d.Service, d.QueryOf(asked, shownpayments.Accepted), shownpayments.Make)
		if err != nil || asked == "range=all" && (len(books.Lines) == 0 || len(books.Rules) == 0) {
			t.Fatalf("payments %s: %d lines, %d rules, %v", asked, len(books.Lines), len(books.Rules), err)
		}
		all["payments "+asked] = books
		if asked == "range=all" {
			for _, line := range books.Lines[:min(3, len(books.Lines))] {
				if all["payment "+line.Key().String()], err = d.Payment(t.Context(), d.Ask(""), line.Key()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	listed, err := d.Service.Segments(t.Context(), d.Ask(""), "ada")
	if err != nil || len(listed.Segments) != 2 || listed.Segments[0].Frozen == 0 || listed.Segments[1].Members == 0 {
		t.Fatalf("segments %+v, %v", listed.Segments, err)
	}
	all["segments"] = listed.Segments[1].Recent
	for _, asked := range []string{"segment=Éarners", "segment=kept", "segment=kept&code=spring", "segment=éarners&as_of=" + Noon.Add(90*time.Minute).UTC().Format(time.RFC3339)} {
		view := d.Overview("range=all&" + asked)
		if len(view.Cards) == 0 {
			t.Fatalf("%s: nothing", asked)
		}
		all["overview "+asked] = view
	}
	for _, asked := range []string{"", "since=2026-09-15T12:30:00Z&by=invitee&per=9&page=2&sort=-difference", "since=2026-09-15T12:30:00Z&code=spring&by=code", "since=2026-09-15T12:00:00Z&q=vip&by=pair&until=2026-09-15T13:30:00Z", "change=new&by=product"} {
		changed, err := reports.Ask(t.Context(), d.Service, d.QueryOf(asked, changes.Accepted), changes.Make)
		if err != nil || changed.Count == 0 || len(changed.Groups) == 0 {
			t.Fatalf("changes %s: %d lines, %d groups, %v", asked, changed.Count, len(changed.Groups), err)
		}
		all["changes "+asked] = changed
	}
	return all
}

// EveryFile returns the content of each kind of export for each of its queries, by what was
// asked. At least half of them have rows.
func (d *Fixture) EveryFile() map[string]string {
	d.Helper()
	files, filled := map[string]string{}, 0
	for _, kind := range KindsAsked() {
		for _, asked := range append(slices.Clone(KindQueries[kind]), "as_of="+Noon.Add(90*time.Minute).UTC().Format("2006-01-02T15:04:05Z")) {
			if !strings.Contains(asked, "range") {
				asked += "&from=" + (Today - 20).String() + "&to=" + Today.String()
			}
			if kind == changes.File {
				asked = strings.Replace(asked, "as_of=", "until=", 1)
			}
			for _, format := range []export.Format{export.CSV, export.JSON} {
				content, written := d.Export(kind, format, d.AskFor(kind, asked))
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

// FillVaried stores readings of two accounts that open, close and change rows of all kinds.
func (d *Fixture) FillVaried() {
	d.Helper()
	d.NewCost(costs.Cost{Scope: costs.OfCode, Value: "spring", Kind: costs.PerFirstTrade, Amount: "0.5", Coin: "USDT", First: Today - 6})
	random := rand.New(rand.NewPCG(3, 4))
	numbers := []affiliate.Number{"", "0", "-0.0", "1", "1.0", "-1", "10", "9", "-10.5", "98765432109876543210.000000000000000001", "0.10", "0.1", "0.000000000000000001"}
	number := func() affiliate.Number { return numbers[random.IntN(len(numbers))] }
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	d.Want("main", Today-30)
	kept := map[string][]affiliate.Commission{}
	for reading := range 3 {
		for _, account := range []affiliate.Account{"main", "other"} {
			var invitees []affiliate.Invitee
			for n := range 12 {
				if random.IntN(6) == 0 {
					continue
				}
				in := affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(4667776800 + n)), RegisterTime: Midnight(Today-affiliate.Day(n)) + 5, InviteCode: pick("spring", "Spring", "", "vip é"), KYC: affiliate.Flag(pick("true", "false", ""))}
				if random.IntN(2) == 0 {
					in.FirstDeposit = in.RegisterTime + 7
					in.FirstTrade = in.FirstDeposit + affiliate.Millis(random.IntN(1e9))
				}
				invitees = append(invitees, in)
			}
			d.ReadInvitees(account, Days(-20, 0), invitees...)
			for _, stream := range []affiliate.Stream{Spot, Futures} {
				key := string(account) + stream.String()
				rows := slices.DeleteFunc(kept[key], func(affiliate.Commission) bool { return random.IntN(5) == 0 })
				for range 80 {
					c := Trade(Today-affiliate.Day(random.IntN(20)), stream, random.IntN(12), number())
					c.DealTime += affiliate.Millis(random.IntN(12 * 3600 * 1000))
					c.Symbol, c.Source = pick("BTCUSDT", "cmt_btcusdt", "é_usdt", "", "btcusdt"), affiliate.Source(pick("direct", "sub", "7"))
					c.Coin = affiliate.Coin(pick("USDT", "USDT", "BTC", "ETH"))
					c.Fee, c.TakerAmount, c.MakerAmount, c.Rate = number(), number(), number(), number()
					rows = append(rows, c)
				}
				kept[key] = rows
				d.Read(account, stream, Days(-20, 0), rows...)
				subs := d.Slice(account, affiliate.Stream{Kind: affiliate.SubAffiliates, Product: stream.Product}, Days(-20, -1))
				var list []affiliate.SubAffiliateDay
				for n := range 10 {
					list = append(list, affiliate.SubAffiliateDay{UID: affiliate.UID(pick("7", "8", "70")), Product: stream.Product, Date: Today - affiliate.Day(2*n+1), TradingVolume: number(), NetTradingFee: number(), PaidCommission: number()})
				}
				if _, err := records.ReplaceSubAffiliateDays(d.Context(), d.DB, subs, list); err != nil {
					d.Fatal(err)
				}
			}
		}
		d.FillWallets(random, reading)
		d.Sample("BTC", affiliate.Number(fmt.Sprintf("8921%d.01", reading)))
		d.Now = d.Now.Add(time.Hour)
	}
	d.FailRead(Futures, Days(-1, -1), "HTTP 502")
	d.NewSegment("Éarners", "coin=USDT&commission_least=1&range=all")
	desk, by := d.Service, audit.Line{Actor: "ada"}
	storetest.Done(d, desk.FreezeSegment(d.Context(), d.NewSegment("kept", "kyc=true"), store.AnyVersion, by))
	for _, uid := range []affiliate.UID{"4667776801", "4667776805"} {
		if err := d.AddTag(d.Context(), "main", uid, "VIP é", audit.Line{Actor: "ann"}); err != nil {
			d.Fatal(err)
		}
	}
}

// FillWallets stores readings of both wallets, with payments of the commissions of each day,
// and notes and rules about them.
func (d *Fixture) FillWallets(random *rand.Rand, reading int) {
	d.Helper()
	by := audit.Line{Actor: "ada", Via: "command"}
	for _, account := range []affiliate.Account{"main", "other"} {
		hours := map[affiliate.Coin]map[affiliate.Day]*affiliate.Sum{}
		r, err := d.DB.Read(d.Context())
		storetest.Done(d, err)
		rows, err := payments.Hours(d.Context(), r, payments.HourFilter{Days: Days(-20, 0), Account: account})
		storetest.Done(d, errors.Join(err, r.Close()))
		for _, row := range rows {
			if hours[row.Coin] == nil {
				hours[row.Coin] = map[affiliate.Day]*affiliate.Sum{}
			}
			if hours[row.Coin][row.Day] == nil {
				hours[row.Coin][row.Day] = new(affiliate.Sum)
			}
			for _, sum := range row.Sums {
				hours[row.Coin][row.Day].AddSum(sum)
			}
		}
		bills := map[affiliate.Wallet][]affiliate.Bill{}
		for _, coin := range slices.Sorted(maps.Keys(hours)) {
			for _, day := range slices.Sorted(maps.Keys(hours[coin])) {
				amount, err := affiliate.ParseNumber(hours[coin][day].String())
				if day >= Today-1 || err != nil || random.IntN(8) == 0 {
					continue
				}
				wallet := affiliate.SpotWallet
				if random.IntN(9) == 0 {
					wallet = affiliate.FundingWallet
				}
				bill := affiliate.Bill{Wallet: wallet, ID: fmt.Sprint(day, coin), CoinID: "2", Coin: coin, Business: []string{"rr_agent_reward", "deposit", "é reward"}[max(0, random.IntN(12)-9)],
					Amount: amount, Balance: "1", Created: Midnight(day+1) + 8*3600_000 + affiliate.Millis(random.IntN(60_000))}
				bills[wallet] = append(bills[wallet], bill)
			}
		}
		for _, kind := range []affiliate.StreamKind{affiliate.SpotBills, affiliate.FundingBills} {
			_, err := payments.ReplaceBills(d.Context(), d.DB, d.Slice(account, affiliate.Stream{Kind: kind}, Days(-20, 0)), bills[kind.Wallet()])
			storetest.Done(d, err)
		}
		key := payments.LineKey{Account: account, Coin: "USDT", Kind: "all", From: Midnight(Today - 9), To: Midnight(Today - 8)}
		storetest.Done(d, payments.AddNote(d.Context(), d.DB, payments.Note{Line: key, Verdict: payments.Disputed, Text: fmt.Sprint("asked ", reading)}, by))
	}
	if reading == 1 {
		_, err := payments.FixRule(d.Context(), d.DB, payments.FixedRule{Account: "other", From: Today - 6, Rule: "day+8h together"}, by)
		storetest.Done(d, err)
	}
}
