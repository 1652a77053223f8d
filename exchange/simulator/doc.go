// Package simulator is the exchange answered from a seeded affiliate
// programme, over real HTTP. It serves the tests, the demo and whoever wants
// to point a client at something that cannot cost money.
//
// It answers every endpoint of the interface document: markets whose prices
// move, an account whose orders fill as they do and whose bills add up, and the
// affiliate programme in versions 2 and 3; and the server time. It checks what
// the exchange checks (signature, clock, windows, page sizes, request weight,
// the rules of trading), misbehaves on request, and keeps a ledger of the truth
// that whatever was collected, or ordered, can be compared with.
//
// Prices are a function of seed and time, and what happens to the account
// follows from them, however often anybody looks. The simulator is no client,
// stores nothing, and knows nothing of how its answers are used.
package simulator
