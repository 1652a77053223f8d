package market

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// ListedCoin is a cryptocurrency of the simulated exchange.
type ListedCoin struct {
	ID       int
	Name     affiliate.Coin
	price    float64 // average over time, in dollars
	swing    float64 // volatility of the price, see walk
	Transfer bool
	Chains   []DepositChain
}

// DepositChain is a way to deposit and withdraw a coin.
type DepositChain struct {
	Name                        string // empty if unknown
	Tag, Withdraw, Recharge     bool
	Fee, MinDeposit, MinPayout  string
	DepositConfirm, SendConfirm int
	Browser, Contract           string
}

// Chains that several coins share.
func ethereum(fee, least, contract string) DepositChain {
	return DepositChain{"ERC20", false, true, true, fee, least, least, 12, 64, "https://etherscan.io/tx/", contract}
}

func tron(fee, least, contract string) DepositChain {
	return DepositChain{"TRC20", false, true, true, fee, least, least, 1, 1, "https://tronscan.org/#/transaction/", contract}
}

func ownChain(name, fee, least string, confirm int, browser string) DepositChain {
	return DepositChain{name, false, true, true, fee, least, least, confirm, confirm, browser, ""}
}

// ListedCoins are the coins that can be held. Their ids are written as in the bills.
var ListedCoins = []ListedCoin{
	{1, "BTC", 72_000, 1, true, []DepositChain{ownChain("BTC", "0.0002", "0.0005", 2, "https://mempool.space/tx/")}},
	{2, "USDT", 1, 0, true, []DepositChain{
		tron("1", "5", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
		ethereum("3.5", "10", "0xdac17f958d2ee523a2206206994597c13d831ec7"),
	}},
	{3, "ETH", 3_100, 1.2, true, []DepositChain{ethereum("0.0012", "0.005", "")}},
	{4, "USDC", 1, 0.002, true, []DepositChain{ethereum("3.5", "10", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48")}},
	{5, "SOL", 150, 1.5, true, []DepositChain{ownChain("SOL", "0.008", "0.05", 32, "https://solscan.io/tx/")}},
	{6, "XRP", 2.1, 1.3, true, []DepositChain{{"XRP", true, true, true, "0.2", "1", "10", 1, 1, "https://xrpscan.com/tx/", ""}}},
	{7, "DOGE", 0.2, 1.6, true, []DepositChain{ownChain("", "4", "10", 40, "https://dogechain.info/tx/")}},
	{8, "LTC", 90, 1.1, true, []DepositChain{ownChain("LTC", "0.001", "0.01", 6, "https://litecoinspace.org/tx/")}},
	{9, "BCH", 400, 1.2, true, []DepositChain{ownChain("BCH", "0.001", "0.01", 15, "https://blockchair.com/bitcoin-cash/transaction/")}},
	{10, "LINK", 15, 1.4, true, []DepositChain{ethereum("0.3", "0.5", "0x514910771af9ca656af840dff83e8264ecf986ca")}},
	{11, "ADA", 0.7, 1.4, true, []DepositChain{ownChain("ADA", "0.8", "2", 15, "https://cardanoscan.io/transaction/")}},
	{12, "TRX", 0.25, 0.8, true, []DepositChain{tron("1", "5", "")}},
	{13, "AVAX", 30, 1.5, true, []DepositChain{ownChain("AVAXC", "0.01", "0.1", 12, "https://snowtrace.io/tx/")}},
	{14, "LUNC", 0.0001, 2, false, []DepositChain{{"LUNC", true, false, false, "100", "1000", "1000", 1, 1, "", ""}}},
}

// CoinNamed finds a coin. It returns nil if the coin does not exist.
func CoinNamed(name affiliate.Coin) *ListedCoin {
	for i := range ListedCoins {
		if ListedCoins[i].Name == name {
			return &ListedCoins[i]
		}
	}
	return nil
}

// walk returns the coin's price under a seed.
func (c *ListedCoin) walk(seed int64) walk {
	return walk{key: seeded.Subseed(seed, "price of "+string(c.Name)), price: c.price, swing: c.swing}
}
