// Package trading is the only place that sends orders. Each order goes through
// a flight check, is written down as an intent before anything is sent, and is
// sent at most once. What became of it is kept with what the exchange answered;
// where that does not say, the outcome is unknown, blocks its side of the pair,
// and is cleared up by looking or by a person, never by sending again.
package trading
