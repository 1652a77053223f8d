// Package orders stores intents: what was to be sent to the exchange, and what became of
// it. It also has the switch that stops sending.
package orders
