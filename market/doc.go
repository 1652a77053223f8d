// Package market follows the markets of the exchange: one poll for all readers, whose results
// it keeps in the store, and the candles that are made of what is kept.
//
// It polls the pairs that a user looks at, and the favourites of all users. Its calls have
// the lowest priority and never take more than [Share] of the request budget, so orders go
// first and a collection keeps most of the budget.
package market
