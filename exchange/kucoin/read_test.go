package kucoin_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange"
	"rebatedesk/exchange/kucoin"
)

func positive(data string) string { return `{"code":"200000","data":` + data + `}` }

// scripted is an exchange that answers lists with what answer says, and knows the time.
func scripted(answer func(r *http.Request) collectortest.Reply) *collectortest.Scripted {
	return &collectortest.Scripted{Passphrase: "phrase", Answer: func(r *http.Request) collectortest.Reply {
		if r.URL.Path == "/api/v1/timestamp" {
			return collectortest.Reply{Body: positive(fmt.Sprint(start.UnixMilli()))}
		}
		return answer(r)
	}}
}

// window is six days of a list.
func window(kind affiliate.StreamKind) exchange.Window {
	w := exchange.Window{Stream: affiliate.Stream{Kind: kind}, Now: start, Days: affiliate.Days{First: affiliate.NewDay(2026, 6, 25), Last: affiliate.NewDay(2026, 6, 30)}}
	if kind == affiliate.Commissions {
		w.Stream.Product = affiliate.Futures
	}
	return w
}

// read reads six days of a list that is answered with these bodies, one after the other, and then with the last one.
func read(t *testing.T, w exchange.Window, bodies ...string) (got exchange.Records, calls []string, err error) {
	t.Helper()
	n := 0
	sim := scripted(func(r *http.Request) collectortest.Reply {
		n++
		calls = append(calls, r.URL.RawQuery)
		return collectortest.Reply{Body: bodies[min(n, len(bodies))-1]}
	})
	got, err = collectortest.New(t, collectortest.NewClock(start), sim, kucoin.New).Client.Collect(t.Context(), w)
	return got, calls, err
}

const row = `{"uid":"5","tradeTime":1782662400123,"tradeType":"FEATURE","tradeCurrency":"BTC","tradeAmount":"0.5","tradeAmountU":"1000.10","feeU":"0.600000000000000001","commission":"-0.123456789012345678","currency":"USDT"}`

// changed is a row with members that differ: name, value, name, value.
func changed(text string, members ...string) string {
	for i := 0; i < len(members); i += 2 {
		at := strings.Index(text, `"`+members[i]+`":`) + len(members[i]) + 3
		text = text[:at] + members[i+1] + text[at+strings.IndexAny(text[at:], ",}"):]
	}
	return text
}

// A row is what the exchange says, digit by digit, and what it does not say is unknown and never zero.
func TestRows(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{row, "2026-06-28T16:00:00.123Z 5 FUTURES  direct USDT taker 1000.10 maker  fee 0.600000000000000001 rate  -0.123456789012345678"},
		{changed(row, "uid", "987654321987654321", "tradeTime", `"1782662400123"`, "commission", "0.10", "feeU", "0.5"), "2026-06-28T16:00:00.123Z 987654321987654321 FUTURES  direct USDT taker 1000.10 maker  fee 0.5 rate  0.10"},
		{changed(row, "tradeAmountU", "null", "feeU", `""`, "currency", `"USDC"`, "tradeType", "null"), "2026-06-28T16:00:00.123Z 5 FUTURES  direct USDC taker  maker  fee  rate  -0.123456789012345678"},
		{`{"uid":5,"tradeTime":1782662400123,"commission":"0","currency":"USDT"}`, "2026-06-28T16:00:00.123Z 5 FUTURES  direct USDT taker  maker  fee  rate  0"},
	} {
		got, _, err := read(t, window(affiliate.Commissions), positive(`{"items":[`+c.row+`],"lastId":null}`))
		if err != nil || len(got.Commissions.Records) != 1 {
			t.Fatalf("%s: %d records, %v apart, %v", c.row, len(got.Commissions.Records), got.Commissions.Quarantined, err)
		}
		r := got.Commissions.Records[0]
		if is := fmt.Sprintf("%s %s %s %s %s %s taker %s maker %s fee %s rate %s %s", r.DealTime, r.UID, r.Product, r.Symbol, r.Source, r.Coin, r.TakerAmount, r.MakerAmount, r.Fee, r.Rate, r.Commission); is != c.want {
			t.Errorf("%s\nis   %s\nnot  %s", c.row, is, c.want)
		}
	}
}

