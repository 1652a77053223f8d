// Package tiers reports how far the next tier of each agreed rate is, and what it is worth.
package tiers
