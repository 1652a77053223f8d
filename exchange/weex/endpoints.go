package weex

import (
	"rebatedesk/exchange"

	"net/http"
	"slices"
	"strings"
)

// Endpoint names, the keys of the table.
const (
	endpointPairs            = "trading pairs"
	endpointCurrencies       = "currencies"
	endpointTickers          = "spot tickers"
	endpointTrades           = "public trades"
	endpointContractTicker   = "contract ticker"
	endpointContractTickers  = "contract tickers"
	endpointPlaceOrder       = "place order"
	endpointPlaceOrders      = "batch place orders"
	endpointCancelOrder      = "cancel order"
	endpointCancelOrders     = "batch cancel orders"
	endpointOpenOrders       = "open orders"
	endpointFills            = "fills"
	endpointTriggerOrder     = "trigger order"
	endpointBills            = "spot bills"
	endpointFundingBills     = "funding bills"
	endpointTransfers        = "transfers"
	endpointCommissions      = "affiliate commissions"
	endpointInvitees         = "affiliate invitees"
	endpointSubAffiliateDays = "sub-affiliate days"
)

// timeEndpoint is the server's time. It is not in the interface document, and we assume a weight
// of one.
var timeEndpoint = exchange.Endpoint{
	Name: "server time", Method: http.MethodGet, Path: "/api/v2/public/time", Weight: exchange.Weight{IP: 1}, Reading: true,
}

// endpoints is the table of endpoints. The weights are those of section 8.
var endpoints = []exchange.Endpoint{
	timeEndpoint,
	public("4.1", endpointPairs, "/api/v2/public/exchangeInfo", 10),
	public("4.2", endpointCurrencies, "/api/v2/public/currencies", 1),
	public("4.3", endpointTickers, "/api/v2/market/tickers", 20),
	public("4.4", endpointTrades, "/api/v2/market/fills", 5),
	public("4.5", endpointContractTicker, "/capi/v2/market/ticker", 1),
	public("4.6", endpointContractTickers, "/capi/v2/market/tickers", 40),
	order("4.7", endpointPlaceOrder, "/api/v2/trade/orders", 2, 5),
	order("4.8", endpointPlaceOrders, "/api/v2/trade/batch-orders", 5, 10),
	order("4.9", endpointCancelOrder, "/api/v2/trade/cancel-order", 2, 3),
	order("4.10", endpointCancelOrders, "/api/v2/trade/cancel-batch-orders", 5, 10),
	private("4.11", endpointOpenOrders, http.MethodPost, "/api/v2/trade/open-orders", 3),
	private("4.12", endpointFills, http.MethodPost, "/api/v2/trade/fills", 5),
	order("4.13", endpointTriggerOrder, "/capi/v2/order/plan_order", 2, 5),
	private("4.14", endpointBills, http.MethodPost, "/api/v2/account/bills", 5),
	private("4.15", endpointFundingBills, http.MethodPost, "/api/v2/account/fundingBills", 5),
	private("4.16", endpointTransfers, http.MethodGet, "/api/v2/account/transferRecords", 3),
	private("4.17", endpointCommissions, http.MethodGet, "/api/v2/rebate/affiliate/getAffiliateCommission", 20),
	private("4.18", endpointInvitees, http.MethodGet, "/api/v2/rebate/affiliate/getAffiliateUIDs", 20),
	private("4.19", endpointSubAffiliateDays, http.MethodPost, "/api/v2/rebate/affiliate/querySubChannelTransactions", 10),
}

// public describes an endpoint for market data: unsigned, weighted by address only.
func public(section, name, path string, ip int) exchange.Endpoint {
	return exchange.Endpoint{
		Section: section, Name: name, Method: http.MethodGet, Path: path, Weight: exchange.Weight{IP: ip},
		Reading: true, Contract: onContract(path),
	}
}

// private describes a signed endpoint that only reads; both its weights are equal.
func private(section, name, method, path string, weight int) exchange.Endpoint {
	return exchange.Endpoint{
		Section: section, Name: name, Method: method, Path: path, Weight: exchange.Weight{IP: weight, UID: weight},
		Signed: true, Reading: true, Affiliate: strings.Contains(path, "/affiliate/"),
	}
}

// order describes an endpoint that places or cancels orders.
func order(section, name, path string, ip, uid int) exchange.Endpoint {
	return exchange.Endpoint{
		Section: section, Name: name, Method: http.MethodPost, Path: path, Weight: exchange.Weight{IP: ip, UID: uid},
		Signed: true, Contract: onContract(path),
	}
}

func onContract(path string) bool { return strings.HasPrefix(path, "/capi/") }

// Endpoints returns every endpoint this package can call, in the order of the interface
// document.
func Endpoints() []exchange.Endpoint { return slices.Clone(endpoints) }

// endpointNamed returns an entry of the table. It panics on an unknown name, because names
// are constants of this package.
func endpointNamed(name string) exchange.Endpoint {
	for _, e := range endpoints {
		if e.Name == name {
			return e
		}
	}
	panic("exchange: no endpoint is named " + name)
}
