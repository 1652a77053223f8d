package mexc

import (
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// zone is that of the exchange's days.
var zone = time.FixedZone("UTC+8", 8*60*60)

// products and sources are the exchange's numbers; others are kept as they are sent.
var products = map[string]affiliate.Product{"1": affiliate.Spot, "2": affiliate.Futures, "3": "ETF"}

// commissionRow is what an invitee brought on a day with a pair.
type commissionRow struct {
	Type       wire.Text        `json:"type"`
	SourceType wire.Text        `json:"sourceType"`
	Date       affiliate.Millis `json:"date"`
	UID        affiliate.UID    `json:"uid"`
	Rate       affiliate.Number `json:"rate"`
	Symbol     wire.FreeText    `json:"symbol"`
	Taker      affiliate.Number `json:"takerAmount"`
	Maker      affiliate.Number `json:"makerAmount"`
	VolumeCoin affiliate.Coin   `json:"amountCurrency"`
	InUSDT     affiliate.Number `json:"usdtAmount"`
	Commission affiliate.Number `json:"commission"`
	Currency   affiliate.Coin   `json:"currency"`
}

func (v *commissionRow) Lacks() (field, why string) {
	switch {
	case v.UID == "":
		return "uid", wire.Absent
	case !v.Date.Known():
		return "date", wire.Absent
	case v.Currency == "":
		return "currency", wire.Absent
	case !v.Commission.Known():
		return "commission", wire.Absent
	}
	return "", ""
}

func commission(r *wire.Decoder, c *affiliate.Commission) {
	var row commissionRow
	wire.ReadRow(r, &row)
	if row == (commissionRow{}) {
		return
	}
	*c = affiliate.Commission{
		DealTime: dayOf(row.Date), UID: row.UID, Product: products[row.Type.Value], Symbol: string(row.Symbol), Source: affiliate.SourceOf(row.SourceType.Value), Coin: row.Currency,
		TakerAmount: row.InUSDT, Rate: row.Rate, Commission: row.Commission,
	}
	if c.Product == "" {
		c.Product = affiliate.Product(row.Type.Value)
	}
	// Units are never mixed: what is not in USDT is taken undivided.
	if row.VolumeCoin == "USDT" {
		c.TakerAmount, c.MakerAmount = row.Taker, row.Maker
	}
}

// dayOf returns the instant at which the exchange's day of an instant begins.
func dayOf(at affiliate.Millis) affiliate.Millis {
	if !at.Known() {
		return 0
	}
	day := at.Time().In(zone)
	return affiliate.MillisOf(time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone))
}

// inviteeRow is an invitee who joined, or had commission, in a time. Its sums are not read.
type inviteeRow struct {
	UID     affiliate.UID `json:"uid"`
	Code    wire.FreeText `json:"inviteCode"`
	Invited wire.Text     `json:"inviteTime"`

	at affiliate.Millis
}

func (v *inviteeRow) Lacks() (field, why string) {
	var ok bool
	v.at, ok = instantOf(v.Invited.Value)
	switch {
	case v.UID == "":
		return "uid", wire.Absent
	case !ok:
		return "inviteTime", "is neither a time in seconds nor in milliseconds"
	}
	return "", ""
}

// instantOf reads a time in seconds, or in milliseconds if it has 13 digits; nothing and zero are unknown.
func instantOf(text string) (affiliate.Millis, bool) {
	if text == "" || text == "0" {
		return 0, true
	}
	if at, ok := wire.Millis(text); ok {
		return at, true
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && len(text) == 10 {
		return wire.Millis(strconv.FormatInt(seconds*1000, 10))
	}
	return 0, false
}

func invitee(r *wire.Decoder, i *affiliate.Invitee) {
	var row inviteeRow
	wire.ReadRow(r, &row)
	*i = affiliate.Invitee{UID: row.UID, InviteCode: string(row.Code), RegisterTime: row.at}
}
