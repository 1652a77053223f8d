package simulator

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// wording says how one answer is written.
type wording struct {
	version    string // "v2" or "v3"
	date       bool   // DateField
	otherTypes bool   // OtherTypes
	product    bool   // ProductField
	nulls      bool   // NullFields
	timeText   bool   // RequestTimeText
	old        bool   // OldEnvelope
}

// encoder appends JSON to a buffer. It knows the few forms that the exchange
// uses and does nothing else, because a page is written for each request.
type encoder struct {
	wording
	b []byte
}

func (e *encoder) raw(text string) { e.b = append(e.b, text...) }

// name begins a field.
func (e *encoder) name(name string) {
	if last := e.b[len(e.b)-1]; last != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, '"')
	e.b = append(e.b, name...)
	e.b = append(e.b, '"', ':')
}

func (e *encoder) quoted(text string) {
	// The error says that text is not UTF-8. What is not has been replaced
	// then, as any JSON writer does.
	e.b, _ = jsontext.AppendQuote(e.b, text)
}

func (e *encoder) text(name, value string) {
	e.name(name)
	e.quoted(value)
}

// digits writes a number, or true and false, as such or as a text. What a test
// inserted may be anything, and is always a text then.
func (e *encoder) digits(name, value string, asText bool) {
	if asText || !literal(value) {
		e.text(name, value)
		return
	}
	e.name(name)
	e.raw(value)
}

// literal reports whether value can stand in JSON as it is.
func literal(value string) bool {
	return jsontext.Value(value).IsValid() && !strings.ContainsAny(value, "\"[{ ")
}

// amount writes a decimal: a text, unless types are exchanged. Unknown is
// absent or empty.
func (e *encoder) amount(name string, n affiliate.Number) {
	switch {
	case n.Known():
		e.digits(name, string(n), !e.otherTypes)
	case e.nulls:
		e.name(name)
		e.raw("null")
	}
}

// count writes a total: a number, unless types are exchanged.
func (e *encoder) count(name string, n int) {
	e.digits(name, strconv.Itoa(n), e.otherTypes)
}

// instant writes a time that may be unknown: absent, null or empty then.
func (e *encoder) instant(name string, at affiliate.Millis) {
	switch {
	case at.Known():
		e.digits(name, strconv.FormatInt(int64(at), 10), !e.otherTypes)
	case e.nulls && !e.otherTypes:
		e.name(name)
		e.raw("null")
	case e.nulls:
		e.text(name, "")
	}
}

// commission writes a record of endpoint 4.17.
func (e *encoder) commission(c affiliate.Commission) {
	time := "dealTime"
	if e.date {
		time = "date"
	}
	e.raw("{")
	e.digits("uid", string(c.UID), !e.otherTypes)
	e.instant(time, c.DealTime)
	e.text("coin", string(c.Coin))
	if e.product {
		e.text("productType", string(c.Product))
	} else if e.nulls {
		e.name("productType")
		e.raw("null")
	}
	e.amount("fee", c.Fee)
	e.amount("commission", c.Commission)
	e.amount("rate", c.Rate)
	e.text("symbol", c.Symbol)
	if c.Source != "" {
		e.digits("sourceType", c.Source.SourceType(), e.otherTypes)
	}
	e.amount("takerAmount", c.TakerAmount)
	e.amount("makerAmount", c.MakerAmount)
	e.raw("}")
}

// invitee writes a record of endpoint 4.18.
func (e *encoder) invitee(u *affiliate.Invitee) {
	e.raw("{")
	e.digits("uid", string(u.UID), !e.otherTypes)
	e.instant("registerTime", u.RegisterTime)
	if u.KYC != "" {
		e.digits("kycResult", string(u.KYC), e.otherTypes)
	}
	if u.InviteCode != "" || e.nulls {
		e.text("inviteCode", u.InviteCode)
	}
	e.instant("firstDeposit", u.FirstDeposit)
	e.instant("firstTrade", u.FirstTrade)
	e.instant("lastDeposit", u.LastDeposit)
	e.instant("lastTrade", u.LastTrade)
	e.raw("}")
}

// subAffiliateDay writes a record of endpoint 4.19.
func (e *encoder) subAffiliateDay(d affiliate.SubAffiliateDay) {
	e.raw("{")
	e.digits("subAffiliateUid", string(d.UID), !e.otherTypes)
	e.text("productType", string(d.Product))
	e.text("date", d.Date.String())
	e.amount("tradingVolume", d.TradingVolume)
	e.amount("netTradingFee", d.NetTradingFee)
	e.amount("paidCommission", d.PaidCommission)
	e.raw("}")
}

// refusal writes a business error.
func (e *encoder) refusal(r *refusal, now int64) {
	e.raw("{")
	if e.version == "v3" {
		e.digits("code", strconv.Itoa(r.old), false)
		e.text("msg", r.msg)
		e.raw("}")
		return
	}
	e.text("code", r.code)
	e.text("msg", r.msg)
	e.clock("requestTime", now)
	e.raw(`,"data":null}`)
}

// clock writes the exchange's time.
func (e *encoder) clock(name string, now int64) {
	e.digits(name, strconv.FormatInt(now, 10), e.timeText)
}
