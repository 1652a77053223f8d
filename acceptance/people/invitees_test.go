package people_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
)

// someInviteeFilters draws random filters and a random order of the list.
func someInviteeFilters(rnd *rand.Rand, codes []string) url.Values {
	asked := url.Values{}
	for name, values := range map[string][]string{
		"range": {"7d", "14d", "all", "today"}, "product": {"SPOT", "FUTURES"}, "coin": {"USDT", "BTC"}, "source": {"direct", "sub"},
		"state": invitees.StateChoices(), "kyc": query.KYCChoices(), "code": codes, "q": {"1", "77", "x"}, "compare": {"previous", "year"},
	} {
		if rnd.IntN(4) == 0 {
			asked.Set(name, values[rnd.IntN(len(values))])
		}
	}
	sort := invitees.Sorts[rnd.IntN(len(invitees.Sorts))]
	if rnd.IntN(2) == 0 {
		sort = "-" + sort
	}
	asked.Set("sort", sort)
	asked.Set("per", "500")
	return asked
}

// For any query the totals are the sums of the rows, the counts of the filters agree with
// them, and the file has the same rows in the same order.
func TestInviteeListAddsUp(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	rnd := rand.New(rand.NewPCG(5, 1))
	codes := f.Invitees(url.Values{"range": {"all"}}).Options.Codes
	seen := 0
	for range 60 {
		query := someInviteeFilters(rnd, codes)
		list := f.Invitees(query)
		inRange, ever, total, whole := site.CoinRats{}, site.CoinRats{}, site.CoinRats{}, site.CoinRats{}
		for _, line := range list.Lines {
			for _, sum := range line.InRange {
				inRange.Add(sum.Coin, sum.Commission.String())
			}
			for _, sum := range line.Lifetime {
				ever.Add(sum.Coin, sum.Commission.String())
			}
		}
		for _, card := range list.Totals {
			total.Add(card.Coin, card.Commission.Amount.Value.String())
		}
		for _, sum := range list.Ever {
			whole.Add(sum.Coin, sum.Commission.String())
		}
		if inRange.String() != total.String() || ever.String() != whole.String() {
			t.Errorf("%s: the rows add up to %s and %s, the totals are %s and %s", query.Encode(), inRange, ever, total, whole)
		}
		states := 0
		for _, state := range invitees.States() {
			states += list.Choices[string(state)]
		}
		if state := query.Get("state"); states != list.All || state == "" && list.Count != list.All || state != "" && list.Count != list.Choices[state] {
			t.Errorf("%s: %d of %d listed, choices %v", query.Encode(), list.Count, list.All, list.Choices)
		}
		query.Del("per")
		if got, want := f.Exported("/invitees.csv?"+query.Encode(), 1), uidsOf(list); !slices.Equal(got, want) {
			t.Errorf("%s: the file has %v, the page %v", query.Encode(), got, want)
		}
		seen += len(list.Lines)
	}
	if seen < 200 {
		t.Errorf("only %d rows were checked", seen)
	}
}

func uidsOf(list invitees.List) []string {
	uids := []string{}
	for _, line := range list.Lines {
		uids = append(uids, string(line.UID))
	}
	return uids
}

