package affiliate

import (
	"slices"
	"strings"
)

// Product is the market a commission was earned in (4.17, productType). A
// value that the interface document does not know is kept as it came.
type Product string

// The product types of the interface document.
const (
	Spot    Product = "SPOT"
	Futures Product = "FUTURES"
)

// Products lists the known product types. One call to the exchange answers for
// one of them only, so a complete collection asks for each.
func Products() []Product { return []Product{Spot, Futures} }

// Known reports whether the product type is one of the document.
func (p Product) Known() bool { return slices.Contains(Products(), p) }

// Label is the name to show.
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

// Source tells through whom a commission came (4.17, sourceType): from a
// client of our own or from a sub-agent's. An unknown value is kept as the
// exchange's number.
type Source string

// The sources of the interface document: sourceType 1 and 2.
const (
	Direct   Source = "direct"
	SubAgent Source = "sub"
)

// Sources lists the known sources.
func Sources() []Source { return []Source{Direct, SubAgent} }

// SourceOf reads the exchange's sourceType.
func SourceOf(sourceType string) Source {
	switch sourceType {
	case "1":
		return Direct
	case "2":
		return SubAgent
	}
	return Source(sourceType)
}

// SourceType is the exchange's number for s, the inverse of [SourceOf].
func (s Source) SourceType() string {
	switch s {
	case Direct:
		return "1"
	case SubAgent:
		return "2"
	}
	return string(s)
}

// Label is the name to show.
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

// FlagOf is the known flag b.
func FlagOf(b bool) Flag {
	if b {
		return "true"
	}
	return "false"
}

// Account is the name of one affiliate account of this installation.
type Account string

// UID identifies a user of the exchange. It is text: it outgrows what a
// browser or a spreadsheet keeps exact in a number.
type UID string

// StreamKind is one of the three kinds of records that are collected.
type StreamKind string

// The kinds, by the names of the command line and of the pages.
const (
	Commissions   StreamKind = "commissions"
	Invitees      StreamKind = "invitees"
	SubAffiliates StreamKind = "sub-affiliates"
)

// StreamKinds lists the kinds in the order they are collected.
func StreamKinds() []StreamKind {
	return []StreamKind{Commissions, Invitees, SubAffiliates}
}

// Stream is one series of records of an account, collected and covered on its
// own: the kind and, where the exchange separates them, the product type.
type Stream struct {
	Kind    StreamKind
	Product Product // empty for invitees
}

// Streams lists every stream there is.
func Streams() []Stream {
	return []Stream{
		{Commissions, Spot}, {Commissions, Futures},
		{Invitees, ""},
		{SubAffiliates, Spot}, {SubAffiliates, Futures},
	}
}

// String is the kind and, where there is one, the product: "commissions SPOT".
func (s Stream) String() string {
	return strings.TrimSpace(string(s.Kind) + " " + string(s.Product))
}
