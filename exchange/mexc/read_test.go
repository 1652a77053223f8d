package mexc_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange"
	"rebatedesk/exchange/mexc"
)

// listed is a positive answer with a page of a list.
func listed(total, pages int, rows ...string) string {
	return fmt.Sprintf(`{"success":true,"code":0,"data":{"pageSize":100,"totalCount":%d,"totalPage":%d,"currentPage":1,"resultList":[%s]}}`, total, pages, strings.Join(rows, ","))
}

// scripted is an exchange that answers lists with what answer says, and knows the time.
func scripted(answer func(r *http.Request) collectortest.Reply) *collectortest.Scripted {
	return &collectortest.Scripted{Answer: func(r *http.Request) collectortest.Reply {
		if r.URL.Path == "/api/v3/time" {
			return collectortest.Reply{Body: fmt.Sprintf(`{"serverTime":%d}`, start.UnixMilli())}
		}
		return answer(r)
	}}
}

// window is six days of a list.
func window(kind affiliate.StreamKind) exchange.Window {
	return exchange.Window{Stream: affiliate.Stream{Kind: kind}, Now: start, Days: affiliate.Days{First: affiliate.NewDay(2026, 6, 25), Last: affiliate.NewDay(2026, 6, 30)}}
}

// read reads six days of a list that is answered with this body, page after page.
func read(t *testing.T, kind affiliate.StreamKind, bodies ...string) (exchange.Records, error) {
	t.Helper()
	n := 0
	sim := scripted(func(*http.Request) collectortest.Reply {
		n++
		return collectortest.Reply{Body: bodies[min(n, len(bodies))-1]}
	})
	return collectortest.New(t, collectortest.NewClock(start), sim, mexc.New).Client.Collect(t.Context(), window(kind))
}

// The day is 29 June of UTC+8.
const row = `{"type":2,"sourceType":1,"state":3,"date":1782662400000,"uid":"5","rate":0.4,"symbol":"BTCUSDT","takerAmount":"1000.10","makerAmount":"2","amountCurrency":"USDT","usdtAmount":"1002.10","commission":"-0.123456789012345678","currency":"USDT"}`

// changed is the row with members that differ: name, value, name, value.
func changed(members ...string) string {
	text := row
	for i := 0; i < len(members); i += 2 {
		at := strings.Index(text, `"`+members[i]+`":`) + len(members[i]) + 3
		text = text[:at] + members[i+1] + text[at+strings.IndexAny(text[at:], ",}"):]
	}
	return text
}

// A row is what the exchange says, digit by digit, and what it does not say is unknown and never zero.
func TestRows(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{row, "2026-06-28T16:00:00.000Z 5 FUTURES BTCUSDT direct USDT taker 1000.10 maker 2 fee  rate 0.4 -0.123456789012345678"},
		{changed("uid", "987654321987654321", "rate", `"0.450"`, "type", `"1"`), "2026-06-28T16:00:00.000Z 987654321987654321 SPOT BTCUSDT direct USDT taker 1000.10 maker 2 fee  rate 0.450 -0.123456789012345678"},
		{changed("type", "3", "sourceType", "2", "symbol", "null", "commission", "0.1"), "2026-06-28T16:00:00.000Z 5 ETF  sub USDT taker 1000.10 maker 2 fee  rate 0.4 0.1"},
		{changed("type", "7", "sourceType", "9", "state", "null", "currency", `"MX"`), "2026-06-28T16:00:00.000Z 5 7 BTCUSDT 9 MX taker 1000.10 maker 2 fee  rate 0.4 -0.123456789012345678"},
		{changed("amountCurrency", `"BTC"`, "usdtAmount", "60000.123456789012345678"), "2026-06-28T16:00:00.000Z 5 FUTURES BTCUSDT direct USDT taker 60000.123456789012345678 maker  fee  rate 0.4 -0.123456789012345678"},
		{changed("amountCurrency", "null", "usdtAmount", "null", "rate", `""`), "2026-06-28T16:00:00.000Z 5 FUTURES BTCUSDT direct USDT taker  maker  fee  rate  -0.123456789012345678"},
		{changed("takerAmount", "null", "makerAmount", `""`), "2026-06-28T16:00:00.000Z 5 FUTURES BTCUSDT direct USDT taker  maker  fee  rate 0.4 -0.123456789012345678"},
		{`{"type":1,"sourceType":1,"date":"1782662400000","uid":"5","commission":"0","currency":"USDT"}`, "2026-06-28T16:00:00.000Z 5 SPOT  direct USDT taker  maker  fee  rate  0"},
	} {
		got, err := read(t, affiliate.Commissions, listed(1, 1, c.row))
		if err != nil || len(got.Commissions.Records) != 1 {
			t.Fatalf("%s: %d records, %v apart, %v", c.row, len(got.Commissions.Records), got.Commissions.Quarantined, err)
		}
		r := got.Commissions.Records[0]
		if is := fmt.Sprintf("%s %s %s %s %s %s taker %s maker %s fee %s rate %s %s", r.DealTime, r.UID, r.Product, r.Symbol, r.Source, r.Coin, r.TakerAmount, r.MakerAmount, r.Fee, r.Rate, r.Commission); is != c.want {
			t.Errorf("%s\nis   %s\nnot  %s", c.row, is, c.want)
		}
	}
}

