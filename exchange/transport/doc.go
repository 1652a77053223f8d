// Package transport sends the calls of one account to the exchange: it signs them,
// keeps to the weight budget and the exchange's clock, tells errors apart, and can
// prove that an order did not leave. It knows no endpoint but the server's time,
// and no record.
//
// A call that reads is repeated where that may help; any other is sent at most
// once.
package transport
