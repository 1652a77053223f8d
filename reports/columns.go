package reports

import (
	"strconv"

	"rebatedesk/store"
)

// cellKind is how a value is written.
type cellKind int

const (
	textCell    cellKind = iota // a string; guarded against formulas where a spreadsheet reads it
	numberCell                  // an exact decimal; a string in JSON, where numbers are floats
	integerCell                 // a small whole number
	boolCell                    // true or false
)

// column is one column of an export. Its value is text; empty = unknown.
type column[T any] struct {
	name  string
	kind  cellKind
	value func(*T) string
}

// The columns of the exports are fixed: programs of others read them.
var commissionColumns = []column[store.CommissionRow]{
	{"deal_time_utc", textCell, func(r *store.CommissionRow) string { return r.DealTime.String() }},
	{"deal_time_ms", integerCell, func(r *store.CommissionRow) string { return strconv.FormatInt(int64(r.DealTime), 10) }},
	{"account", textCell, func(r *store.CommissionRow) string { return string(r.Account) }},
	{"uid", textCell, func(r *store.CommissionRow) string { return string(r.UID) }},
	{"invite_code", textCell, func(r *store.CommissionRow) string { return r.InviteCode }},
	{"product_type", textCell, func(r *store.CommissionRow) string { return string(r.Product) }},
	{"symbol", textCell, func(r *store.CommissionRow) string { return r.Symbol }},
	{"source_type", textCell, func(r *store.CommissionRow) string { return string(r.Source) }},
	{"coin", textCell, func(r *store.CommissionRow) string { return string(r.Coin) }},
	{"taker_amount", numberCell, func(r *store.CommissionRow) string { return string(r.TakerAmount) }},
	{"maker_amount", numberCell, func(r *store.CommissionRow) string { return string(r.MakerAmount) }},
	{"fee", numberCell, func(r *store.CommissionRow) string { return string(r.Fee) }},
	{"rate", numberCell, func(r *store.CommissionRow) string { return string(r.Rate) }},
	{"commission", numberCell, func(r *store.CommissionRow) string { return string(r.Commission.Commission) }},
	{"first_seen_utc", textCell, func(r *store.CommissionRow) string { return r.FirstSeen.String() }},
}

var dailyColumns = []column[store.DaySums]{
	{"date", textCell, func(d *store.DaySums) string { return d.Day.String() }},
	{"account", textCell, func(d *store.DaySums) string { return string(d.Account) }},
	{"product_type", textCell, func(d *store.DaySums) string { return string(d.Product) }},
	{"coin", textCell, func(d *store.DaySums) string { return string(d.Coin) }},
	{"source_type", textCell, func(d *store.DaySums) string { return string(d.Source) }},
	{"records", integerCell, func(d *store.DaySums) string { return strconv.FormatInt(d.Records, 10) }},
	{"fee", numberCell, func(d *store.DaySums) string { return string(d.Fee) }},
	{"commission", numberCell, func(d *store.DaySums) string { return string(d.Commission) }},
	{"taker_amount", numberCell, func(d *store.DaySums) string { return string(d.TakerAmount) }},
	{"maker_amount", numberCell, func(d *store.DaySums) string { return string(d.MakerAmount) }},
}

var inviteeColumns = []column[store.InviteeRow]{
	{"account", textCell, func(i *store.InviteeRow) string { return string(i.Account) }},
	{"uid", textCell, func(i *store.InviteeRow) string { return string(i.UID) }},
	{"invite_code", textCell, func(i *store.InviteeRow) string { return i.InviteCode }},
	{"register_time_utc", textCell, func(i *store.InviteeRow) string { return i.RegisterTime.String() }},
	{"kyc", boolCell, func(i *store.InviteeRow) string { return string(i.KYC) }},
	{"first_deposit_utc", textCell, func(i *store.InviteeRow) string { return i.FirstDeposit.String() }},
	{"first_trade_utc", textCell, func(i *store.InviteeRow) string { return i.FirstTrade.String() }},
	{"last_deposit_utc", textCell, func(i *store.InviteeRow) string { return i.LastDeposit.String() }},
	{"last_trade_utc", textCell, func(i *store.InviteeRow) string { return i.LastTrade.String() }},
	{"first_seen_utc", textCell, func(i *store.InviteeRow) string { return i.FirstSeen.String() }},
	{"last_seen_utc", textCell, func(i *store.InviteeRow) string { return i.LastSeen.String() }},
}

var subAffiliateColumns = []column[store.SubAffiliateRow]{
	{"account", textCell, func(d *store.SubAffiliateRow) string { return string(d.Account) }},
	{"sub_affiliate_uid", textCell, func(d *store.SubAffiliateRow) string { return string(d.UID) }},
	{"product_type", textCell, func(d *store.SubAffiliateRow) string { return string(d.Product) }},
	{"date", textCell, func(d *store.SubAffiliateRow) string { return d.Date.String() }},
	{"trading_volume", numberCell, func(d *store.SubAffiliateRow) string { return string(d.TradingVolume) }},
	{"net_trading_fee", numberCell, func(d *store.SubAffiliateRow) string { return string(d.NetTradingFee) }},
	{"paid_commission", numberCell, func(d *store.SubAffiliateRow) string { return string(d.PaidCommission) }},
}
