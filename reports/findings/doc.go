// Package findings is the vocabulary of what can be wrong or worth knowing: gaps, failed runs,
// payments that are missing, drops, silent invitees, rates and so on. Each kind is one value in a file
// of its own, with how it is found, its words, and what may be made of it: an entry of the page
// Attention, an alert, an event of a channel, a gauge. All of these range over [Kinds].
package findings
