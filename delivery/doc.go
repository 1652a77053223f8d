// Package delivery delivers exports again and again: it finds the periods that are due, waits
// until they are collected, makes their files, and puts them at their destinations with a
// manifest beside each. A file is stored as one state of the database, so that it can be made
// again with the same bytes.
//
// Each step can be interrupted: what was begun is done again with the same state, and a file
// appears under its name only when it is whole.
package delivery
