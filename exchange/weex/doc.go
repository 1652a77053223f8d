// Package weex is the typed client for the interface document of WEEX: its endpoints and records,
// with one file per chapter of the document.
//
// Its edge is a single call. A method requests one page of one endpoint and returns exact,
// checked values or an [*Error], never a guess. An answer that is not understood is an
// error and never an empty result. The methods named All read every page of one query; the
// caller decides what to query and in which windows.
//
// Calls that place or cancel orders differ: they are sent at most once, and instead of an
// error their [Outcome] says what is known.
//
// How the parts work together: [Endpoints] is the table of possible calls, and a record is
// a struct with tags. Package transport signs a call, waits for its turn in the [Budget],
// sends it and learns the exchange's clock; package wire opens the envelope and reads the
// records.
package weex
