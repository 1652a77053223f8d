// Package trading is the only place that sends orders. Each order passes a flight check, is
// stored as an intent before anything is sent, and is sent at most once. Its outcome is
// stored with the answer of the exchange. If the answer does not decide the outcome, the
// outcome is unknown and blocks its side of the pair. It is then settled by looking at the
// exchange or by a user, never by sending again.
package trading
