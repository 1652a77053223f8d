// Package prices stores the prices that people import for days without a collected one: the file that
// has them, their imports, which can be undone, and what was in force at an instant.
package prices
