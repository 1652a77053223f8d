// Package known lists the exchanges that the desk can read. An exchange is registered here, and
// nowhere else.
package known

import (
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/bitget"
	"rebatedesk/exchange/kucoin"
	"rebatedesk/exchange/mexc"
	"rebatedesk/exchange/okx"
	"rebatedesk/exchange/weex"
)

// Default is the exchange of an account that names none.
const Default = "weex"

// File is the exchange of accounts whose commissions are imported from files.
const File = affiliate.FileExchange

// fileSheet says what files give. Which columns a file lacks is its own matter.
var fileSheet = exchange.Sheet{Name: File, Title: "Imported files", Grain: exchange.GrainRecord, DayZone: "UTC", Additive: true, Fees: true, Volumes: true, Codes: true,
	Unknown: []string{}, Paid: exchange.ProofNone, Streams: []exchange.StreamSheet{{Stream: affiliate.Stream{Kind: affiliate.Commissions}}}}

// adapter is an exchange with the function that makes its clients.
type adapter struct {
	sheet *exchange.Sheet
	open  func(exchange.Config) (exchange.Client, error)
}

// adapters are the exchanges, in the order of their names.
var adapters = []adapter{
	{&bitget.Sheet, client(bitget.New)},
	{&kucoin.Sheet, client(kucoin.New)},
	{&mexc.Sheet, client(mexc.New)},
	{&okx.Sheet, client(okx.New)},
	{&weex.Sheet, client(weex.New)},
}

// client makes a function return what it makes as a [exchange.Client].
func client[C exchange.Client](make func(exchange.Config) (C, error)) func(exchange.Config) (exchange.Client, error) {
	return func(cfg exchange.Config) (exchange.Client, error) {
		c, err := make(cfg)
		if err != nil {
			return nil, err // not a nil pointer in an interface
		}
		return c, nil
	}
}

// Sheets returns the sheets of the exchanges, in the order of their names.
func Sheets() (list []*exchange.Sheet) {
	for _, a := range adapters {
		list = append(list, a.sheet)
	}
	return list
}

// Names returns the names of the exchanges in settings, in their order.
func Names() (names []string) {
	for _, sheet := range Sheets() {
		names = append(names, sheet.Name)
	}
	return names
}

// Sheet returns the sheet of an exchange, nil if it is not known.
func Sheet(name string) *exchange.Sheet {
	for _, a := range adapters {
		if a.sheet.Name == name {
			return a.sheet
		}
	}
	return nil
}

// ByName returns the sheets of the exchanges by their names in settings.
func ByName() map[string]*exchange.Sheet {
	of := map[string]*exchange.Sheet{File: &fileSheet}
	for _, sheet := range Sheets() {
		of[sheet.Name] = sheet
	}
	return of
}

// Open makes a client of an exchange. It sends nothing; the error names every wrong setting, one
// per line, but never its value.
func Open(name string, cfg exchange.Config) (exchange.Client, error) {
	for _, a := range adapters {
		if a.sheet.Name == name {
			return a.open(cfg)
		}
	}
	return nil, fmt.Errorf("EXCHANGE: %q is not known", name)
}