// Equal trades are two, trades of other days belong to other windows, and one that cannot be read, or is of another
// product than was asked for, is kept apart.
func TestRowsOfAWindow(t *testing.T) {
	rows := []string{row, row, changed(row, "commission", `"much"`), changed(row, "uid", "null"), changed(row, "tradeTime", "1782662400"), changed(row, "currency", `""`), changed(row, "tradeType", `"SPOT"`),
		changed(row, "tradeTime", "1782345599999"), changed(row, "tradeTime", "1782864000000"), changed(row, "tradeTime", "1782345600000"), changed(row, "tradeTime", "1782863999999"), `"no row"`}
	got, _, err := read(t, window(affiliate.Commissions), positive(`{"items":[`+strings.Join(rows, ",")+`]}`))
	c := got.Commissions
	if err != nil || len(c.Records) != 4 || c.Records[0] != c.Records[1] || len(c.Quarantined) != 6 {
		t.Fatalf("%d records, apart are %v; %v", len(c.Records), c.Quarantined, err)
	}
}

// A list goes on by its cursor, in both shapes, until it is empty or the cursor is missing or the same; a short page
// proves nothing.
func TestCursors(t *testing.T) {
	bare := func(last string) string {
		return strings.Replace(row, `"uid"`, `"lastId":`+last+`,"uid"`, 1)
	}
	other := changed(row, "uid", "6")
	for name, c := range map[string]struct {
		rows    int
		cursors []string // asked for
		bodies  []string
	}{
		"then empty":      {3, []string{"", "1", "9007199254740993"}, []string{`{"items":[` + row + `,` + row + `],"lastId":"1"}`, `{"items":[` + other + `],"lastId":9007199254740993}`, `{"items":[],"lastId":"x"}`}},
		"then null":       {1, []string{"", "1"}, []string{`{"items":[` + row + `],"lastId":"1"}`, `{"items":null,"lastId":null}`}},
		"then absent":     {1, []string{"", "1"}, []string{`{"items":[` + row + `],"lastId":"1"}`, `{}`}},
		"then nothing":    {1, []string{"", "1"}, []string{`{"items":[` + row + `],"lastId":"1"}`, `null`}},
		"missing":         {1, []string{""}, []string{`{"items":[` + row + `]}`}},
		"empty":           {1, []string{""}, []string{`{"items":[` + row + `],"lastId":""}`}},
		"the same":        {2, []string{"", "1"}, []string{`{"items":[` + row + `],"lastId":"1"}`, `{"items":[` + other + `],"lastId":"1"}`}},
		"the page before": {1, []string{"", "1"}, []string{`{"items":[` + row + `],"lastId":"1"}`, `{"items":[` + row + `],"lastId":"1"}`}},
		"bare":            {3, []string{"", "2", "3"}, []string{`[` + bare(`"1"`) + `,` + bare(`"2"`) + `]`, `[` + bare(`3`) + `]`, `[]`}},
		"bare, missing":   {2, []string{"", "1"}, []string{`[` + bare(`"1"`) + `]`, `[` + row + `]`}},
		"escaped":         {1, []string{"", "a&b=c d"}, []string{`{"items":[` + row + `],"lastId":"a&b=c d"}`, `{"items":[]}`}},
	} {
		var asked, bodies []string
		for _, body := range c.bodies {
			bodies = append(bodies, positive(body))
		}
		n := 0
		sim := scripted(func(r *http.Request) collectortest.Reply {
			n++
			asked = append(asked, r.URL.Query().Get("lastId"))
			if (r.URL.Query().Get("direction") == "NEXT") != (n > 1) {
				t.Errorf("%s: asked was %s", name, r.URL.RawQuery)
			}
			return collectortest.Reply{Body: bodies[min(n, len(bodies))-1]}
		})
		got, err := collectortest.New(t, collectortest.NewClock(start), sim, kucoin.New).Client.Collect(t.Context(), window(affiliate.Commissions))
		if err != nil || len(got.Commissions.Records) != c.rows || !slices.Equal(asked, c.cursors) {
			t.Errorf("%s: %d records by %q, %v", name, len(got.Commissions.Records), asked, err)
		}
	}
	// A cursor that goes round is no end.
	if _, _, err := read(t, window(affiliate.Commissions), positive(`{"items":[`+row+`],"lastId":"1"}`), positive(`{"items":[`+row+`],"lastId":"2"}`), positive(`{"items":[`+row+`],"lastId":"1"}`)); exchange.ClassOf(err) != exchange.ClassMalformed {
		t.Errorf("a list that goes round: %v", err)
	}
}

