// Package orders stores intents: the calls that were to be sent to the exchange, and their
// outcome. It also stores the switch that stops sending.
package orders
