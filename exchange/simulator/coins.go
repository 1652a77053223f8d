package simulator

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/seeded"
)

// coin is a cryptocurrency of the simulated exchange.
type coin struct {
	id       int
	name     affiliate.Coin
	price    float64 // dollars, in the long run
	swing    float64 // how lively the price is, see walk
	transfer bool
	chains   []chain
}

// chain is a way to deposit and withdraw a coin.
type chain struct {
	name                        string // unknown where empty
	tag, withdraw, recharge     bool
	fee, minDeposit, minPayout  string
	depositConfirm, sendConfirm int
	browser, contract           string
}

// The chains that several coins share.
func ethereum(fee, least, contract string) chain {
	return chain{"ERC20", false, true, true, fee, least, least, 12, 64, "https://etherscan.io/tx/", contract}
}

func tron(fee, least, contract string) chain {
	return chain{"TRC20", false, true, true, fee, least, least, 1, 1, "https://tronscan.org/#/transaction/", contract}
}

func ownChain(name, fee, least string, confirm int, browser string) chain {
	return chain{name, false, true, true, fee, least, least, confirm, confirm, browser, ""}
}

// coins are those that can be held. Ids are as the bills write them.
var coins = []coin{
	{1, "BTC", 72_000, 1, true, []chain{ownChain("BTC", "0.0002", "0.0005", 2, "https://mempool.space/tx/")}},
	{2, "USDT", 1, 0, true, []chain{
		tron("1", "5", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
		ethereum("3.5", "10", "0xdac17f958d2ee523a2206206994597c13d831ec7"),
	}},
	{3, "ETH", 3_100, 1.2, true, []chain{ethereum("0.0012", "0.005", "")}},
	{4, "USDC", 1, 0.002, true, []chain{ethereum("3.5", "10", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48")}},
	{5, "SOL", 150, 1.5, true, []chain{ownChain("SOL", "0.008", "0.05", 32, "https://solscan.io/tx/")}},
	{6, "XRP", 2.1, 1.3, true, []chain{{"XRP", true, true, true, "0.2", "1", "10", 1, 1, "https://xrpscan.com/tx/", ""}}},
	{7, "DOGE", 0.2, 1.6, true, []chain{ownChain("", "4", "10", 40, "https://dogechain.info/tx/")}},
	{8, "LTC", 90, 1.1, true, []chain{ownChain("LTC", "0.001", "0.01", 6, "https://litecoinspace.org/tx/")}},
	{9, "BCH", 400, 1.2, true, []chain{ownChain("BCH", "0.001", "0.01", 15, "https://blockchair.com/bitcoin-cash/transaction/")}},
	{10, "LINK", 15, 1.4, true, []chain{ethereum("0.3", "0.5", "0x514910771af9ca656af840dff83e8264ecf986ca")}},
	{11, "ADA", 0.7, 1.4, true, []chain{ownChain("ADA", "0.8", "2", 15, "https://cardanoscan.io/transaction/")}},
	{12, "TRX", 0.25, 0.8, true, []chain{tron("1", "5", "")}},
	{13, "AVAX", 30, 1.5, true, []chain{ownChain("AVAXC", "0.01", "0.1", 12, "https://snowtrace.io/tx/")}},
	{14, "LUNC", 0.0001, 2, false, []chain{{"LUNC", true, false, false, "100", "1000", "1000", 1, 1, "", ""}}},
}

// coinNamed finds a coin; nil where there is none.
func coinNamed(name affiliate.Coin) *coin {
	for i := range coins {
		if coins[i].name == name {
			return &coins[i]
		}
	}
	return nil
}

// walk is the coin's price under a seed.
func (c *coin) walk(seed int64) walk {
	return walk{key: seeded.Key(seed, "price of "+string(c.name)), price: c.price, swing: c.swing}
}
