package affiliate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Product is the market in which a commission was earned (4.17, productType). A value that
// the interface document does not list is kept unchanged.
type Product string

// The product types of the interface document.
const (
	Spot    Product = "SPOT"
	Futures Product = "FUTURES"
)

// Products lists the known product types. One call to the exchange covers only one of them,
// so a complete collection requests each.
func Products() []Product { return []Product{Spot, Futures} }

// CompareProducts orders products as [Products] does, and those that it lacks before them by name.
func CompareProducts(a, b Product) int {
	return cmp.Or(slices.Index(Products(), a)-slices.Index(Products(), b), strings.Compare(string(a), string(b)))
}

// Known reports whether the document lists the product type.
func (p Product) Known() bool { return slices.Contains(Products(), p) }

// Label returns the display name.
func (p Product) Label() string {
	switch p {
	case Spot:
		return "Spot"
	case Futures:
		return "Futures"
	case "":
		return "Unknown"
	}
	return string(p)
}

// Source says through whom a commission came (4.17, sourceType): from our own client or
// from a sub-agent's client. An unknown value is kept as the exchange's number.
type Source string

// The sources of the interface document: sourceType 1 and 2.
const (
	Direct   Source = "direct"
	SubAgent Source = "sub"
)

// Sources lists the known sources.
func Sources() []Source { return []Source{Direct, SubAgent} }

// SourceOf converts the exchange's sourceType.
func SourceOf(sourceType string) Source {
	switch sourceType {
	case "1":
		return Direct
	case "2":
		return SubAgent
	}
	return Source(sourceType)
}

// SourceType returns the exchange's number for s, the inverse of [SourceOf].
func (s Source) SourceType() string {
	switch s {
	case Direct:
		return "1"
	case SubAgent:
		return "2"
	}
	return string(s)
}

// Label returns the display name.
func (s Source) Label() string {
	switch s {
	case Direct:
		return "Direct"
	case SubAgent:
		return "Sub-agent"
	case "":
		return "Unknown"
	}
	return "Source " + string(s)
}

// Coin is the code of a currency, e.g. USDT.
type Coin string

// Stable reports whether the coin is a US dollar stablecoin, whose amounts are
// shown with two decimals.
func (c Coin) Stable() bool {
	switch c {
	case "USDT", "USDC", "FDUSD", "TUSD", "DAI", "USD":
		return true
	}
	return false
}

// Flag is a yes or no that may be unknown: "true", "false" or "".
type Flag string

// FlagOf returns the known flag b.
func FlagOf(b bool) Flag {
	if b {
		return "true"
	}
	return "false"
}

// Account is the name of one affiliate account of this installation.
type Account string

// UID identifies a user of the exchange. It is text, because it exceeds the integers that a
// browser or a spreadsheet represents exactly.
type UID string

var uidForm = regexp.MustCompile(`^[0-9A-Za-z_-]{1,32}$`)

// IsUID reports whether a text can be looked up as a UID. It is more than [CheckUID] accepts,
// since what is stored must be found, whatever it is.
func IsUID(text string) bool { return uidForm.MatchString(text) }

var enteredUID = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)

// CheckUID says what is wrong with a UID that a user enters, and how to mend it. The exchange
// numbers its users, so a UID has up to 19 digits, without a sign and without a zero before them.
// The error begins with a lower-case letter and ends without a full stop.
func CheckUID(text string) error {
	if enteredUID.MatchString(text) {
		return nil
	}
	return fmt.Errorf("%q is not a UID: write its digits alone, such as 4667776811, without a sign and without zeros before them", Visible(text))
}

// Wallet is one of the accounts in which a user of the exchange keeps coins.
type Wallet string

// The wallets whose changes the exchange lists, by their names in exports (4.14, 4.15).
const (
	SpotWallet    Wallet = "spot"
	FundingWallet Wallet = "funding"

	// PayoutsWallet has payouts that the exchange states without a change of a wallet.
	PayoutsWallet Wallet = "payouts"
)

// StreamKind is one of the kinds of collected records.
type StreamKind string

// The kinds, by the names used on the command line and on the pages.
const (
	Commissions   StreamKind = "commissions"
	Invitees      StreamKind = "invitees"
	SubAffiliates StreamKind = "sub-affiliates"
	SpotBills     StreamKind = "spot-bills"
	FundingBills  StreamKind = "funding-bills"
	Transfers     StreamKind = "transfers"
	Payouts       StreamKind = "payouts" // stated by the exchange, kept as bills
)

// StreamKinds lists the kinds in the order of collection.
func StreamKinds() []StreamKind {
	return []StreamKind{Commissions, Invitees, SubAffiliates, SpotBills, FundingBills, Transfers, Payouts}
}

// BillKinds lists the kinds whose records are bills, which prove what was paid.
func BillKinds() []StreamKind { return []StreamKind{SpotBills, FundingBills, Payouts} }

// Money reports whether the records are movements of money in wallets, which only the books
// of payments need. The other kinds are what was earned, and through whom.
func (k StreamKind) Money() bool { return k.Wallet() != "" || k == Transfers }

// Wallet returns the wallet of a kind of bills. It is empty for other kinds.
func (k StreamKind) Wallet() Wallet {
	switch k {
	case SpotBills:
		return SpotWallet
	case FundingBills:
		return FundingWallet
	case Payouts:
		return PayoutsWallet
	}
	return ""
}

// Stream is one series of records of an account, which is collected and covered separately.
// It consists of the kind and, if the exchange separates them, the product type.
type Stream struct {
	Kind    StreamKind
	Product Product // empty for invitees, bills and transfers
}

// Streams lists every stream.
func Streams() []Stream {
	return []Stream{
		{Commissions, Spot}, {Commissions, Futures},
		{Invitees, ""},
		{SubAffiliates, Spot}, {SubAffiliates, Futures},
		{SpotBills, ""}, {FundingBills, ""}, {Transfers, ""},
	}
}

// String returns the kind and the product, if any: "commissions SPOT".
func (s Stream) String() string {
	return strings.TrimSpace(string(s.Kind) + " " + string(s.Product))
}
