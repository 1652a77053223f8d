package money_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/internal/soak"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/store/costs"
	"rebatedesk/store/goals"
	"rebatedesk/store/outbox"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/terms"
	"rebatedesk/web"
)

// amounts is a site whose records are chosen by a test, number by number.
type amounts struct {
	testing.TB
	store   *store.Store
	service *reports.Service
	mail    *mail.Service
	server  *web.Server
	address string
	today   affiliate.Day
}

var byAnn = audit.Line{Actor: "ann"}

func openAmounts(t testing.TB) *amounts {
	t.Helper()
	clock := func() time.Time { return site.Now }
	st, err := store.Open(t.Context(), storetest.Empty(t), store.Options{Now: clock, AuditKey: storetest.AuditKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	o := &amounts{TB: t, store: st, service: reports.New(st, clock), today: affiliate.DayOf(site.Now, time.UTC)}
	o.mail = mail.New(mail.Options{Store: st, Reports: o.service, Now: clock})
	o.address, o.server = site.Serve(t, web.Options{Reports: o.service, Desk: o.service, Collect: site.Nothing})
	if err := st.WantFrom(t.Context(), "main", o.today-364); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *amounts) slice(stream affiliate.Stream) records.Slice {
	return records.Slice{Account: "main", Stream: stream, Days: affiliate.Days{First: o.today - 364, Last: o.today}, Started: site.Now, Through: affiliate.MillisOf(site.Now)}
}

// read stores records, and a price of each coin but USDT.
func (o *amounts) read(prices map[affiliate.Coin]affiliate.Number, rows ...affiliate.Commission) {
	o.Helper()
	for _, product := range affiliate.Products() {
		own := slices.DeleteFunc(slices.Clone(rows), func(c affiliate.Commission) bool { return c.Product != product })
		_, err := records.ReplaceCommissions(o.Context(), o.store, o.slice(affiliate.Stream{Kind: affiliate.Commissions, Product: product}), own)
		storetest.Done(o, err)
	}
	var invitees []affiliate.Invitee
	for n := range 4 {
		invitees = append(invitees, affiliate.Invitee{UID: uidOf(n), InviteCode: fmt.Sprint("code", n%2), RegisterTime: affiliate.MillisOf((o.today - 300).Start(time.UTC))})
	}
	_, err := records.ReplaceInvitees(o.Context(), o.store, o.slice(affiliate.Stream{Kind: affiliate.Invitees}), invitees)
	storetest.Done(o, err)
	for coin, price := range prices {
		_, err := records.AddRates(o.Context(), o.store, []records.Rate{{Coin: coin, Quote: figures.ValuedIn, Price: price, At: affiliate.MillisOf(site.Now.AddDate(0, 0, -200)), Source: "spot ticker", Symbol: string(coin) + "USDT_SPBL"}})
		storetest.Done(o, err)
	}
}

func (o *amounts) agree(lines ...string) {
	o.Helper()
	file, err := terms.Parse(o.Context(), []byte("scope,value,product_type,rate,from,to,note\n"+strings.Join(lines, "\n")+"\n"))
	storetest.Done(o, err)
	_, err = agreements.ImportTerms(o.Context(), o.store, file, "terms.csv", store.AnyVersion, byAnn)
	storetest.Done(o, err)
}

func uidOf(n int) affiliate.UID { return affiliate.UID(fmt.Sprint(4667776800 + n)) }

func (o *amounts) row(back int, n int, coin affiliate.Coin, fee, commission affiliate.Number) affiliate.Commission {
	return affiliate.Commission{DealTime: affiliate.MillisOf((o.today - affiliate.Day(back)).Start(time.UTC).Add(time.Hour)), UID: uidOf(n), Product: affiliate.Spot, Symbol: "BTCUSDT_SPBL",
		Source: affiliate.Direct, Coin: coin, TakerAmount: "10", MakerAmount: "0", Fee: fee, Rate: "0.1", Commission: commission}
}

// A commission of 10 decimals at a price of 9 has 19 decimals: each day is converted at 18, half to
// even, on the overview, in the forecast and in what programs read of it.
func TestDustIsConverted(t *testing.T) {
	t.Parallel()
	o := openAmounts(t)
	var rows []affiliate.Commission
	for back := range 120 {
		rows = append(rows, o.row(back, 0, "DUST", "0.0000000007", "0.0000000001"), o.row(back, 1, "USDT", "5", "1"))
	}
	o.read(map[affiliate.Coin]affiliate.Number{"DUST": "0.000021369"}, rows...)
	for _, path := range []string{"/?range=30d", "/forecast", "/attention", "/worklist", "/programmes"} {
		if a := site.Get(t, o.address+path); a.StatusCode != 200 || strings.Contains(a.Body, phrase.NotMade) {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
	}
	var forecast struct {
		Converted struct{ Earned string } `json:"converted"`
	}
	a := site.Get(t, o.address+"/forecast.json?month=2026-11")
	if err := json.Unmarshal([]byte(a.Body), &forecast); err != nil || a.StatusCode != 200 {
		t.Fatalf("status %d, %v: %s", a.StatusCode, err, a.Body)
	}
	// 20 days of 1 USDT, and of 0.0000000001 × 0.000021369 = 0.0000000000000021369 ≈ 0.000000000000002137.
	if forecast.Converted.Earned != "20.00000000000004274" {
		t.Errorf("converted, %s was earned", forecast.Converted.Earned)
	}
	if page := site.Get(t, o.address+"/?from=2026-11-01&to=2026-11-20").Body; !strings.Contains(page, "20.00000000000004274 USDT") {
		t.Error("the overview has another exact total than the forecast")
	}
}

// A fee of 8 decimals at an agreed rate of 12 has 20 decimals. What is due of a line is rounded to 18, half
// to even; the difference is the commission less that, to the last digit, and so is what the lower
// rate costs on the worklist, in its files, Parquet too, and in the summary.
func TestThirdsAreAgreed(t *testing.T) {
	t.Parallel()
	o := openAmounts(t)
	var rows []affiliate.Commission
	for back := range 90 {
		for n := range 3 {
			paid := affiliate.Number("33.33333366")
			if n == 0 && back < 20 {
				paid = "11.11111111"
			}
			rows = append(rows, o.row(back, n, "USDT", "100.00000007", paid))
		}
	}
	o.read(nil, rows...)
	o.agree("uid,4667776800,,0.333333333333,2026-01-01,,")
	// Of 20 days: 444.444444932666666666 too little.
	due := new(big.Rat).Mul(ratOf(t, "2000.0000014"), ratOf(t, "0.333333333333"))
	cost := new(big.Rat).Sub(roundedHalfEven(due), ratOf(t, "222.2222222"))
	if cost.FloatString(18) != "444.444444932666666666" {
		t.Fatalf("the test expects %s", cost.FloatString(18))
	}
	var line map[string]string
	for _, row := range ratesRows(t, site.Get(t, o.address+"/rates.csv?range=30d&uid=4667776800&coin=USDT").Body) {
		agreed := roundedHalfEven(new(big.Rat).Mul(ratOf(t, row["fee"]), ratOf(t, row["agreed_rate"])))
		if agreed.Cmp(ratOf(t, row["agreed_commission"])) != 0 || new(big.Rat).Sub(ratOf(t, row["commission"]), agreed).Cmp(ratOf(t, row["difference"])) != 0 {
			t.Errorf("of %v due are %s", row, agreed.FloatString(20))
		}
		if row["commission"] == "222.2222222" {
			line = row
		}
	}
	if line["agreed_commission"] == "" || new(big.Rat).Neg(cost).Cmp(ratOf(t, line["difference"])) != 0 {
		t.Fatalf("the line of the lower rate is %v, want a difference of -%s", line, cost.FloatString(18))
	}
	found := false
	for _, row := range ratesRows(t, site.Get(t, o.address+"/worklist.csv?show=all").Body) {
		found = found || row["uid"] == "4667776800" && row["reason"] == "lower-rate" && ratOf(t, row["at_risk"]).Cmp(cost) == 0
	}
	if !found {
		t.Errorf("nobody has %s at risk:\n%s", cost.FloatString(18), site.Get(t, o.address+"/worklist.csv?show=all").Body)
	}
	if a := site.Get(t, o.address+"/worklist"); a.StatusCode != 200 || !strings.Contains(a.Body, "444.44") {
		t.Errorf("the worklist: status %d", a.StatusCode)
	}
	o.checkFiles(t)
	o.checkMails(t)
}

func ratOf(t testing.TB, n string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(n)
	if !ok {
		t.Fatalf("%q is no number", n)
	}
	return r
}

// roundedHalfEven rounds to 18 decimals with arithmetic independent of the program.
func roundedHalfEven(r *big.Rat) *big.Rat {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	whole, rest := new(big.Int).DivMod(new(big.Int).Mul(r.Num(), scale), r.Denom(), new(big.Int))
	if c := rest.Lsh(rest, 1).Cmp(r.Denom()); c > 0 || c == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(whole, scale)
}

// checkFiles makes every export of the command in every format. Only amounts of more digits than the
// decimals of Parquet have may be refused, in words.
func (o *amounts) checkFiles(t testing.TB) {
	t.Helper()
	basis, err := o.service.Basis(t.Context())
	storetest.Done(t, err)
	basis.AcceptedParams = query.AcceptedParams{Sorts: []string{"time"}, Order: query.Sort{Field: "time"}}
	for _, kind := range reports.ExportKinds() {
		values := url.Values{"range": {"all"}}
		if kind == worklist.File {
			values = url.Values{}
		}
		of := basis
		if kind == changes.File {
			values.Set("since", "2026-01-01")
			of.AcceptedParams = changes.Accepted
		}
		q, err := query.Parse(values, of)
		storetest.Done(t, err)
		for _, format := range []export.Format{export.CSV, export.XLSX, export.JSONL, export.Parquet} {
			e, err := o.service.OpenExport(t.Context(), kind, q)
			storetest.Done(t, err)
			var file bytes.Buffer
			_, err = e.Write(t.Context(), &file, format)
			if err != nil && !(format == export.Parquet && strings.Contains(err.Error(), "has more digits than a decimal of 38")) {
				t.Errorf("%s as %s: %v", kind, format, err)
			}
			if err != nil && !o.large(t, kind, q) {
				t.Errorf("%s as %s is refused, though no amount has more than 20 digits: %v", kind, format, err)
			}
			if format == export.CSV {
				if tooFine := fineNumber.FindString(file.String()); tooFine != "" {
					t.Errorf("%s has %s", kind, tooFine)
				}
			}
			storetest.Done(t, e.Close())
		}
	}
}

var (
	fineNumber  = regexp.MustCompile(`\d\.\d{19,}`)
	largeNumber = regexp.MustCompile(`(^|[,\n-])\d{21,}`)
)

// large reports whether an export has an amount of more than 20 digits before the point.
func (o *amounts) large(t testing.TB, kind *export.Kind, q query.Query) bool {
	t.Helper()
	e, err := o.service.OpenExport(t.Context(), kind, q)
	storetest.Done(t, err)
	defer e.Close()
	var file bytes.Buffer
	_, err = e.Write(t.Context(), &file, export.CSV)
	storetest.Done(t, err)
	return largeNumber.MatchString(file.String())
}

// checkMails makes a summary of each period with all its sections.
func (o *amounts) checkMails(t testing.TB) {
	t.Helper()
	for every, period := range map[dispatch.Every]dispatch.Period{dispatch.Daily: dispatch.Daily.Of(o.today - 1), dispatch.Weekly: dispatch.Weekly.Of(o.today - 7), dispatch.Monthly: dispatch.Monthly.Of(o.today - 30)} {
		content, err := o.mail.Preview(t.Context(), mail.Schedule{Subscription: outbox.Subscription{Name: "all", Every: string(every), Zone: "UTC"}}, period, "boss@example.com")
		if err != nil || strings.Contains(strings.ReplaceAll(string(content), "=\r\n", ""), "by a fault of this program") {
			t.Errorf("%s: %v", every, err)
		}
	}
	if n := o.service.Guard.Caught(); n != 0 {
		t.Errorf("%d panics were caught", n)
	}
}

// checkPages opens every page with its files, for several ranges.
func (o *amounts) checkPages(t testing.TB) {
	t.Helper()
	asked := map[string]string{
		"/": "range=30d&compare=previous", "/pivot": "range=30d&by=invitee&across=product&show=share", "/drivers": "range=30d&compare=previous&by=code", "/cohorts": "range=all",
		"/codes": "range=all&compare=previous", "/invitees": "range=30d&compare=previous", "/overview": "range=90d", "/rates": "range=90d", "/payments": "range=all", "/returns": "range=all", "/changes": "range=all&since=2026-01-01",
	}
	for _, page := range site.EveryPage {
		for _, route := range page.Routes() {
			path := strings.Replace(route, ":uid", string(uidOf(1)), 1)
			name, ending := path, ""
			for _, e := range site.FileEndings {
				if strings.HasSuffix(path, e) {
					name, ending = strings.TrimSuffix(path, e), e
				}
			}
			if strings.HasPrefix(name, "/sub-affiliates/") {
				path, name = strings.Replace(path, string(uidOf(1)), "900001", 1), "/sub-affiliates/900001"
			}
			a := site.Get(t, o.address+path+"?"+asked[name])
			if a.StatusCode != 200 || strings.Contains(a.Body, phrase.NotMade) {
				t.Errorf("%s?%s: status %d: %.300s", path, asked[name], a.StatusCode, a.Body)
			}
			if ending == ".csv" {
				if tooFine := fineNumber.FindString(a.Body); tooFine != "" {
					t.Errorf("%s has %s", path, tooFine)
				}
			}
		}
	}
	for _, path := range []string{"/forecast.json?month=2026-11", "/forecast.json?month=2026-12&coin=DUST", "/statements?month=2026-10", "/calendar.ics", "/months/2026-10"} {
		if a := site.Get(t, o.address+path); a.StatusCode >= 500 {
			t.Errorf("%s: status %d: %.300s", path, a.StatusCode, a.Body)
		}
	}
	if n := o.server.Panics(); n != 0 {
		t.Errorf("%d panics were caught", n)
	}
}

// checkIdentities checks what the files promise of each other, to the last digit.
func (o *amounts) checkIdentities(t testing.TB) {
	t.Helper()
	for _, row := range ratesRows(t, site.Get(t, o.address+"/rates.csv?range=90d").Body) {
		if row["difference"] == "" {
			continue
		}
		agreed := roundedHalfEven(new(big.Rat).Mul(ratOf(t, row["fee"]), ratOf(t, row["agreed_rate"])))
		if agreed.Cmp(ratOf(t, row["agreed_commission"])) != 0 || new(big.Rat).Sub(ratOf(t, row["commission"]), agreed).Cmp(ratOf(t, row["difference"])) != 0 {
			t.Errorf("of %v due are %s", row, agreed.FloatString(20))
		}
	}
	for _, coin := range []string{"USDT", "DUST", "BTC"} {
		for _, by := range []string{"invitee", "code", "symbol", "product", "source"} {
			var d struct {
				Before, After, Change *string
				Contributions         []struct{ Before, After, Change string }
				Effects               map[string]string
			}
			a := site.Get(t, o.address+"/drivers.json?range=30d&compare=previous&coin="+coin+"&by="+by)
			if err := json.Unmarshal([]byte(a.Body), &d); err != nil || a.StatusCode != 200 {
				t.Fatalf("status %d, %v: %s", a.StatusCode, err, a.Body)
			}
			if d.Change == nil {
				continue
			}
			sum, effects := new(big.Rat), new(big.Rat)
			for _, c := range d.Contributions {
				sum.Add(sum, ratOf(t, c.Change))
			}
			for _, e := range d.Effects {
				effects.Add(effects, ratOf(t, e))
			}
			change := ratOf(t, *d.Change)
			if sum.Cmp(change) != 0 || effects.Cmp(change) != 0 || new(big.Rat).Sub(ratOf(t, *d.After), ratOf(t, *d.Before)).Cmp(change) != 0 {
				t.Errorf("%s by %s: a change of %s, contributions of %s, effects of %s", coin, by, *d.Change, sum.FloatString(20), effects.FloatString(20))
			}
		}
	}
}

// wireAmount draws an amount as the exchange may send it; unknown and odd ones among them.
var wireAmount = rapid.Custom(func(t *rapid.T) affiliate.Number {
	return affiliate.Number(rapid.OneOf(
		rapid.SampledFrom([]string{"", "0", "-0.00", "0.000000000000000001", "-0.000000000000000001", "99999999999999999999.999999999999999999", "-99999999999999999999.999999999999999999", "0.0000000001", "0.17"}),
		rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,18})?`), rapid.StringMatching(`[0-9]{1,4}\.[0-9]{8}`), rapid.StringMatching(`0\.[0-9]{17}[1-9]`),
	).Draw(t, "amount"))
})

// factor draws a price or a rate with up to 18 decimals.
func factor(pattern string) *rapid.Generator[string] { return rapid.StringMatching(pattern) }

// Any amounts that the wire accepts, at any price and rate that the product accepts, give pages, files,
// mails and answers for programs: none fails, and what they promise of each other holds.
func TestAnyAmountAtAnyRate(t *testing.T) {
	t.Parallel()
	for seed := range soak.Times(2, 60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			o := openAmounts(t)
			draw := 0
			next := func() affiliate.Number { draw++; return wireAmount.Example(seed*100_000 + draw) }
			text := func(pattern string) string { draw++; return factor(pattern).Example(seed*100_000 + draw) }
			plenty := seed%2 == 0 // most of what is usual, with a few odd ones; or anything
			var rows []affiliate.Commission
			for back := range 150 {
				for n := range 4 {
					coin := []affiliate.Coin{"USDT", "DUST", "BTC"}[(back+n)%3]
					fee, commission := affiliate.Number(text(`[1-9][0-9]{0,2}\.[0-9]{8}`)), affiliate.Number(text(`[0-9]{1,2}\.[0-9]{10}`))
					if !plenty || back%17 == n {
						fee, commission = next(), next()
					}
					if n == 3 && back < 40 {
						continue // silent
					}
					c := o.row(back, n, coin, fee, commission)
					c.TakerAmount, c.MakerAmount = next(), next()
					c.Product, c.Source = affiliate.Products()[back%2], affiliate.Sources()[n%2]
					rows = append(rows, c)
				}
			}
			o.read(map[affiliate.Coin]affiliate.Number{"DUST": affiliate.Number(text(`0\.0{0,9}[0-9]{1,7}[1-9]`)), "BTC": affiliate.Number(text(`[1-9][0-9]{4,7}\.[0-9]{1,10}`))}, rows...)
			rate := func() string { return text(`0\.[0-9]{11,17}[1-9]`) }
			o.agree("all,,,"+rate()+",2026-01-01,,", "uid,4667776801,,0.333333333333,2026-09-01,,", "code,code0,SPOT,1.000000000000000000,2026-10-01,,", "sub-affiliate,900001,,"+rate()+",2026-01-01,,")
			for _, product := range affiliate.Products() {
				var days []affiliate.SubAffiliateDay
				for back := range 60 {
					days = append(days, affiliate.SubAffiliateDay{UID: affiliate.UID([]string{"900001", "900002"}[back%2]), Product: product, Date: o.today - affiliate.Day(back), TradingVolume: next(), NetTradingFee: next(), PaidCommission: next()})
				}
				_, err := records.ReplaceSubAffiliateDays(t.Context(), o.store, o.slice(affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}), days)
				storetest.Done(t, err)
			}
			var bills []affiliate.Bill
			for n := range 40 {
				amount := next()
				if !amount.Known() {
					amount = "1"
				}
				bills = append(bills, affiliate.Bill{Wallet: affiliate.SpotWallet, ID: fmt.Sprint(n), Coin: []affiliate.Coin{"USDT", "DUST", "BTC"}[n%3], Business: "rebate", Amount: amount,
					Created: affiliate.MillisOf((o.today - affiliate.Day(n)).Start(time.UTC).Add(9 * time.Hour))})
			}
			_, err := payments.ReplaceBills(t.Context(), o.store, o.slice(affiliate.Stream{Kind: affiliate.SpotBills}), bills)
			storetest.Done(t, err)
			for i, coin := range []affiliate.Coin{"", "USDT", "DUST"} {
				_, err := o.service.AddGoal(t.Context(), goals.Goal{Key: goals.Key{Month: affiliate.NewDay(2026, 11, 1), Coin: coin},
					Amount: affiliate.Number([]string{"0.000000000000000001", "99999999999999999999.999999999999999999", "0.123456789"}[i])}, byAnn)
				storetest.Done(t, err)
				_, err = o.service.AddCost(t.Context(), costs.Cost{Scope: costs.OfCode, Value: fmt.Sprint("code", i%2), Kind: costs.Once, Coin: []affiliate.Coin{"USDT", "DUST", "BTC"}[i],
					Amount: affiliate.Number(text(`[1-9][0-9]{0,3}\.[0-9]{17}[1-9]`)), First: o.today - affiliate.Day(30+i)}, byAnn)
				storetest.Done(t, err)
			}
			o.checkPages(t)
			o.checkFiles(t)
			o.checkMails(t)
			o.checkIdentities(t)
		})
	}
}
