// Package exchange is the typed client of the exchange's interface document: its
// endpoints and records, one file per chapter of the document.
//
// Its edge is one call: a method asks one page of one endpoint and answers
// with exact, checked values or with an [*Error], never with a guess. An answer
// that is not understood is an error and never an empty result. The methods
// named All go through all pages of one query; what to ask for, and in which
// windows, is decided by the caller.
//
// Calls that place or cancel are different: they are sent at most once, and
// their [Outcome] says what is known instead of an error.
//
// How the parts work together: [Endpoints] is the table of what can be called, and
// a record is a struct with tags. Package transport signs a call, waits for its turn
// in the [Budget], sends it and learns the exchange's clock; package wire opens the
// envelope and reads the records.
package exchange
