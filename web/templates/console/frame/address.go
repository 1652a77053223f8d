package frame

import (
	"net/url"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/trading"
)

// Addresses of the pages of the console that others lead to.
const (
	MarketsPath   = "/console/markets"
	ContractsPath = "/console/contracts"
	TicketPath    = "/console/trade"
	OrdersPath    = "/console/orders"
	IntentsPath   = "/console/intents"
	FillsPath     = "/console/fills"
)

// PairAddress returns the page of a pair.
func PairAddress(symbol string) string {
	if affiliate.IsContract(symbol) {
		return ContractsPath + "/" + url.PathEscape(symbol)
	}
	return MarketsPath + "/" + url.PathEscape(symbol)
}

// InAccount returns an address that keeps the account if there are several.
func InAccount(path string, v View) string {
	if len(v.Accounts) < 2 {
		return path
	}
	return path + "?" + url.Values{"account": {string(v.Account)}}.Encode()
}

// OpenOrdersOf returns the page of the open orders of a pair.
func OpenOrdersOf(v View, pair string) string {
	values := url.Values{"pair": {pair}}
	if len(v.Accounts) > 1 {
		values.Set("account", string(v.Account))
	}
	return OrdersPath + "?" + values.Encode()
}

// OrdersOf links to a page about a pair, or to one of its orders.
func OrdersOf(v View, path, pair, order string) string {
	values := url.Values{"symbol": {pair}}
	if len(v.Accounts) > 1 {
		values.Set("account", string(v.Account))
	}
	if order != "" {
		values.Set("orderId", order)
	}
	if path == TicketPath {
		values.Set("kind", "cancel")
	}
	return path + "?" + values.Encode()
}

// cancelAddress returns the page that cancels the open orders of a page; it is empty if
// there are none, or the reader may not cancel them.
func (v View) cancelAddress() string {
	if v.Here != OrdersPath || v.Sheet == nil || len(v.Sheet.Rows) == 0 || v.Trading == nil || v.Trading.Mode == trading.Off || !v.User.Role.May(access.MayTrade) {
		return ""
	}
	for _, f := range v.Fields {
		if f.Name == "symbol" {
			return OrdersOf(v, TicketPath, affiliate.SpotSymbolOf(f.Value), "")
		}
	}
	return ""
}
