// Package transport sends the calls of one account to the exchange. It signs them, keeps to
// the weight budget and the exchange's clock, classifies errors, and can prove that an
// order did not leave. It knows no records, and no endpoint except the server's time.
//
// A reading call is repeated where that may help; any other call is sent at most once.
package transport