// The page of an invitee agrees with the overview of its UID, and its parts and its file
// have the same total.
func TestInviteeAgreesWithOverview(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	for i, line := range f.Invitees(url.Values{"range": {"all"}}).Lines {
		query := url.Values{"range": {[]string{"7d", "14d", "all"}[i%3]}, "compare": {"previous"}}
		q := f.InviteeQuestion(query)
		q.UID = line.UID
		one, err := reports.Ask(context.Background(), f.Service, q, invitees.MakeOne)
		if err != nil {
			t.Fatal(err)
		}
		overview, err := reports.Ask(context.Background(), f.Service, q, overview.Make)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(one.Cards) != fmt.Sprint(overview.Cards) || fmt.Sprint(one.Daily.Total) != fmt.Sprint(overview.Daily.Total) {
			t.Errorf("%s: %v, the overview says %v", line.UID, one.Cards, overview.Cards)
		}
		whole, products, records := site.CoinRats{}, site.CoinRats{}, int64(0)
		for _, card := range one.Cards {
			whole.Add(card.Coin, card.Commission.Amount.Value.String())
			records += card.Records
		}
		for _, p := range one.Products {
			products.Add(p.Coin, p.Commission.String())
		}
		if whole.String() != products.String() {
			t.Errorf("%s: products add up to %s, not %s", line.UID, products, whole)
		}
		pairs := site.CoinRats{}
		for _, p := range one.Pairs.Top {
			pairs.Add(p.Coin, string(p.Commission))
		}
		if records > 0 {
			pairs.Add(one.Coin, string(one.Pairs.Others.Commission))
			if pairs[one.Coin].Cmp(whole[one.Coin]) != 0 {
				t.Errorf("%s: pairs add up to %s, not %s", line.UID, pairs, whole)
			}
		}
		query.Del("compare")
		file := f.Exported("/invitees/"+string(line.UID)+".csv?"+query.Encode(), 3)
		if int64(len(file)) != records || slices.ContainsFunc(file, func(uid string) bool { return uid != string(line.UID) }) {
			t.Errorf("%s: %d records in the file, %d on the page", line.UID, len(file), records)
		}
		if records > 0 && (one.Rank.Place < 1 || one.Rank.Place > one.Rank.Of) {
			t.Errorf("%s: %+v", line.UID, one.Rank)
		}
	}
}

func TestInviteePagesAnswerAnyParameter(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	uid := string(f.Invitees(url.Values{"range": {"14d"}}).Lines[0].UID)
	for _, c := range []struct {
		path   string
		status int
		says   string
	}{
		{"/invitees", 200, `href="/invitees/` + uid + `"`},
		{"/invitees?compare=previous&cols=change,gap,fee,volume,last-deposit&sort=-change", 200, "Usual gap"},
		{"/invitees?state=silent", 200, `aria-current="true"`},
		{"/invitees?q=" + url.QueryEscape("</script><b>"), 200, "No invitee matches the filters"},
		{"/invitees?code=" + url.QueryEscape("\u202egnp\U0001f9ff"), 200, "No invitee matches the filters"},
		{"/invitees?tag=nobody", 200, "No invitee matches the filters"},
		{"/invitees?product=SPOT", 200, "narrow the amounts, not who is listed"},
		{"/invitees?from=2030-01-01&to=2030-01-31", 200, "Nothing of this range is to be read yet"},
		{"/invitees?page=1000000000", 400, "there are 2 pages"},
		{"/invitees?q=" + strings.Repeat("x", 3500), 400, "longer than"},
		{"/invitees?state=asleep", 400, "is none of new, active"},
		{"/invitees?kyc=maybe", 400, "is none of true, false, unknown"},
		{"/commissions?kyc=true", 400, "this report has no such choice"},
		{"/invitees?sort=secret", 400, "cannot be sorted by"},
		{"/invitees?cols=secret", 400, "is none of"},
		{"/invitees?account=nobody", 400, "there is no such account"},
		{"/invitees?by=product", 400, "this report has no such choice"},
		{"/invitees.csv?state=silent&kyc=true&sort=-lifetime&cols=fee&compare=year", 200, "account,uid,invite_code,register_time_utc,kyc,first_deposit_utc,first_trade_utc,last_deposit_utc,last_trade_utc,first_seen_utc,last_seen_utc,state,days_silent,usual_gap_days,lifetime_commission,coin,at_risk,name,tags\r\n"},
		{"/invitees.json?range=7d", 200, `"name":"register_time_utc"`},
		{"/invitees.xlsx?range=7d", 200, "PK"},
		{"/invitees.json?state=asleep", 400, "is none of"},
		{"/invitees/" + uid, 200, "Invitee " + uid},
		{"/invitees/" + uid + "?range=14d&compare=previous", 200, "Timeline"},
		{"/invitees/" + uid + "?from=2026-11-20&to=2026-11-20&coin=XRP", 200, "No"},
		{"/invitees/" + uid + "?uid=7", 400, "cannot be used here"},
		{"/invitees/" + uid + "?q=7", 400, "cannot be used here"},
		{"/invitees/" + uid + "?state=new", 400, "cannot be used here"},
		{"/invitees/" + uid + "?page=2", 400, "cannot be used here"},
		{"/invitees/" + uid + "?account=nobody", 400, "there is no such account"},
		{"/invitees/" + uid + ".csv?range=14d", 200, "," + uid + ","},
		{"/invitees/999", 404, "No invitee with this UID is known"},
		{"/invitees/999?as_of=2026-11-01T00:00:00Z", 404, "in the state of 1 Nov 2026 00:00 UTC"},
		{"/invitees/%3Cscript%3E", 404, "No invitee can have this UID"},
		{"/invitees/a%2Fb", 404, "No invitee can have this UID"},
		{"/invitees/" + strings.Repeat("7", 33), 404, "No invitee can have this UID"},
		{"/invitees/%F0%9F%A7%BF", 404, "No invitee can have this UID"},
	} {
		a := site.Get(t, f.Address+c.path)
		if a.StatusCode != c.status || !strings.Contains(a.Body, c.says) {
			t.Errorf("%.80s: status %d, want %d and %q", c.path, a.StatusCode, c.status, c.says)
		}
		if strings.Contains(a.Body, "<script><b>") || strings.Contains(a.Body, "<script>\"") {
			t.Errorf("%.80s: a text of the address became an element of the page", c.path)
		}
	}
}

