package reports

import (
	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// The columns of the exports are fixed: programs of others read them.
var commissionColumns = []column[store.CommissionRow]{
	timeColumn("deal_time_utc", func(r *store.CommissionRow) affiliate.Millis { return r.DealTime }),
	integerColumn("deal_time_ms", func(r *store.CommissionRow) int64 { return int64(r.DealTime) }),
	textColumn("account", func(r *store.CommissionRow) affiliate.Account { return r.Account }),
	uidColumn("uid", func(r *store.CommissionRow) affiliate.UID { return r.UID }),
	textColumn("invite_code", func(r *store.CommissionRow) string { return r.InviteCode }),
	textColumn("product_type", func(r *store.CommissionRow) affiliate.Product { return r.Product }),
	textColumn("symbol", func(r *store.CommissionRow) string { return r.Symbol }),
	textColumn("source_type", func(r *store.CommissionRow) affiliate.Source { return r.Source }),
	coinColumn("coin", func(r *store.CommissionRow) affiliate.Coin { return r.Coin }),
	amountColumn("taker_amount", func(r *store.CommissionRow) affiliate.Number { return r.TakerAmount }),
	amountColumn("maker_amount", func(r *store.CommissionRow) affiliate.Number { return r.MakerAmount }),
	amountColumn("fee", func(r *store.CommissionRow) affiliate.Number { return r.Fee }),
	decimalColumn("rate", func(r *store.CommissionRow) affiliate.Number { return r.Rate }),
	amountColumn("commission", func(r *store.CommissionRow) affiliate.Number { return r.Commission.Commission }),
	timeColumn("first_seen_utc", func(r *store.CommissionRow) affiliate.Millis { return r.FirstSeen }),
}

var dailyColumns = []column[store.DaySums]{
	dayColumn("date", func(d *store.DaySums) affiliate.Day { return d.Day }),
	textColumn("account", func(d *store.DaySums) affiliate.Account { return d.Account }),
	textColumn("product_type", func(d *store.DaySums) affiliate.Product { return d.Product }),
	coinColumn("coin", func(d *store.DaySums) affiliate.Coin { return d.Coin }),
	textColumn("source_type", func(d *store.DaySums) affiliate.Source { return d.Source }),
	countColumn("records", func(d *store.DaySums) int64 { return d.Records }),
	amountColumn("fee", func(d *store.DaySums) affiliate.Number { return d.Fee }),
	amountColumn("commission", func(d *store.DaySums) affiliate.Number { return d.Commission }),
	amountColumn("taker_amount", func(d *store.DaySums) affiliate.Number { return d.TakerAmount }),
	amountColumn("maker_amount", func(d *store.DaySums) affiliate.Number { return d.MakerAmount }),
}

var inviteeColumns = []column[inviteeRow]{
	textColumn("account", func(i *inviteeRow) affiliate.Account { return i.Account }),
	uidColumn("uid", func(i *inviteeRow) affiliate.UID { return i.UID }),
	textColumn("invite_code", func(i *inviteeRow) string { return i.InviteCode }),
	timeColumn("register_time_utc", func(i *inviteeRow) affiliate.Millis { return i.RegisterTime }),
	boolColumn("kyc", func(i *inviteeRow) affiliate.Flag { return i.KYC }),
	timeColumn("first_deposit_utc", func(i *inviteeRow) affiliate.Millis { return i.FirstDeposit }),
	timeColumn("first_trade_utc", func(i *inviteeRow) affiliate.Millis { return i.FirstTrade }),
	timeColumn("last_deposit_utc", func(i *inviteeRow) affiliate.Millis { return i.LastDeposit }),
	timeColumn("last_trade_utc", func(i *inviteeRow) affiliate.Millis { return i.LastTrade }),
	timeColumn("first_seen_utc", func(i *inviteeRow) affiliate.Millis { return i.FirstSeen }),
	timeColumn("last_seen_utc", func(i *inviteeRow) affiliate.Millis { return i.LastSeen }),
	textColumn("state", func(i *inviteeRow) InviteeState { return i.State }),
	knownColumn("days_silent", func(i *inviteeRow) (int, bool) { return i.SilentDays, i.LastTradeDay != 0 }),
	decimalColumn("usual_gap_days", func(i *inviteeRow) affiliate.Number { return affiliate.Number(i.UsualGap.String()) }),
	amountColumn("lifetime_commission", func(i *inviteeRow) affiliate.Number { return i.lifetime }),
	coinColumn("coin", func(i *inviteeRow) affiliate.Coin { return i.coin }),
	amountColumn("at_risk", func(i *inviteeRow) affiliate.Number { return i.atRisk }),
	textColumn("name", func(*inviteeRow) string { return "" }), // nobody can be given one yet
	textColumn("tags", func(i *inviteeRow) string { return i.tags }),
}

var subAffiliateColumns = []column[store.SubAffiliateRow]{
	textColumn("account", func(d *store.SubAffiliateRow) affiliate.Account { return d.Account }),
	uidColumn("sub_affiliate_uid", func(d *store.SubAffiliateRow) affiliate.UID { return d.UID }),
	textColumn("product_type", func(d *store.SubAffiliateRow) affiliate.Product { return d.Product }),
	dayColumn("date", func(d *store.SubAffiliateRow) affiliate.Day { return d.Date }),
	amountColumn("trading_volume", func(d *store.SubAffiliateRow) affiliate.Number { return d.TradingVolume }),
	amountColumn("net_trading_fee", func(d *store.SubAffiliateRow) affiliate.Number { return d.NetTradingFee }),
	amountColumn("paid_commission", func(d *store.SubAffiliateRow) affiliate.Number { return d.PaidCommission }),
}
