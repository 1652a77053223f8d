// Package goals reports how far the goals of months are reached, and what each day that is
// left must bring.
package goals
