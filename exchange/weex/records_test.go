package weex

import (
	"rebatedesk/exchange"

	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// This test decodes records in which the exchange deviates from its document.
func TestCommissionOddities(t *testing.T) {
	type c = affiliate.Commission
	for name, test := range map[string]struct {
		change map[string]any
		want   func(*c)
	}{
		"as sent":                 {nil, func(*c) {}},
		"uid a number":            {map[string]any{"uid": `4667776811`}, func(*c) {}},
		"uid above 2^53":          {map[string]any{"uid": `9007199254740993`}, func(v *c) { v.UID = "9007199254740993" }},
		"time a number":           {map[string]any{"dealTime": `1755687731913`}, func(*c) {}},
		"time named date":         {map[string]any{"dealTime": nil, "date": `1755687731913`}, func(*c) {}},
		"date and empty dealTime": {map[string]any{"dealTime": `""`, "date": `"1755687731913"`}, func(*c) {}},
		"both times disagree":     {map[string]any{"date": `1755687731000`}, func(*c) {}},
		"date of another kind":    {map[string]any{"date": `"2025-08-20"`}, func(*c) {}},
		"source as text":          {map[string]any{"sourceType": `"2"`}, func(v *c) { v.Source = affiliate.SubAgent }},
		"source unknown":          {map[string]any{"sourceType": `3`}, func(v *c) { v.Source = "3" }},
		"source absent":           {map[string]any{"sourceType": nil}, func(v *c) { v.Source = "" }},
		"product given":           {map[string]any{"productType": `"SPOT"`}, func(*c) {}},
		"product empty":           {map[string]any{"productType": `""`}, func(*c) {}},
		"another coin":            {map[string]any{"coin": `"SHIB"`}, func(v *c) { v.Coin = "SHIB" }},
		"numbers as numbers":      {map[string]any{"fee": `0.6825710`, "takerAmount": `12`}, func(v *c) { v.Fee, v.TakerAmount = "0.6825710", "12" }},
		"tiny number":             {map[string]any{"commission": `6.8E-7`}, func(v *c) { v.Commission = "0.00000068" }},
		"zero fee with volume":    {map[string]any{"fee": `"0"`, "commission": `"0"`}, func(v *c) { v.Fee, v.Commission = "0", "0" }},
		"negative commission":     {map[string]any{"commission": `"-0.50"`}, func(v *c) { v.Commission = "-0.50" }},
		"optional absent":         {map[string]any{"rate": nil, "symbol": nil, "makerAmount": nil}, func(v *c) { v.Rate, v.Symbol, v.MakerAmount = "", "", "" }},
		"optional null":           {map[string]any{"rate": `null`, "symbol": `null`, "makerAmount": `""`}, func(v *c) { v.Rate, v.Symbol, v.MakerAmount = "", "", "" }},
		"control characters":      {map[string]any{"symbol": `"a\u0000\r\nb"`}, func(v *c) { v.Symbol = "a\ufffd\ufffd\ufffdb" }},
		"lone surrogate":          {map[string]any{"symbol": `"a\ud800b"`}, func(v *c) { v.Symbol = "a\ufffdb" }},
		"words of any language":   {map[string]any{"symbol": `"Ünï<script>"`}, func(v *c) { v.Symbol = "Ünï<script>" }},
		"unknown fields":          {map[string]any{"Fee": `"9"`, "id": `{"fee":"9"}`, "x": `[[1]]`}, func(*c) {}},
	} {
		t.Run(name, func(t *testing.T) {
			row := goodRow
			if test.change != nil {
				row = with(t, goodRow, test.change)
			}
			want := goodCommission
			test.want(&want)
			p, err := rows(t, commissionList, row).Commissions(t.Context(), CommissionQuery{})
			if err != nil || len(p.Records) != 1 {
				t.Fatalf("%d records, %v", len(p.Records), err)
			}
			if p.Records[0] != want {
				t.Errorf("got  %+v\nwant %+v", p.Records[0], want)
			}
		})
	}
}

// One invalid byte in a word does not make a page invalid.
func TestInvalidUTF8(t *testing.T) {
	row := strings.Replace(goodRow, "cmt_btcusdt", "a\xffb", 1)
	p, err := rows(t, commissionList, row).Commissions(t.Context(), CommissionQuery{})
	if err != nil || p.Records[0].Symbol != "a\ufffdb" {
		t.Errorf("%+v, %v", p.Records, err)
	}
	row = strings.Replace(goodRow, "4667776811", "1\xff", 1)
	if p, err := rows(t, commissionList, row).Commissions(t.Context(), CommissionQuery{}); err != nil || len(p.Records) != 0 || len(p.Quarantined) != 1 || p.Quarantined[0].Field != "uid" {
		t.Errorf("a user with an invalid byte: %+v, %v", p, err)
	}
}

// A record without a product has that of the request.
func TestProductOfTheRequest(t *testing.T) {
	p, err := rows(t, commissionList, goodRow).Commissions(t.Context(), CommissionQuery{Product: affiliate.Futures})
	if err != nil || p.Records[0].Product != affiliate.Futures {
		t.Errorf("%+v, %v", p.Records, err)
	}
	d, err := rows(t, "records", calls[2].Row).SubAffiliateDays(t.Context(), SubAffiliateQuery{Product: affiliate.Futures})
	if err != nil || d.Records[0].Product != affiliate.Futures {
		t.Errorf("%+v, %v", d.Records, err)
	}
}

// Two equal rows are two records, in the order in which they were sent.
func TestTwinsAndOrder(t *testing.T) {
	other := with(t, goodRow, map[string]any{"uid": `"7"`})
	p, err := rows(t, commissionList, goodRow, other, goodRow).Commissions(t.Context(), CommissionQuery{})
	if err != nil || len(p.Records) != 3 {
		t.Fatalf("%d records, %v", len(p.Records), err)
	}
	if p.Records[0] != goodCommission || p.Records[1].UID != "7" || p.Records[2] != goodCommission {
		t.Errorf("%+v", p.Records)
	}
}

func TestInviteeOddities(t *testing.T) {
	for row, want := range map[string]affiliate.Invitee{
		`{"uid":"5"}`: {UID: "5"},
		`{"uid":5,"registerTime":1755687731913,"kycResult":true,"inviteCode":"abc","firstTrade":1755687731000}`: {UID: "5", RegisterTime: 1755687731913, KYC: "true", InviteCode: "abc", FirstTrade: 1755687731000},
		`{"uid":"5","kycResult":"false","firstDeposit":"0","firstTrade":0,"lastDeposit":null,"lastTrade":""}`:   {UID: "5", KYC: "false"},
		`{"uid":"5","kycResult":null,"registerTime":null,"inviteCode":null}`:                                    {UID: "5"},
		`{"uid":" 5 ","kycResult":"TRUE","firstDeposit":"1755687731913","lastDeposit":"1755687731914"}`:         {UID: "5", KYC: "true", FirstDeposit: 1755687731913, LastDeposit: 1755687731914},
		`{"uid":"5","kycResult":0,"inviteCode":1234,"lastTrade":"1755687731915"}`:                               {UID: "5", KYC: "false", InviteCode: "1234", LastTrade: 1755687731915},
		`{"uid":"5","inviteCode":"` + strings.Repeat("x", wire.MaxText) + `"}`:                                  {UID: "5", InviteCode: strings.Repeat("x", wire.MaxText)},
	} {
		p, err := rows(t, inviteeList, row).Invitees(t.Context(), InviteeQuery{})
		if err != nil || len(p.Records) != 1 || p.Records[0] != want {
			t.Errorf("%.90s: %+v, %v", row, p.Records, err)
		}
	}
}

func TestSubAffiliateDayOddities(t *testing.T) {
	want := affiliate.SubAffiliateDay{
		UID: "6424873609", Product: affiliate.Futures, Date: affiliate.NewDay(2025, 8, 20),
		TradingVolume: "1000.50", NetTradingFee: "1.2", PaidCommission: "0.3",
	}
	const row = `{"subAffiliateUid":"6424873609","productType":"FUTURES","date":"2025-08-20","tradingVolume":"1000.50","netTradingFee":"1.2","paidCommission":"0.3"}`
	for _, r := range []string{
		row,
		strings.Replace(row, `"6424873609"`, `6424873609`, 1),
		strings.Replace(row, `"2025-08-20"`, `1755648000000`, 1),
		strings.Replace(row, `"2025-08-20"`, `"1755734399999"`, 1),
		strings.Replace(row, `"1000.50"`, `1000.50`, 1),
		strings.Replace(row, `{`, `{"extra":{"a":[]},`, 1),
	} {
		p, err := rows(t, "records", r).SubAffiliateDays(t.Context(), SubAffiliateQuery{Product: affiliate.Futures})
		if err != nil || len(p.Records) != 1 || p.Records[0] != want {
			t.Errorf("%s: %+v, %v", r, p.Records, err)
		}
	}
}

// An incomplete or implausible record is kept apart with the field, its value and the row as
// received, and never read as zero. It costs no other record of its page.
func TestFaultyRecords(t *testing.T) {
	long := `"` + strings.Repeat("9", wire.MaxText+1) + `"`
	day, user := calls[2].Row, `{"uid":"1","registerTime":"1755687731913"}`
	for _, test := range []struct{ list, Row, field, value string }{
		{commissionList, goodRow, "uid", ""}, {commissionList, goodRow, "uid", `null`}, {commissionList, goodRow, "uid", `""`},
		{commissionList, goodRow, "uid", `" "`}, {commissionList, goodRow, "uid", `1.5`}, {commissionList, goodRow, "uid", `1e3`},
		{commissionList, goodRow, "uid", `true`}, {commissionList, goodRow, "uid", `{}`}, {commissionList, goodRow, "uid", `[1]`},
		{commissionList, goodRow, "uid", long}, {commissionList, goodRow, "uid", `"a\u0000b"`}, {commissionList, goodRow, "uid", `"a\ufffdb"`},
		{commissionList, goodRow, "dealTime", ""}, {commissionList, goodRow, "dealTime", `null`}, {commissionList, goodRow, "dealTime", `"0"`},
		{commissionList, goodRow, "dealTime", `1755687731`}, {commissionList, goodRow, "dealTime", `"2025-08-20"`}, {commissionList, goodRow, "dealTime", `1755687731913000`},
		{commissionList, goodRow, "dealTime", `-1755687731913`}, {commissionList, goodRow, "dealTime", `9999999999999`}, {commissionList, goodRow, "dealTime", `1.755687731913e12`},
		{commissionList, goodRow, "dealTime", `1000000000000`}, {commissionList, goodRow, "dealTime", `true`}, {commissionList, goodRow, "dealTime", `[]`},
		{commissionList, goodRow, "coin", ""}, {commissionList, goodRow, "coin", `null`}, {commissionList, goodRow, "coin", `""`}, {commissionList, goodRow, "coin", `"US\nDT"`},
		{commissionList, goodRow, "fee", ""}, {commissionList, goodRow, "fee", `null`}, {commissionList, goodRow, "fee", `""`},
		{commissionList, goodRow, "fee", `"NaN"`}, {commissionList, goodRow, "fee", `"1e9999999"`}, {commissionList, goodRow, "fee", `1e9999999`},
		{commissionList, goodRow, "fee", `"1,000"`}, {commissionList, goodRow, "fee", `"0x10"`}, {commissionList, goodRow, "fee", `true`},
		{commissionList, goodRow, "fee", long}, {commissionList, goodRow, "fee", `{"value":"1"}`}, {commissionList, goodRow, "fee", `" 1"`},
		{commissionList, goodRow, "commission", ""}, {commissionList, goodRow, "commission", `"Infinity"`},
		{commissionList, goodRow, "productType", `"FUTURES"`}, {commissionList, goodRow, "productType", `"OPTIONS"`},
		{commissionList, goodRow, "rate", `"10%"`}, {commissionList, goodRow, "takerAmount", `"abc"`},
		{commissionList, goodRow, "symbol", long}, {commissionList, goodRow, "symbol", `false`}, {commissionList, goodRow, "sourceType", `[1]`},
		{inviteeList, user, "uid", ""}, {inviteeList, user, "uid", `null`}, {inviteeList, user, "registerTime", `1755687731`},
		{inviteeList, user, "kycResult", `"maybe"`}, {inviteeList, user, "lastTrade", `"yesterday"`}, {inviteeList, user, "inviteCode", long},
		{"records", day, "subAffiliateUid", ""}, {"records", day, "date", ""}, {"records", day, "date", `"20.08.2025"`}, {"records", day, "date", `"2025-13-01"`},
		{"records", day, "date", `"1999-01-01"`}, {"records", day, "date", `1755687731`}, {"records", day, "tradingVolume", ""},
		{"records", day, "netTradingFee", `null`}, {"records", day, "paidCommission", `""`},
	} {
		change := map[string]any{test.field: nil}
		if test.value != "" {
			change[test.field] = test.value
		}
		c := rows(t, test.list, test.Row, with(t, test.Row, change), test.Row)
		var got []string // of what was kept apart
		var n int
		var err error
		switch test.list {
		case commissionList:
			p, failed := c.Commissions(t.Context(), CommissionQuery{})
			n, got, err = len(p.Records), apart(p.Quarantined, p.Spared), failed
		case inviteeList:
			p, failed := c.Invitees(t.Context(), InviteeQuery{})
			n, got, err = len(p.Records), apart(p.Quarantined, p.Spared), failed
		default:
			p, failed := c.SubAffiliateDays(t.Context(), SubAffiliateQuery{})
			n, got, err = len(p.Records), apart(p.Quarantined, p.Spared), failed
		}
		want := 2
		if test.field == "lastTrade" {
			want = 3 // no figure needs it
		}
		if err != nil || n != want || len(got) != 4 || got[0] != test.field || got[1] != affiliate.Shortened(test.value, affiliate.MostOfValue) || got[2] == "" ||
			got[3] != affiliate.Shortened(with(t, test.Row, change), affiliate.MostOfRow) {
			t.Errorf("%s = %.40s: %d records, %v, kept apart: %q", test.field, test.value, n, err, got)
		}
	}
	// If only one of the two times is sent, it counts, even if it is invalid.
	row := with(t, goodRow, map[string]any{"dealTime": nil, "date": `"20 August"`})
	if p, err := rows(t, commissionList, row).Commissions(t.Context(), CommissionQuery{}); err != nil || len(p.Quarantined) != 1 || p.Quarantined[0].Field != "date" || p.Quarantined[0].Value != `"20 August"` {
		t.Errorf("an invalid date: %+v, %v", p, err)
	}
}

// apart returns field, value, reason and row of all that was kept apart.
func apart[T any](lists ...[]affiliate.Quarantined[T]) (all []string) {
	for _, list := range lists {
		for _, r := range list {
			all = append(all, r.Field, r.Value, r.Reason, r.Raw)
		}
	}
	return all
}

// A list of which nothing looks like its records is not that list, and the whole answer is
// malformed.
func TestListOfSomethingElse(t *testing.T) {
	for _, rows := range []string{`{}`, `1,2`, `"a"`, `null`, `{"id":1},{"id":2}`} {
		for _, call := range calls {
			c := dial(t, serve(t, says(200, `{"code":"200","data":{"total":2,"`+call.list+`":[`+rows+`]}}`)), func(cfg *exchange.Config) { cfg.Tries = 1 })
			if n, err := call.do(c); exchange.ClassOf(err) != exchange.ClassMalformed || n != 0 {
				t.Errorf("%s: %s: %d records, %v", call.name, rows, n, err)
			}
		}
	}
}

// What no figure needs is left out of a record and costs nothing else of it.
func TestSparedFields(t *testing.T) {
	bill := `{"billId":"1","coinName":"USDT","bizType":"deposit","deltaAmount":"1","afterAmount":"2","fees":"0","fillSize":"0","fillValue":"0","cTime":1756103438804}`
	for _, field := range []string{"afterAmount", "fees", "fillSize", "fillValue"} {
		row := with(t, bill, map[string]any{field: `"0.1234567890123456789"`})
		c := dial(t, serve(t, says(200, wrap(`[`+bill+`,`+row+`]`))))
		p, err := c.Bills(t.Context(), BillQuery{})
		if err != nil || len(p.Records) != 2 || len(p.Quarantined) != 0 || len(p.Spared) != 1 || p.Spared[0].Field != field || p.Records[1].DeltaAmount != "1" {
			t.Errorf("%s: %+v, %v", field, p, err)
		}
	}
	row := with(t, bill, map[string]any{"afterAmount": `"x"`, "fees": `"y"`, "deltaAmount": `"z"`})
	p, err := dial(t, serve(t, says(200, wrap(`[`+row+`,`+bill+`]`)))).Bills(t.Context(), BillQuery{})
	if err != nil || len(p.Records) != 1 || len(p.Spared) != 0 || len(p.Quarantined) != 1 || p.Quarantined[0].Field != "deltaAmount" || p.Quarantined[0].Record.BillID != "1" ||
		p.Quarantined[0].Record.Created != 1756103438804 {
		t.Errorf("%+v, %v", p, err)
	}
}
