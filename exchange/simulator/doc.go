// Package simulator answers like the exchange, over real HTTP, from a seeded affiliate
// programme. Tests and the demo use it, and so can any client that should cost no
// money.
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
