package exchange

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
)

// seeds are bodies of every shape, good and bad.
func seeds(f *testing.F) {
	list := []string{
		goodPage, `{"code":"200","total":7,"list":[],"timestamp":"1756103438804"}`, `{"records":[],"total":1,"size":50,"current":1,"pages":1}`,
		`{"code":"40020","msg":"Parameter symbol is invalid","requestTime":1756103438804,"data":null}`, `<html>`, `[]`, `null`, ``, `{`,
		`{"list":[` + goodRow + `,` + goodRow + `]}`, `{"list":[{"uid":1e3}]}`, `{"list":[{"uid":"\ud800"}]}`,
		`{"list":[{"uid":"a","date":1755687731913,"coin":"B","fee":1E-7,"commission":"-0.0"}]}`,
		`{"channelUserInfoItemList":[{"uid":"5","kycResult":"true","registerTime":1755687731913,"inviteCode":"a\u0000","lastTrade":""}]}`,
		`{"data":{"records":[` + calls[2].row + `]}}`, strings.Repeat(`{"a":[`, 50), goodPage[:300],
	}
	for _, s := range list {
		f.Add([]byte(s))
	}
}

// check holds for every page that was believed.
func check[T any](t *testing.T, body []byte, p *pageReader[T], each func(T)) {
	a, fault, err := readAnswer(body, p)
	if err != nil || fault != nil {
		return
	}
	if p.lists != 1 || !bytes.Contains(body, []byte("[")) {
		t.Errorf("believed without a list: %q", body)
	}
	if p.page.Total < -1 || p.page.Pages < -1 || p.page.PageSize < -1 {
		t.Errorf("counts %+v", p.page)
	}
	checkText(t, a.code)
	for _, record := range p.page.Records {
		each(record)
	}
}

func checkText(t *testing.T, texts ...string) {
	for _, s := range texts {
		// A replaced byte takes three.
		if len(s) > 3*maxText || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("text %q", s)
		}
	}
}

func checkNumber(t *testing.T, required bool, numbers ...affiliate.Number) {
	for _, n := range numbers {
		if !n.Known() {
			if required {
				t.Error("a required number is unknown")
			}
			continue
		}
		if again, err := affiliate.ParseNumber(string(n)); err != nil || again != n {
			t.Errorf("number %q: %v", n, err)
		}
	}
}

func checkTime(t *testing.T, required bool, times ...affiliate.Millis) {
	for _, m := range times {
		if m.Known() != (m >= earliest && m < latest) || required && !m.Known() {
			t.Errorf("time %d", m)
		}
	}
}

func FuzzDecodeCommissions(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		p := newPageReader(commissionList, func(r *reader) affiliate.Commission { return readCommission(r, affiliate.Spot) })
		check(t, body, p, func(c affiliate.Commission) {
			if strings.TrimSpace(string(c.UID)) == "" || c.Coin == "" || c.Product == "" {
				t.Errorf("incomplete: %+v", c)
			}
			checkText(t, string(c.UID), string(c.Coin), string(c.Product), c.Symbol, string(c.Source))
			checkTime(t, true, c.DealTime)
			checkNumber(t, true, c.Fee, c.Commission)
			checkNumber(t, false, c.Rate, c.TakerAmount, c.MakerAmount)
		})
	})
}

func FuzzDecodeInvitees(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, body, newPageReader(inviteeList, readInvitee), func(v affiliate.Invitee) {
			if v.UID == "" || v.KYC != "" && v.KYC != "true" && v.KYC != "false" {
				t.Errorf("%+v", v)
			}
			checkText(t, string(v.UID), v.InviteCode)
			checkTime(t, false, v.RegisterTime, v.FirstDeposit, v.FirstTrade, v.LastDeposit, v.LastTrade)
		})
	})
}

func FuzzDecodeSubAffiliateDays(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		p := newPageReader(subAffiliateList, func(r *reader) affiliate.SubAffiliateDay { return readSubAffiliateDay(r, affiliate.Spot) })
		check(t, body, p, func(d affiliate.SubAffiliateDay) {
			if d.UID == "" || d.Product == "" || d.Date.String() < "2010-01-01" || d.Date.String() > "2099-12-31" {
				t.Errorf("%+v", d)
			}
			checkText(t, string(d.UID), string(d.Product))
			checkNumber(t, true, d.TradingVolume, d.NetTradingFee, d.PaidCommission)
		})
	})
}