// A list is empty in each form behind a positive answer, and only where its counts allow it.
func TestEmptyLists(t *testing.T) {
	t.Parallel()
	for body, empty := range map[string]bool{
		positive(`[]`): true, positive(`null`): true, positive(`{}`): true, `{"code":"200000"}`: true, positive(`{"items":[]}`): true, positive(`{"items":null}`): true,
		positive(`{"currentPage":1,"pageSize":500,"totalNum":0,"totalPage":0,"items":[]}`): true, positive(`{"currentPage":1,"pageSize":500,"totalNum":0,"totalPage":1}`): true,
		positive(`{"totalNum":3,"totalPage":1}`): false, positive(`{"totalNum":3,"totalPage":1,"items":null}`): false,
		positive(`"none"`): false, positive(`{"items":"none"}`): false, positive(`7`): false, `{}`: false, `[]`: false, ``: false, `<html></html>`: false, `{"code":"200000","data":{"items":[`: false,
	} {
		for _, kind := range []affiliate.StreamKind{affiliate.Commissions, affiliate.Invitees, affiliate.Payouts} {
			t.Run(string(kind)+" "+body, func(t *testing.T) {
				t.Parallel() // they wait
				got, _, err := read(t, window(kind), body)
				if (err == nil) != empty || got.Commissions.Len()+got.Invitees.Len()+got.Bills.Len() > 0 {
					t.Error(err)
				}
			})
		}
	}
	if _, calls, err := read(t, window(affiliate.Invitees), positive(`{"totalNum":3,"totalPage":1,"items":[]}`)); err == nil || len(calls) != 6 {
		t.Errorf("an empty list that counts three was read by %d calls: %v", len(calls), err)
	}
}

// Invitees have their code, time and KYC; names are not kept, and nobody is lost or stored twice while the list moves.
func TestInvitees(t *testing.T) {
	one := func(uid string, more string) string {
		return `{"uid":` + uid + `,"nickName":"Ann","referralCode":"r1","registrationTime":1782432000123,"completedKyc":true,"completedFirstDeposit":true,"totalCommission":"9"` + more + `}`
	}
	list := func(total int, rows ...string) string {
		return positive(fmt.Sprintf(`{"currentPage":1,"pageSize":500,"totalNum":%d,"totalPage":1,"items":[%s]}`, total, strings.Join(rows, ",")))
	}
	w := window(affiliate.Invitees)
	w.Days.First = affiliate.NewDay(2017, 1, 1)
	got, calls, err := read(t, w, list(5, one(`"987654321987654321"`, ""), one("2", ""), `{"uid":"3","referralCode":null,"registrationTime":null,"completedKyc":null}`, `{"uid":"4","completedKyc":false}`, one("null", "")))
	var is []string
	for _, i := range got.Invitees.Records {
		is = append(is, fmt.Sprintf("%s %s %s %s", i.UID, i.InviteCode, i.RegisterTime, i.KYC))
	}
	want := []string{"987654321987654321 r1 2026-06-26T00:00:00.123Z true", "2 r1 2026-06-26T00:00:00.123Z true", "3   ", "4   false"}
	if err != nil || !slices.Equal(is, want) || len(got.Invitees.Quarantined) != 1 || !slices.Equal(calls, []string{"page=1&pageSize=500"}) {
		t.Errorf("%v, apart are %v by %q; read are\n%s", err, got.Invitees.Quarantined, calls, strings.Join(is, "\n"))
	}
	for _, q := range got.Invitees.Quarantined {
		if strings.Contains(q.Raw, "Ann") || !strings.Contains(q.Raw, `"referralCode":"r1"`) {
			t.Errorf("kept of a person is %s", q.Raw)
		}
	}
	got, calls, err = read(t, w, list(2, one("1", ""), one("1", "")), list(2, one("1", ""), one("2", "")))
	if err != nil || len(got.Invitees.Records) != 2 || got.Invitees.Records[1].UID != "2" || len(calls) != 2 {
		t.Errorf("an invitee who came twice: %v, %v by %d calls", err, got.Invitees.Records, len(calls))
	}
}

// Names of people are not in answers that are kept.
func TestNamesAreNotKept(t *testing.T) {
	sim := scripted(func(*http.Request) collectortest.Reply {
		return collectortest.Reply{Body: positive(`{"totalNum":1,"totalPage":1,"items":[{"uid":"1","nickName":"Ann \"A\"","registrationTime":1782432000123}]}`)}
	})
	d := collectortest.New(t, collectortest.NewClock(start), sim, kucoin.New)
	var kept []string
	ctx := exchange.WithAnswers(t.Context(), func(a exchange.RawAnswer) { kept = append(kept, string(a.Body)) })
	if _, err := d.Client.Collect(ctx, window(affiliate.Invitees)); err != nil || len(kept) != 1 || strings.Contains(kept[0], "Ann") || !strings.Contains(kept[0], `"uid":"1","nickName":""`) {
		t.Errorf("%v, kept is %v", err, kept)
	}
}

