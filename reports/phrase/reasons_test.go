package phrase_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/records"
)

func TestReasonWords(t *testing.T) {
	row := records.CommissionRow{Commission: affiliate.Commission{Product: affiliate.Spot, Coin: "WXT", Rate: "0.41"}}
	rate := decimal.RequireFromString
	usual := commissions.UsualRate{Rate: rate("0.413"), Having: 48, Of: 50}
	for _, c := range []struct {
		reason commissions.Reason
		marks  []string
		words  string
	}{
		{commissions.Reason{Rate: rate("0.05"), Known: true, Usual: usual, Causes: []commissions.Cause{commissions.CauseLower, commissions.CauseSubAgent}},
			[]string{"below 41.3 %"},
			"5.0 % of the fee; this invitee usually gets 41.3 % on Spot (48 of 50 records within 90 days). The client came through a sub-agent, who keeps a part of the rebate."},
		{commissions.Reason{Rate: rate("0.413"), Known: true, Usual: usual}, nil,
			"41.3 % of the fee, as usual for this invitee on Spot (48 of 50 records within 90 days)."},
		{commissions.Reason{Usual: usual, Equal: 2, Causes: []commissions.Cause{commissions.CauseVoucher, commissions.CauseTwin, commissions.CauseNoPrice}},
			[]string{"voucher?", "twin", "no price"},
			"There is no fee to compare the commission with; this invitee usually gets 41.3 % on Spot (48 of 50 records within 90 days). Others paid a fee in this pair, this trade did not: probably a voucher. There is nothing to share. The exchange sent 2 equal records; each of them counts. WXT has no price, so converted totals leave this record out."},
		{commissions.Reason{Rate: rate("0.05"), Known: true, Usual: commissions.UsualRate{Having: 1, Of: 1, Rate: rate("0.05")}}, nil,
			"5.0 % of the fee; what is usual for this invitee on Spot is not known: 1 record with a fee within 90 days."},
		{commissions.Reason{Rate: rate("0.05"), Known: true, Usual: commissions.UsualRate{Having: 9, Of: 40, Rate: rate("0.3")}, Causes: []commissions.Cause{commissions.CauseOtherRate}},
			[]string{"not as stated"},
			"5.0 % of the fee; this invitee has no usual rate on Spot: the most frequent one is 30.0 % (9 of 40 records within 90 days). The exchange states a rebate rate of 41.0 %, which the commission does not agree with."},
	} {
		plain := func(list []string) []string {
			for i := range list {
				list[i] = strings.ReplaceAll(list[i], phrase.Space, " ")
			}
			return list
		}
		if marks := plain(phrase.ReasonMarks(c.reason)); !slices.Equal(marks, c.marks) {
			t.Errorf("marks %q, want %q", marks, c.marks)
		}
		if words := strings.Join(plain(phrase.ReasonWords(row, c.reason)), " "); words != c.words {
			t.Errorf("said:\n%s\nwant:\n%s", words, c.words)
		}
	}
}

func TestRecordSum(t *testing.T) {
	none, upline := commissions.Reason{Known: true}, commissions.Reason{Known: true, Causes: []commissions.Cause{commissions.CauseUpline}}
	for _, c := range []struct {
		fee, rate, commission affiliate.Number
		reason                commissions.Reason
		want                  string
	}{
		{"4.772436", "0.2", "0.9544872", none, "Fee 4.772436 WXT × rebate rate 20.0 % = commission 0.9544872 WXT"},
		{"0.00000001", "0.413", "0", commissions.Reason{Known: true, Causes: []commissions.Cause{commissions.CauseUpline}}, "Fee 0.00000001 WXT × rebate rate 41.3 % would be 0.00000000413 WXT; the exchange credited 0 WXT"},
		{"12345.000001", "0.4", "4938", none, "Fee 12,345.000001 WXT × rebate rate 40.0 % ≈ commission 4,938 WXT"},
		{"5", "0.2", "0", upline, "Fee 5 WXT × rebate rate 20.0 % would be 1 WXT; the exchange credited 0 WXT"},
		{"0", "0.2", "0", commissions.Reason{}, "Fee 0 WXT × rebate rate 20.0 % = commission 0 WXT"},
		{"5", "", "1", none, "Fee 5 WXT, commission 1 WXT; the exchange states no rebate rate."},
		{"", "0.2", "1", commissions.Reason{}, "Fee × rebate rate is not known: the exchange left an amount out."},
	} {
		row := records.CommissionRow{Commission: affiliate.Commission{Coin: "WXT", Fee: c.fee, Rate: c.rate, Commission: c.commission}}
		if got := strings.ReplaceAll(phrase.RecordSum(row, c.reason), phrase.Space, " "); got != c.want {
			t.Errorf("said %q, want %q", got, c.want)
		}
	}
}
