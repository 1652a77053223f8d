package exchange

import (
	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// Pair is a spot pair with its rules (section 2). Numbers and flags that the
// exchange did not give are unknown.
type Pair struct {
	Symbol, BaseCoin, QuoteCoin string

	TickSize       affiliate.Number // least step of a price, in quote currency
	StepSize       affiliate.Number // least step of a quantity, in base currency
	MinTradeAmount affiliate.Number
	MaxTradeAmount affiliate.Number
	TakerFeeRate   affiliate.Number // a fraction
	MakerFeeRate   affiliate.Number // a fraction

	BuyLimitPriceRatio       affiliate.Number
	SellLimitPriceRatio      affiliate.Number
	MarketBuyLimitSize       affiliate.Number
	MarketSellLimitSize      affiliate.Number
	MarketFallbackPriceRatio affiliate.Number

	EnableTrade       affiliate.Flag
	EnableDisplay     affiliate.Flag
	DisplayDigitMerge string // steps of the order book, separated by commas; may be empty
	DisplayNew        affiliate.Flag
	DisplayHot        affiliate.Flag
	SupportTracing    affiliate.Flag // copy trading
	SupportPlanMarket affiliate.Flag // market orders in conditional orders
}

func readPair(r *reader) Pair {
	var p Pair
	for r.token(); r.members(); {
		switch string(r.name) {
		case "symbol":
			p.Symbol = r.identity()
		case "baseCoin":
			p.BaseCoin = r.identity()
		case "quoteCoin":
			p.QuoteCoin = r.identity()
		case "tickSize":
			p.TickSize = r.number()
		case "stepSize":
			p.StepSize = r.number()
		case "minTradeAmount":
			p.MinTradeAmount = r.number()
		case "maxTradeAmount":
			p.MaxTradeAmount = r.number()
		case "takerFeeRate":
			p.TakerFeeRate = r.number()
		case "makerFeeRate":
			p.MakerFeeRate = r.number()
		case "buyLimitPriceRatio":
			p.BuyLimitPriceRatio = r.number()
		case "sellLimitPriceRatio":
			p.SellLimitPriceRatio = r.number()
		case "marketBuyLimitSize":
			p.MarketBuyLimitSize = r.number()
		case "marketSellLimitSize":
			p.MarketSellLimitSize = r.number()
		case "marketFallbackPriceRatio":
			p.MarketFallbackPriceRatio = r.number()
		case "enableTrade":
			p.EnableTrade = r.flag()
		case "enableDisplay":
			p.EnableDisplay = r.flag()
		case "displayDigitMerge":
			p.DisplayDigitMerge = r.text()
		case "displayNew":
			p.DisplayNew = r.flag()
		case "displayHot":
			p.DisplayHot = r.flag()
		case "supportTracing":
			p.SupportTracing = r.flag()
		case "supportPlanMarket":
			p.SupportPlanMarket = r.flag()
		default:
			r.skip()
		}
	}
	r.need("symbol", p.Symbol != "")
	r.need("baseCoin", p.BaseCoin != "")
	r.need("quoteCoin", p.QuoteCoin != "")
	return p
}

// Currency is a coin and the chains it moves on (section 2).
type Currency struct {
	CoinID   string
	CoinName affiliate.Coin
	Transfer affiliate.Flag
	Chains   []Chain
}

// Chain is one way for a coin in and out.
type Chain struct {
	Chain             Text // its name, which may be left open
	NeedTag           affiliate.Flag
	WithdrawAble      affiliate.Flag
	RechargeAble      affiliate.Flag // deposits
	WithdrawFee       affiliate.Number
	DepositConfirm    affiliate.Number // blocks
	WithdrawConfirm   affiliate.Number // blocks
	MinDepositAmount  affiliate.Number
	MinWithdrawAmount affiliate.Number
	BrowserURL        string // of the block explorer, as it came: it is foreign text
	ContractAddress   Text   // in the document, but not in its sample
}

func readCurrency(r *reader) Currency {
	var c Currency
	for r.token(); r.members(); {
		switch string(r.name) {
		case "coinId":
			c.CoinID = r.identity()
		case "coinName":
			c.CoinName = affiliate.Coin(r.identity())
		case "transfer":
			c.Transfer = r.flag()
		case "chains":
			c.Chains = readChains(r)
		default:
			r.skip()
		}
	}
	r.need("coinId", c.CoinID != "")
	r.need("coinName", c.CoinName != "")
	return c
}

// readChains reads the chains; null is none of them.
func readChains(r *reader) []Chain {
	if r.kind() == jsontext.KindNull {
		r.skip()
		return nil
	}
	chains, there := eachRecord(r, readChain)
	if !there {
		r.wrong("is not a list")
	}
	return chains
}

func readChain(r *reader) Chain {
	var c Chain
	if r.kind() != jsontext.KindBeginObject {
		r.skip()
		r.wrong("is not a chain")
		return c
	}
	for r.token(); r.members(); {
		switch string(r.name) {
		case "chain":
			c.Chain = r.given()
		case "needTag":
			c.NeedTag = r.flag()
		case "withdrawAble":
			c.WithdrawAble = r.flag()
		case "rechargeAble":
			c.RechargeAble = r.flag()
		case "withdrawFee":
			c.WithdrawFee = r.number()
		case "depositConfirm":
			c.DepositConfirm = r.number()
		case "withdrawConfirm":
			c.WithdrawConfirm = r.number()
		case "minDepositAmount":
			c.MinDepositAmount = r.number()
		case "minWithdrawAmount":
			c.MinWithdrawAmount = r.number()
		case "browserUrl":
			c.BrowserURL = r.text()
		case "contractAddress":
			c.ContractAddress = r.given()
		default:
			r.skip()
		}
	}
	return c
}