const paid = `{"siteType":"global","rebateType":1,"payoutTime":1782784800000,"periodStartTime":1782662400000,"periodEndTime":1782748800000,"status":2,"commission":"1.000000000000000001","currency":"USDT"}`

// A payout is a bill once its time has passed, whatever its state; equal ones are two, in whichever order they come.
func TestPayouts(t *testing.T) {
	rows := []string{paid, changed(paid, "commission", `"3"`), changed(paid, "rebateType", `"2"`, "status", "4", "commission", "-0.5"), changed(paid, "rebateType", "7", "currency", `"USDC"`),
		changed(paid, "payoutTime", fmt.Sprint(start.UnixMilli()+1)), changed(paid, "payoutTime", "1782345599999"), changed(paid, "commission", "null"), changed(paid, "siteType", `"eu"`)}
	bills := func(shape func(rows []string) string, rows ...string) (list []string) {
		got, _, err := read(t, window(affiliate.Payouts), positive(shape(rows)))
		if err != nil || len(got.Bills.Quarantined) != 1 {
			t.Errorf("%v, apart are %v", err, got.Bills.Quarantined)
		}
		for _, b := range got.Bills.Records {
			list = append(list, strings.Join([]string{b.ID, string(b.Wallet), b.Business, string(b.Coin), string(b.Amount), b.Created.String()}, " "))
		}
		slices.Sort(list)
		return list
	}
	const period = "/2026-06-28T16:00:00.000Z/2026-06-29T16:00:00.000Z/"
	const at = "/2026-06-30T02:00:00.000Z"
	want := []string{
		"eu/direct" + period + "USDT" + at + " payouts direct USDT 1.000000000000000001 2026-06-30T02:00:00.000Z",
		"global/direct" + period + "USDT" + at + " payouts direct USDT 1.000000000000000001 2026-06-30T02:00:00.000Z",
		"global/direct" + period + "USDT" + at + "/2 payouts direct USDT 3 2026-06-30T02:00:00.000Z",
		"global/sub" + period + "USDT" + at + " payouts sub USDT -0.5 2026-06-30T02:00:00.000Z",
		"global/type 7" + period + "USDC" + at + " payouts type 7 USDC 1.000000000000000001 2026-06-30T02:00:00.000Z",
	}
	counted := func(rows []string) string {
		return fmt.Sprintf(`{"currentPage":1,"pageSize":500,"totalNum":%d,"totalPage":1,"items":[%s]}`, len(rows), strings.Join(rows, ","))
	}
	uncounted := func(rows []string) string { return `{"items":[` + strings.Join(rows, ",") + `]}` }
	bare := func(rows []string) string { return `[` + strings.Join(rows, ",") + `]` }
	for name, shape := range map[string]func([]string) string{"counted": counted, "uncounted": uncounted, "bare": bare} {
		if got := bills(shape, rows...); !slices.Equal(got, want) {
			t.Errorf("%s: bills are\n%s", name, strings.Join(got, "\n"))
		}
		turned := slices.Clone(rows)
		slices.Reverse(turned)
		if got := bills(shape, turned...); !slices.Equal(got, want) {
			t.Errorf("%s, turned round: bills are\n%s", name, strings.Join(got, "\n"))
		}
	}
}

// Payouts of all sites and kinds are asked for, page after page.
func TestPayoutPages(t *testing.T) {
	full := make([]string, 500)
	for i := range full {
		full[i] = changed(paid, "commission", fmt.Sprint(i+1))
	}
	got, calls, err := read(t, window(affiliate.Payouts), positive(`[`+strings.Join(full, ",")+`]`), positive(`[`+paid+`]`), positive(`[]`))
	if err != nil || len(got.Bills.Records) != 501 {
		t.Errorf("%d bills, %v", len(got.Bills.Records), err)
	}
	for n, call := range calls {
		if want := fmt.Sprintf("siteType=all&rebateType=0&rebateStartAt=1782345600000&rebateEndAt=1782864000000&page=%d&pageSize=500", n+1); call != want {
			t.Errorf("asked was %s, not %s", call, want)
		}
	}
	if _, _, err := read(t, window(affiliate.Payouts), positive(`[`+strings.Join(full, ",")+`]`)); exchange.ClassOf(err) != exchange.ClassMalformed {
		t.Errorf("a full page that comes again and again: %v", err)
	}
}
