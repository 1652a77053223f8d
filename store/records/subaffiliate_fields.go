package records

import (
	"rebatedesk/affiliate"
	"rebatedesk/store"
)

var subAffiliateFields = fields[affiliate.SubAffiliateDay]{
	{name: "date", column: "date", target: func(d *affiliate.SubAffiliateDay) any { return (*store.DayText)(&d.Date) }},
	{name: "product", column: "product", target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.Product) }},
	{name: "uid", column: "uid", target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.UID) }},
	{name: "volume", column: "trading_volume", decimal: true, target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.TradingVolume) }},
	{name: "fee", column: "net_trading_fee", decimal: true, target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.NetTradingFee) }},
	{name: "paid", column: "paid_commission", decimal: true, target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.PaidCommission) }},
}