// Equal rows are two, rows of other days belong to other windows, and a row that cannot be read is kept apart.
func TestRowsOfAWindow(t *testing.T) {
	rows := []string{row, row, changed("commission", `"much"`), changed("uid", "null"), changed("date", `"soon"`), changed("currency", `""`),
		changed("date", "1782230400000"), changed("date", "1782921600000"), `"no row"`}
	got, err := read(t, affiliate.Commissions, listed(len(rows), 1, rows...))
	c := got.Commissions
	if err != nil || len(c.Records) != 2 || c.Records[0] != c.Records[1] || len(c.Quarantined) != 5 {
		t.Fatalf("%d records, apart are %v; %v", len(c.Records), c.Quarantined, err)
	}
}

// A list is empty in each form behind a positive answer, and only where its counts allow it.
func TestEmptyLists(t *testing.T) {
	t.Parallel()
	for body, empty := range map[string]bool{
		listed(0, 0): true, listed(0, 1): true, `{"success":true,"code":200,"data":null}`: true, `{"success":true,"code":"0"}`: true,
		`{"success":true,"code":0,"data":{"totalCount":0,"totalPage":0,"resultList":null}}`: true, `{"success":true,"code":0,"data":{"totalCount":0,"totalPage":0}}`: true,
		`{"success":true,"code":0,"data":{"totalCount":3,"totalPage":1,"resultList":null}}`: false, `{"success":true,"code":0,"data":{"totalCount":3,"totalPage":1,"resultList":[]}}`: false,
		`{"success":true,"code":0,"data":{"totalPage":2}}`: false, `{"success":false,"code":0,"data":{"totalCount":0,"totalPage":0,"resultList":[]}}`: false,
		`{"success":true,"code":0,"data":"none"}`: false, `{}`: false, `[]`: false, `null`: false, ``: false, `<html><body>Soon back</body></html>`: false, `{"success":true,"code":0,"data":{"totalCount":0,"resu`: false,
	} {
		for _, kind := range []affiliate.StreamKind{affiliate.Commissions, affiliate.Invitees} {
			t.Run(string(kind)+" "+body, func(t *testing.T) {
				t.Parallel() // they wait
				got, err := read(t, kind, body)
				if (err == nil) != empty || got.Commissions.Len()+got.Invitees.Len() > 0 {
					t.Error(err)
				}
			})
		}
	}
}

