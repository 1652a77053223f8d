package simulator

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"rebatedesk/affiliate"
)

// file reads a file of the ledger and checks its header and line ends.
func file(t *testing.T, s *Server, name, header string) [][]string {
	t.Helper()
	status, body, err := get(t.Context(), s.BaseURL+"/ledger/"+name+".csv")
	if err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	if first, _, _ := bytes.Cut(body, []byte("\r\n")); string(first) != header {
		t.Fatalf("header %s", first)
	}
	lines, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(body, []byte("\r\n")); n != len(lines) {
		t.Fatalf("%d line ends for %d lines", n, len(lines))
	}
	return lines[1:]
}

func TestLedgerFiles(t *testing.T) {
	s := listen(t, Options{Seed: 8, Days: 100, Invitees: 300, Records: 2000, Now: frozen})
	s.Insert(affiliate.Commission{DealTime: 1, UID: "77", Symbol: "a,\"b\"", Coin: "X", Fee: "-1.50"})
	l := s.Ledger()
	codes := map[affiliate.UID]string{}
	reachable := slices.DeleteFunc(slices.Clone(l.Invitees), func(u affiliate.Invitee) bool {
		return int64(u.RegisterTime) < instant.UnixMilli()-365*day
	})
	for _, u := range reachable {
		codes[u.UID] = u.InviteCode
	}
	if len(reachable) == 0 || len(reachable) == len(l.Invitees) {
		t.Fatalf("%d of %d invitees are within reach, want some and not all", len(reachable), len(l.Invitees))
	}

	lines := file(t, s, "commissions", "deal_time_utc,deal_time_ms,account,uid,invite_code,product_type,symbol,source_type,coin,taker_amount,maker_amount,fee,rate,commission,first_seen_utc"+laterColumns()+",exchange,grain,until_utc")
	if len(lines) != len(l.Commissions) || len(lines) != 2001 {
		t.Fatalf("%d lines for %d records", len(lines), len(l.Commissions))
	}
	for i, c := range l.Commissions {
		want := []string{
			c.DealTime.String(), strconv.FormatInt(int64(c.DealTime), 10), "main", string(c.UID), codes[c.UID], string(c.Product), c.Symbol,
			string(c.Source), string(c.Coin), string(c.TakerAmount), string(c.MakerAmount), string(c.Fee), string(c.Rate), string(c.Commission), "",
		}
		for _, f := range affiliate.CommissionFields.After("commission") {
			want = append(want, f.Text(&c))
		}
		want = append(want, "weex", "record", "")
		if !slices.Equal(lines[i], want) {
			t.Fatalf("line %d is %q, want %q", i, lines[i], want)
		}
	}

	lines = file(t, s, "invitees", "account,uid,invite_code,register_time_utc,kyc,first_deposit_utc,first_trade_utc,last_deposit_utc,last_trade_utc,first_seen_utc,last_seen_utc")
	if len(lines) != len(reachable) {
		t.Fatalf("%d lines for %d invitees within reach", len(lines), len(reachable))
	}
	for i, u := range reachable {
		want := []string{
			"main", string(u.UID), u.InviteCode, u.RegisterTime.String(), string(u.KYC), u.FirstDeposit.String(), u.FirstTrade.String(),
			u.LastDeposit.String(), u.LastTrade.String(), "", "",
		}
		if !slices.Equal(lines[i], want) {
			t.Fatalf("line %d is %q, want %q", i, lines[i], want)
		}
	}

	lines = file(t, s, "sub-affiliates", "account,sub_affiliate_uid,product_type,date,trading_volume,net_trading_fee,paid_commission")
	for i, d := range l.SubAffiliateDays {
		want := []string{"main", string(d.UID), string(d.Product), d.Date.String(), string(d.TradingVolume), string(d.NetTradingFee), string(d.PaidCommission)}
		if !slices.Equal(lines[i], want) {
			t.Fatalf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if s.Stats().All() != 0 {
		t.Error("reading the ledger was counted as a request")
	}
}

func TestHooks(t *testing.T) {
	s := New(Options{Seed: 8, Days: 20, Invitees: 30, Records: 100, Now: frozen})
	before := s.Ledger()
	c := before.Commissions[50]

	s.Insert(c)
	s.Insert(c)
	if got := counted(s.Ledger().Commissions)[c]; got != counted(before.Commissions)[c]+2 {
		t.Errorf("%d equal records after inserting two", got)
	}
	for range 2 {
		if !s.Remove(c) {
			t.Error("an inserted record could not be removed")
		}
	}
	differ(t, "inserted and removed", s.Ledger().Commissions, before.Commissions)
	if s.Remove(affiliate.Commission{DealTime: 5}) {
		t.Error("a missing record was removed")
	}

	ofUser := func(r affiliate.Commission) bool { return r.UID == c.UID }
	revised := s.Revise(ofUser, func(r *affiliate.Commission) { r.Fee, r.DealTime = "12.50", r.DealTime+1 })
	if n := s.RemoveFunc(func(r affiliate.Commission) bool { return ofUser(r) && r.Fee == "12.50" }); n != revised || n == 0 {
		t.Errorf("%d revised, %d of them removed", revised, n)
	}
	if len(s.Ledger().Commissions) != 100-revised {
		t.Errorf("%d records left", len(s.Ledger().Commissions))
	}

	u := affiliate.Invitee{UID: "123", RegisterTime: affiliate.MillisOf(instant) - 5000, InviteCode: "x"}
	s.InsertInvitee(u)
	if !s.ReviseInvitee("123", func(u *affiliate.Invitee) { u.KYC, u.RegisterTime = "true", 1 }) || s.ReviseInvitee("124", nil) {
		t.Error("revised the wrong invitee")
	}
	u.KYC = "true"
	if all := s.Ledger().Invitees; all[len(all)-1] != u {
		t.Errorf("the last invitee is %v, want %v", all[len(all)-1], u)
	}

	d := affiliate.SubAffiliateDay{UID: "9", Product: affiliate.Futures, Date: affiliate.DayOf(instant, instant.Location()), TradingVolume: "1"}
	s.InsertSubAffiliateDay(d)
	if all := s.Ledger().SubAffiliateDays; all[len(all)-1] != d {
		t.Errorf("the last day is %v, want %v", all[len(all)-1], d)
	}
}

// Hostile text that a test inserts arrives unchanged.
func TestHostileText(t *testing.T) {
	for _, rules := range [][]FaultRule{nil, {{Fault: OtherTypes, Every: 1}}} {
		s := New(Options{Now: frozen, RateLimit: -1, Rules: rules})
		want := affiliate.Commission{
			DealTime: affiliate.MillisOf(instant) - 1, UID: `"},{"uid":"1`, Product: affiliate.Spot, Symbol: "</script>\u2028=cmd|' /C calc'!A0\x00",
			Source: "7", Coin: "[]", TakerAmount: "0", MakerAmount: "1.50", Fee: "-0.00", Rate: "{}", Commission: "98765432109876.00000003",
		}
		s.Insert(want)
		if got := commissionOf(ask(t, s, "GET", commissionPath, "").rows[0], affiliate.Spot); got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	s := listen(t, Options{
		Seed: 8, Days: 30, Invitees: 50, Records: 3000, RateLimit: -1, Live: true, LiveSpeed: 1000,
		Rules: []FaultRule{{Fault: Inserted, Every: 1}, {Fault: DateField, Every: 3}},
	})
	var all sync.WaitGroup
	for worker := range 6 {
		all.Go(func() {
			for n := range 20 {
				from := fmt.Sprint(s.options.Now().UnixMilli() - int64(20+worker)*day)
				if p := ask(t, s.Simulator, "GET", commissionPath, "startTime="+from+"&page="+fmt.Sprint(1+n%3)); p.total == 0 {
					t.Error("an empty answer")
				}
				s.Insert(affiliate.Commission{DealTime: affiliate.Millis(n), UID: "1"})
				if n%10 == 0 {
					s.Ledger()
					s.Stats()
					if status, body, err := get(t.Context(), s.BaseURL+"/ledger/commissions.csv"); err != nil || status != 200 || len(body) < 1000 {
						t.Error(status, err)
					}
				}
			}
		})
	}
	all.Wait()
}

func TestListen(t *testing.T) {
	s := listen(t, Options{Days: 2, Records: 5})
	if s.BaseURL != s.ContractBaseURL || s.APIKey != s.Credentials().APIKey.Reveal() || s.APISecret == "" || s.APIPassphrase == "" {
		t.Errorf("%q %q", s.BaseURL, s.ContractBaseURL)
	}
	if _, err := Listen(strings.TrimPrefix(s.BaseURL, "http://"), Options{}); err == nil {
		t.Error("listened twice on one address")
	}
	response, err := http.DefaultClient.Do(signed(t, s.Credentials(), s.BaseURL, "GET", commissionPath, "", s.options.Now()))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 || !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		t.Errorf("%d %s %v", response.StatusCode, body, err)
	}
}

func TestIntervals(t *testing.T) {
	var all intervals
	for _, i := range []interval{{10, 20}, {40, 50}, {0, 5}, {21, 30}, {45, 60}, {6, 8}} {
		all = all.with(i)
	}
	if want := (intervals{{0, 8}, {10, 30}, {40, 60}}); !slices.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
	for at, want := range map[int64]bool{-1: false, 0: true, 8: true, 9: false, 30: true, 35: false, 60: true, 61: false} {
		if all.contain(at) != want {
			t.Errorf("contain(%d) = %v", at, !want)
		}
	}
}

// laterColumns are the columns of fields that came after the export had become fixed.
func laterColumns() (columns string) {
	for _, f := range affiliate.CommissionFields.After("commission") {
		columns += "," + f.Column
	}
	return columns
}
