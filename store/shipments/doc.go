// Package shipments stores exports that are delivered again and again: dispatches, which say
// what goes where and when, and shipments, the files of their periods. Pages and commands call
// a dispatch a scheduled delivery; a delivery in the code is a mail of the outbox.
package shipments