// If two accounts list a UID, it identifies two people: the page asks which one is meant,
// and adds nothing up.
func TestInviteeOfSeveralAccounts(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	line := f.Invitees(url.Values{"range": {"14d"}}).Lines[0]
	uid := string(line.UID)
	f.ReadElsewhere("second", line.UID)
	if a := site.Get(t, f.Address+"/invitees/"+uid); a.StatusCode != 200 || !strings.Contains(a.Body, "Their figures are not added up; choose one") || strings.Contains(a.Body, `id="timeline"`) {
		t.Errorf("without an account: status %d", a.StatusCode)
	}
	for account, says := range map[string]string{"main": "Show it in", "second": `<bdi class="text-base-content font-medium">second</bdi>`} {
		a := site.Get(t, f.Address+"/invitees/"+uid+"?range=14d&account="+account)
		if a.StatusCode != 200 || !strings.Contains(a.Body, says) {
			t.Errorf("%s: status %d, and the page does not say %q", account, a.StatusCode, says)
		}
	}
	list := site.Get(t, f.Address+"/invitees?per=200").Body
	for _, account := range []string{"main", "second"} {
		if !strings.Contains(list, `href="/invitees/`+uid+`?account=`+account) {
			t.Errorf("the list does not link to the invitee of %s", account)
		}
	}
	other := string(f.Invitees(url.Values{"range": {"14d"}, "account": {"main"}}).Lines[1].UID)
	if a := site.Get(t, f.Address+"/invitees/"+other+"?account=second"); a.StatusCode != 404 || !strings.Contains(a.Body, "it is one of another account") {
		t.Errorf("a query of the wrong account: status %d", a.StatusCode)
	}
}

// Each reason for an empty list has a separate text.
func TestInviteesEmptyStates(t *testing.T) {
	t.Parallel()
	shown := site.NothingShown(t)
	for kind, says := range map[coverage.EmptyKind]string{
		coverage.EmptyNotCollected: "Not collected yet",
		coverage.EmptyFailed:       "The collection of these days failed",
		coverage.EmptyTruly:        "it lists nobody who registered in the last 365 days",
		coverage.EmptyFiltered:     "No invitee matches the filters",
	} {
		if a := site.Get(t, shown[kind].Address+"/invitees"+shown[kind].Query); a.StatusCode != 200 || !strings.Contains(a.Body, says) {
			t.Errorf("%s: status %d, and the page does not say %q", kind, a.StatusCode, says)
		}
	}
}
