package agreed_test

import (
	"math/big"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/agreed"
	"rebatedesk/reports/answers"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/storetest"
	"rebatedesk/terms"
)

// For any records, the figure of a month that decides about tiers is that of a scan of all
// records, whatever the page narrows.
func TestTierFiguresAreThoseOfTheRecords(t *testing.T) {
	t.Parallel()
	d := reporttest.NewModelFixture(t, "America/Los_Angeles")
	rapid.Check(t, func(rt *rapid.T) {
		m := reporttest.Draw(rt, d, 20)
		q, err := snapshot.Open(t.Context(), d.DB, answers.New(), d.Now, d.Ask("range=today&coin=USDT&account=main"), affiliate.Bound{})
		if err != nil {
			rt.Fatal(err)
		}
		defer q.Close()
		for range 6 {
			asked := terms.TierMonth{
				By:      rapid.SampledFrom([]terms.TierBy{terms.TierByVolume, terms.TierByActiveTraders}).Draw(rt, "by"),
				Account: rapid.SampledFrom([]affiliate.Account{"", "main", "other"}).Draw(rt, "of account"),
				Scope:   rapid.SampledFrom([]terms.Scope{terms.ScopeAll, terms.ScopeCode, terms.ScopeUID}).Draw(rt, "scope"),
				Product: rapid.SampledFrom([]affiliate.Product{"", affiliate.Spot}).Draw(rt, "of product"),
				Source:  rapid.SampledFrom([]affiliate.Source{"", affiliate.Direct}).Draw(rt, "of source"),
				Month:   reporttest.September,
			}
			switch asked.Scope {
			case terms.ScopeCode:
				asked.Value = rapid.SampledFrom([]string{"spring", "SPRING", "telegram"}).Draw(rt, "code")
			case terms.ScopeUID:
				asked.Value = rapid.SampledFrom([]string{"4667776801", "4667776804", "9"}).Draw(rt, "of uid")
			}
			got, err := agreed.Measured(t.Context(), q, asked)
			if err != nil {
				rt.Fatal(err)
			}
			volume, traders := new(big.Rat), map[string]bool{}
			for _, r := range m.Records {
				if asked.Account != "" && r.Account != asked.Account || asked.Product != "" && r.Product != asked.Product || asked.Source != "" && r.Source != asked.Source ||
					asked.Scope == terms.ScopeCode && r.Code != asked.Value || asked.Scope == terms.ScopeUID && string(r.UID) != asked.Value {
					continue
				}
				traders[string(r.Account)+" "+string(r.UID)] = true
				for _, amount := range []affiliate.Number{r.TakerAmount, r.MakerAmount} {
					if amount.Known() {
						volume.Add(volume, amount.Decimal().Rat())
					}
				}
			}
			want := volume
			if asked.By == terms.TierByActiveTraders {
				want, _ = new(big.Rat).SetString(strconv.Itoa(len(traders)))
			}
			if got.Figure.Decimal().Rat().Cmp(want) != 0 || !got.Progress {
				rt.Fatalf("%+v, want %s", got, want.FloatString(18))
			}
		}
	})
}

// A month in progress is provisional, and so is one with days that are not collected.
func TestTierFiguresAreProvisional(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	july, august := affiliate.NewDay(2026, time.July, 1), affiliate.NewDay(2026, time.August, 1)
	d.Want("main", july)
	d.Read("main", reporttest.Spot, affiliate.Days{First: august - 10, Last: reporttest.Today}, d.Earned(august, "USDT", "100"))
	d.Read("main", reporttest.Futures, affiliate.Days{First: august - 10, Last: reporttest.Today})
	q, err := snapshot.Open(t.Context(), d.DB, answers.New(), d.Now, d.Ask("range=today"), affiliate.Bound{})
	storetest.Done(t, err)
	defer func() { storetest.Done(t, q.Close()) }()
	var got []string
	for _, month := range []affiliate.Day{july, august, reporttest.September} {
		f, err := agreed.Measured(t.Context(), q, terms.TierMonth{By: terms.TierByActiveTraders, Scope: terms.ScopeAll, Month: month})
		storetest.Done(t, err)
		got = append(got, f.Month.String()+" "+string(f.Figure)+" "+strconv.FormatBool(f.Progress)+" "+strconv.FormatBool(f.Incomplete)+" "+strconv.FormatBool(f.Provisional()))
	}
	want := []string{"2026-07-01 0 false true true", "2026-08-01 1 false false false", "2026-09-01 0 true false true"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Accounts, codes and invitees that nothing is stored about are named once.
func TestStrangersInTerms(t *testing.T) {
	t.Parallel()
	d := reporttest.NewModelFixture(t, "UTC")
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), affiliate.Commission{UID: "4667776899", Product: affiliate.Spot, DealTime: reporttest.Midnight(reporttest.Today), Coin: "USDT", Source: affiliate.Direct})
	of := func(scope terms.Scope, value string, account affiliate.Account) terms.Term {
		return terms.Term{Scope: scope, Value: value, Account: account}
	}
	got, err := agreed.Strangers(t.Context(), storetest.Reader(t, d.DB), []terms.Term{
		of(terms.ScopeUID, "4667776803", "main"), of(terms.ScopeUID, "4667776804", ""), of(terms.ScopeUID, "4667776899", ""), of(terms.ScopeUID, "9", "x"), of(terms.ScopeUID, "9", "x"),
		of(terms.ScopeCode, "spring", ""), of(terms.ScopeCode, "Spring", ""), of(terms.ScopeAll, "", "other"),
	})
	storetest.Done(t, err)
	want := []string{"Unknown account: x (no account has this name).", "Unknown invite code: Spring (no known invitee has it, written like this).", "Unknown invitee: 9 (nothing is stored about it)."}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
