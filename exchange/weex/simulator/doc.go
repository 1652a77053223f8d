// Package simulator answers like the exchange, over real HTTP, from a seeded affiliate
// programme. Tests and the demo use it, and so can any client that should cost no money.
//
// It answers every endpoint of the interface document: markets with moving prices, an
// account whose orders fill as prices move and whose bills add up, the affiliate programme
// in versions 2 and 3, and the server time. It checks what the exchange checks (signature,
// clock, windows, page sizes, request weight, trading rules), misbehaves on request, and
// keeps a ledger of the truth against which collected records and orders can be compared.
//
// Prices are a function of seed and time, and the account's events follow from them,
// however often they are read. The simulator is not a client, stores nothing, and knows
// nothing about how its answers are used.
package simulator
