// Package simulator is the exchange answered from a seeded affiliate
// programme, over real HTTP. It serves the tests, the demo and whoever wants
// to point a client at something that cannot cost money.
//
// It checks what the exchange checks (signature, clock, windows, page sizes,
// request weight), misbehaves on request, and keeps a ledger of the truth that
// whatever was collected can be compared with. It answers the affiliate
// endpoints (4.17 to 4.19, versions 2 and 3) and the server time; it is no
// client, stores nothing, and knows nothing of how its answers are used.
package simulator
