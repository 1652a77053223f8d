package bitget

import (
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// zone is that of the exchange's days.
var zone = time.FixedZone("UTC+8", 8*60*60)

// dayOf returns the instant at which a day of the exchange begins: it is sent as that instant, or as a
// date.
func dayOf(text string) (affiliate.Millis, bool) {
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return affiliate.MillisOf(day), true
	}
	at, ok := wire.Millis(text)
	if !ok {
		return 0, false
	}
	day := at.Time().In(zone)
	return affiliate.MillisOf(time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)), true
}

// commissionRow is what an invitee brought on a day with a pair in a coin. The running totals that the
// exchange adds (userTotal…, dayTotal…, totalRebateAmount) are never read.
type commissionRow struct {
	UID        affiliate.UID     `json:"uid"`
	Date       wire.Text         `json:"date"`
	Coin       affiliate.Coin    `json:"coin"`
	Symbol     wire.FreeText     `json:"symbol"`
	Product    affiliate.Product `json:"productType"`
	Volume     affiliate.Number  `json:"dealAmount"`
	Fee        affiliate.Number  `json:"feePaid"`
	Commission affiliate.Number  `json:"rebateAmount"`

	day affiliate.Millis
}

func (v *commissionRow) Lacks() (field, why string) {
	var ok bool
	v.day, ok = dayOf(v.Date.Value)
	switch {
	case v.UID == "":
		return "uid", wire.Absent
	case v.Date.Value == "":
		return "date", wire.Absent
	case !ok:
		return "date", "is neither a time in milliseconds (13 digits) nor a day YYYY-MM-DD"
	case v.Coin == "":
		return "coin", wire.Absent
	case !v.Commission.Known():
		return "rebateAmount", wire.Absent
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
		DealTime: row.day, UID: row.UID, Product: row.Product, Symbol: string(row.Symbol), Source: affiliate.Direct, Coin: row.Coin,
		TakerAmount: row.Volume, Fee: row.Fee, Commission: row.Commission,
	}
}

// inviteeRow is an invitee on the wire.
type inviteeRow struct {
	UID        affiliate.UID    `json:"uid"`
	Registered affiliate.Millis `json:"registerTime"`
}

func (v *inviteeRow) Lacks() (field, why string) {
	if v.UID == "" {
		return "uid", wire.Absent
	}
	return "", ""
}

func invitee(r *wire.Decoder, i *affiliate.Invitee) {
	var row inviteeRow
	wire.ReadRow(r, &row)
	*i = affiliate.Invitee{UID: row.UID, RegisterTime: row.Registered}
}

// settlement is what was made up for a partner, a pair and a period.
type settlement struct {
	Coin   affiliate.Coin   `json:"coin"`
	Direct affiliate.Number `json:"directCommission"`
	Sub    affiliate.Number `json:"subCommission"`
	Status wire.Text        `json:"status"`
	From   affiliate.Millis `json:"startCalculationTime"`
	To     affiliate.Millis `json:"endCalculationTime"`
}

// Lacks names what a row needs to be a payment. One that says it is not paid needs nothing; one whose
// state is absent or not known may be a payment.
func (v *settlement) Lacks() (field, why string) {
	switch {
	case strings.EqualFold(v.Status.Value, "unsettled"), strings.EqualFold(v.Status.Value, "notIssued"):
		return "", ""
	case v.Status.Value == "":
		return "status", wire.Absent
	case !strings.EqualFold(v.Status.Value, settled):
		return "status", "is not settled, unsettled or notIssued"
	case v.Coin == "":
		return "coin", wire.Absent
	case !v.To.Known():
		return "endCalculationTime", wire.Absent
	case !v.Direct.Known() && !v.Sub.Known():
		return "directCommission", wire.Absent
	}
	return "", ""
}

func readSettlement(r *wire.Decoder, s *settlement) { wire.ReadRow(r, s) }

// at returns the end of the period.
func (v settlement) at() affiliate.Millis { return v.To }

// settled is the state of what was paid.
const settled = "settled"
