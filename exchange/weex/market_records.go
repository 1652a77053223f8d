package weex

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// TradingPair is a spot pair and its rules (section 2). Numbers and flags may be unknown.
type TradingPair struct {
	Symbol    string `json:"symbol"`
	BaseCoin  string `json:"baseCoin"`
	QuoteCoin string `json:"quoteCoin"`

	TickSize       affiliate.Number `json:"tickSize"` // smallest step of a price, in quote currency
	StepSize       affiliate.Number `json:"stepSize"` // smallest step of a quantity, in base currency
	MinTradeAmount affiliate.Number `json:"minTradeAmount"`
	MaxTradeAmount affiliate.Number `json:"maxTradeAmount"`
	TakerFeeRate   affiliate.Number `json:"takerFeeRate"` // a fraction
	MakerFeeRate   affiliate.Number `json:"makerFeeRate"` // a fraction

	BuyLimitPriceRatio       affiliate.Number `json:"buyLimitPriceRatio"`
	SellLimitPriceRatio      affiliate.Number `json:"sellLimitPriceRatio"`
	MarketBuyLimitSize       affiliate.Number `json:"marketBuyLimitSize"`
	MarketSellLimitSize      affiliate.Number `json:"marketSellLimitSize"`
	MarketFallbackPriceRatio affiliate.Number `json:"marketFallbackPriceRatio"`

	EnableTrade       affiliate.Flag `json:"enableTrade"`
	EnableDisplay     affiliate.Flag `json:"enableDisplay"`
	DisplayDigitMerge wire.FreeText  `json:"displayDigitMerge"` // price steps of the order book, comma-separated; may be empty
	DisplayNew        affiliate.Flag `json:"displayNew"`
	DisplayHot        affiliate.Flag `json:"displayHot"`
	SupportTracing    affiliate.Flag `json:"supportTracing"`    // copy trading
	SupportPlanMarket affiliate.Flag `json:"supportPlanMarket"` // market orders in conditional orders
}

// Lacks names a required field that is missing.
func (p *TradingPair) Lacks() (field, why string) {
	switch {
	case p.Symbol == "":
		return "symbol", wire.Absent
	case p.BaseCoin == "":
		return "baseCoin", wire.Absent
	case p.QuoteCoin == "":
		return "quoteCoin", wire.Absent
	}
	return "", ""
}

// Spares reports whether neither a figure nor the rules of an order need a field.
func (p *TradingPair) Spares(field string) bool {
	switch field {
	case "takerFeeRate", "makerFeeRate", "enableDisplay", "displayDigitMerge", "displayNew", "displayHot", "supportTracing", "supportPlanMarket":
		return true
	}
	return false
}

// Currency is a coin and the chains it uses (section 2).
type Currency struct {
	CoinID   string            `json:"coinId"`
	CoinName affiliate.Coin    `json:"coinName"`
	Transfer affiliate.Flag    `json:"transfer"`
	Chains   wire.Array[Chain] `json:"chains"`
}

// Chain is a network for depositing and withdrawing a coin.
type Chain struct {
	Chain             wire.Text        `json:"chain"` // its name, which may be absent
	NeedTag           affiliate.Flag   `json:"needTag"`
	WithdrawAble      affiliate.Flag   `json:"withdrawAble"`
	RechargeAble      affiliate.Flag   `json:"rechargeAble"` // deposits
	WithdrawFee       affiliate.Number `json:"withdrawFee"`
	DepositConfirm    affiliate.Number `json:"depositConfirm"`  // blocks
	WithdrawConfirm   affiliate.Number `json:"withdrawConfirm"` // blocks
	MinDepositAmount  affiliate.Number `json:"minDepositAmount"`
	MinWithdrawAmount affiliate.Number `json:"minWithdrawAmount"`
	BrowserURL        wire.FreeText    `json:"browserUrl"`      // of the block explorer, as received: foreign text
	ContractAddress   wire.Text        `json:"contractAddress"` // in the document, but not in its sample
}

// Lacks names a required field that is missing.
func (c *Currency) Lacks() (field, why string) {
	switch {
	case c.CoinID == "":
		return "coinId", wire.Absent
	case c.CoinName == "":
		return "coinName", wire.Absent
	}
	return "", ""
}

// Spares reports whether no figure needs a field: bills need the name.
func (c *Currency) Spares(field string) bool { return field == "transfer" || field == "chains" }