// A list whose counts change, or are not the rows, is read again, up to five times.
func TestListsThatMove(t *testing.T) {
	full := make([]string, 100)
	for i := range full {
		full[i] = changed("uid", fmt.Sprint(i+1))
	}
	for name, c := range map[string]struct {
		bodies []string
		calls  int
		rows   int // 0 = it fails
	}{
		"still":                 {[]string{listed(102, 2, full...), listed(102, 2, row, row)}, 2, 102},
		"one more":              {[]string{listed(102, 2, full...), listed(103, 2, full[99], row, row), listed(103, 2, full...), listed(103, 2, row, row, row)}, 4, 103},
		"fewer rows than count": {[]string{listed(3, 1, row, row), listed(3, 1), listed(3, 1, row, row, row)}, 3, 3},
		"short page amid":       {[]string{listed(102, 3, full[:50]...), listed(102, 3, full[50:]...), listed(102, 3, row, row)}, 3, 102},
		"never":                 {[]string{listed(3, 1, row, row), listed(3, 1), listed(3, 1, row, row), listed(3, 1), listed(3, 1, row, row), listed(3, 1), listed(3, 1, row, row), listed(3, 1), listed(3, 1, row, row), listed(3, 1), listed(3, 1, row, row), listed(3, 1)}, 12, 0},
	} {
		n := 0
		var order []string
		sim := scripted(func(r *http.Request) collectortest.Reply {
			n++
			order = append(order, r.URL.Query().Get("page"))
			return collectortest.Reply{Body: c.bodies[min(n, len(c.bodies))-1]}
		})
		got, err := collectortest.New(t, collectortest.NewClock(start), sim, mexc.New).Client.Collect(t.Context(), window(affiliate.Commissions))
		if (err == nil) != (c.rows > 0) || err == nil && len(got.Commissions.Records) != c.rows || n != c.calls {
			t.Errorf("%s: %d records by %d calls of pages %v, %v", name, len(got.Commissions.Records), n, order, err)
		}
		if err != nil && exchange.ClassOf(err) != exchange.ClassMalformed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Invitees are read with the times of their registration, in seconds or milliseconds, and their money is not. Whoever
// is listed because of commission stays, however early that one joined.
func TestInvitees(t *testing.T) {
	rows := []string{`{"uid":987654321987654321,"inviteCode":"mexc-ab12","inviteTime":1767225600,"total":"2.6","nickName":"Ann"}`,
		`{"uid":"27121051","inviteCode":null,"inviteTime":"1782432000000","total":"x"}`, `{"uid":"3","inviteTime":null}`, `{"uid":"4","inviteTime":0}`,
		`{"uid":"5","inviteTime":17672256,"nickName":"Bob"}`, `{"uid":null,"inviteTime":1767225600,"nickName":"Bob"}`}
	got, err := read(t, affiliate.Invitees, listed(len(rows), 1, rows...))
	var is []string
	for _, i := range got.Invitees.Records {
		is = append(is, fmt.Sprintf("%s %s %s", i.UID, i.InviteCode, i.RegisterTime))
	}
	want := "987654321987654321 mexc-ab12 2026-01-01T00:00:00.000Z\n27121051  2026-06-26T00:00:00.000Z\n3  \n4  "
	if err != nil || strings.Join(is, "\n") != want || len(got.Invitees.Quarantined) != 2 {
		t.Errorf("%v, apart are %v; read are\n%s", err, got.Invitees.Quarantined, strings.Join(is, "\n"))
	}
	for _, q := range got.Invitees.Quarantined {
		if !strings.Contains(q.Raw, `"nickName":""`) {
			t.Errorf("kept of a person is %s", q.Raw)
		}
	}
}

// An invitee who comes twice makes a second reading, and is one; pages are proven by their counts.
func TestInviteeTwice(t *testing.T) {
	one := `{"uid":"1","inviteTime":1782432000}`
	n := 0
	sim := scripted(func(*http.Request) collectortest.Reply {
		if n++; n == 1 {
			return collectortest.Reply{Body: listed(2, 1, one, one)}
		}
		return collectortest.Reply{Body: listed(2, 1, one, `{"uid":"2","inviteTime":1782432000}`)}
	})
	got, err := collectortest.New(t, collectortest.NewClock(start), sim, mexc.New).Client.Collect(t.Context(), window(affiliate.Invitees))
	if err != nil || len(got.Invitees.Records) != 2 || got.Invitees.Records[1].UID != "2" || n != 2 {
		t.Errorf("%v, %v by %d calls", err, got.Invitees.Records, n)
	}
}

// A day that the exchange no longer lists from its beginning is not asked for in part.
func TestDayOutOfReach(t *testing.T) {
	sim := scripted(func(*http.Request) collectortest.Reply { return collectortest.Reply{Body: listed(0, 0)} })
	d := collectortest.New(t, collectortest.NewClock(start), sim, mexc.New)
	w := window(affiliate.Commissions)
	for day, reached := range map[affiliate.Day]bool{affiliate.NewDay(2026, 1, 2): true, affiliate.NewDay(2026, 1, 1): false, affiliate.NewDay(2025, 6, 1): false} {
		w.Days = affiliate.Days{First: day, Last: day}
		before := len(sim.Calls())
		_, err := d.Client.Collect(t.Context(), w)
		if (err == nil) != reached || (len(sim.Calls()) > before) != reached || err != nil && exchange.ClassOf(err) != exchange.ClassValidation {
			t.Errorf("%s: %v after %d calls", day, err, len(sim.Calls())-before)
		}
	}
}
