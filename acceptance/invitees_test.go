package acceptance_test

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
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

// invitees runs the query of the page on the service.
func (f *pipeline) invitees(query url.Values) invitees.List {
	f.Helper()
	list, err := reports.Ask(context.Background(), f.service, f.inviteeQuestion(query), invitees.MakeList)
	if err != nil {
		f.Fatalf("%s: %v", query.Encode(), err)
	}
	return list
}

func (f *pipeline) inviteeQuestion(asked url.Values) query.Query {
	f.Helper()
	basis, err := f.service.Basis(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	basis.Sorts, basis.Order = invitees.Sorts, query.Sort{Field: "commission", Descending: true}
	basis.States, basis.Tags = invitees.StateChoices(), true
	q, err := query.Parse(asked, basis)
	if err != nil {
		f.Fatalf("%s: %v", asked.Encode(), err)
	}
	return q
}

// coinRats holds sums by coin, computed independently of the program.
type coinRats map[affiliate.Coin]*big.Rat

func (c coinRats) add(coin affiliate.Coin, amount string) {
	value, ok := new(big.Rat).SetString(amount)
	if !ok {
		panic(amount + " is not a number")
	}
	if c[coin] == nil {
		c[coin] = new(big.Rat)
	}
	c[coin].Add(c[coin], value)
}

func (c coinRats) String() string {
	var words []string
	for coin, sum := range c {
		words = append(words, fmt.Sprint(coin, "=", sum.RatString()))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

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
	f := openPipeline(t, time.UTC)
	rnd := rand.New(rand.NewPCG(5, 1))
	codes := f.invitees(url.Values{"range": {"all"}}).Options.Codes
	seen := 0
	for range 60 {
		query := someInviteeFilters(rnd, codes)
		list := f.invitees(query)
		inRange, ever, total, whole := coinRats{}, coinRats{}, coinRats{}, coinRats{}
		for _, line := range list.Lines {
			for _, sum := range line.InRange {
				inRange.add(sum.Coin, sum.Commission.String())
			}
			for _, sum := range line.Lifetime {
				ever.add(sum.Coin, sum.Commission.String())
			}
		}
		for _, card := range list.Totals {
			total.add(card.Coin, card.Commission.Amount.Value.String())
		}
		for _, sum := range list.Ever {
			whole.add(sum.Coin, sum.Commission.String())
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
		if got, want := f.exported("/invitees.csv?"+query.Encode(), 1), uidsOf(list); !slices.Equal(got, want) {
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

// exported returns one column of a file.
func (f *pipeline) exported(path string, column int) []string {
	f.Helper()
	a := get(f.TB, f.address+path)
	rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	if err != nil || a.StatusCode != 200 {
		f.Fatalf("%s: status %d, %v", path, a.StatusCode, err)
	}
	values := []string{}
	for _, row := range rows[1:] {
		values = append(values, row[column])
	}
	return values
}

// The page of an invitee agrees with the overview of its UID, and its parts and its file
// have the same total.
func TestInviteeAgreesWithOverview(t *testing.T) {
	t.Parallel()
	f := openPipeline(t, time.UTC)
	for i, line := range f.invitees(url.Values{"range": {"all"}}).Lines {
		query := url.Values{"range": {[]string{"7d", "14d", "all"}[i%3]}, "compare": {"previous"}}
		q := f.inviteeQuestion(query)
		q.UID = line.UID
		one, err := reports.Ask(context.Background(), f.service, q, invitees.MakeOne)
		if err != nil {
			t.Fatal(err)
		}
		overview, err := reports.Ask(context.Background(), f.service, q, overview.Make)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(one.Cards) != fmt.Sprint(overview.Cards) || fmt.Sprint(one.Daily.Total) != fmt.Sprint(overview.Daily.Total) {
			t.Errorf("%s: %v, the overview says %v", line.UID, one.Cards, overview.Cards)
		}
		whole, products, records := coinRats{}, coinRats{}, int64(0)
		for _, card := range one.Cards {
			whole.add(card.Coin, card.Commission.Amount.Value.String())
			records += card.Records
		}
		for _, p := range one.Products {
			products.add(p.Coin, p.Commission.String())
		}
		if whole.String() != products.String() {
			t.Errorf("%s: products add up to %s, not %s", line.UID, products, whole)
		}
		pairs := coinRats{}
		for _, p := range one.Pairs.Top {
			pairs.add(p.Coin, string(p.Commission))
		}
		if records > 0 {
			pairs.add(one.Coin, string(one.Pairs.Others.Commission))
			if pairs[one.Coin].Cmp(whole[one.Coin]) != 0 {
				t.Errorf("%s: pairs add up to %s, not %s", line.UID, pairs, whole)
			}
		}
		query.Del("compare")
		file := f.exported("/invitees/"+string(line.UID)+".csv?"+query.Encode(), 3)
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
	f := openPipeline(t, time.UTC)
	uid := string(f.invitees(url.Values{"range": {"14d"}}).Lines[0].UID)
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
		a := get(t, f.address+c.path)
		if a.StatusCode != c.status || !strings.Contains(a.body, c.says) {
			t.Errorf("%.80s: status %d, want %d and %q", c.path, a.StatusCode, c.status, c.says)
		}
		if strings.Contains(a.body, "<script><b>") || strings.Contains(a.body, "<script>\"") {
			t.Errorf("%.80s: a text of the address became an element of the page", c.path)
		}
	}
}

// If two accounts list a UID, it identifies two people: the page asks which one is meant,
// and adds nothing up.
func TestInviteeOfSeveralAccounts(t *testing.T) {
	t.Parallel()
	f := openPipeline(t, time.UTC)
	line := f.invitees(url.Values{"range": {"14d"}}).Lines[0]
	uid := string(line.UID)
	f.readElsewhere("second", line.UID)
	if a := get(t, f.address+"/invitees/"+uid); a.StatusCode != 200 || !strings.Contains(a.body, "Their figures are not added up; choose one") || strings.Contains(a.body, `id="timeline"`) {
		t.Errorf("without an account: status %d", a.StatusCode)
	}
	for account, says := range map[string]string{"main": "Show it in", "second": `<bdi class="text-base-content font-medium">second</bdi>`} {
		a := get(t, f.address+"/invitees/"+uid+"?range=14d&account="+account)
		if a.StatusCode != 200 || !strings.Contains(a.body, says) {
			t.Errorf("%s: status %d, and the page does not say %q", account, a.StatusCode, says)
		}
	}
	list := get(t, f.address+"/invitees?per=200").body
	for _, account := range []string{"main", "second"} {
		if !strings.Contains(list, `href="/invitees/`+uid+`?account=`+account) {
			t.Errorf("the list does not link to the invitee of %s", account)
		}
	}
	other := string(f.invitees(url.Values{"range": {"14d"}, "account": {"main"}}).Lines[1].UID)
	if a := get(t, f.address+"/invitees/"+other+"?account=second"); a.StatusCode != 404 || !strings.Contains(a.body, "it is one of another account") {
		t.Errorf("a query of the wrong account: status %d", a.StatusCode)
	}
}

// readElsewhere stores a reading in which another account lists the UID too.
func (f *pipeline) readElsewhere(account affiliate.Account, uid affiliate.UID) {
	f.Helper()
	now := time.UnixMilli(f.clock.Load()).UTC()
	today := affiliate.DayOf(now, time.UTC)
	slice := records.Slice{Account: account, Stream: affiliate.Stream{Kind: affiliate.Invitees}, Days: affiliate.Days{First: today - 3, Last: today},
		Started: now, Through: affiliate.MillisOf(now)}
	them := []affiliate.Invitee{{UID: uid, RegisterTime: affiliate.MillisOf(now.Add(-time.Hour)), InviteCode: "elsewhere"}}
	if _, err := records.ReplaceInvitees(context.Background(), f.store, slice, them); err != nil {
		f.Fatal(err)
	}
}

// Each reason for an empty list has a separate text.
func TestInviteesEmptyStates(t *testing.T) {
	t.Parallel()
	shown := nothingShown(t)
	for kind, says := range map[coverage.EmptyKind]string{
		coverage.EmptyNotCollected: "Not collected yet",
		coverage.EmptyFailed:       "The collection of these days failed",
		coverage.EmptyTruly:        "it lists nobody who registered in the last 365 days",
		coverage.EmptyFiltered:     "No invitee matches the filters",
	} {
		if a := get(t, shown[kind].address+"/invitees"+shown[kind].query); a.StatusCode != 200 || !strings.Contains(a.body, says) {
			t.Errorf("%s: status %d, and the page does not say %q", kind, a.StatusCode, says)
		}
	}
}
