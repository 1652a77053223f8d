// Package losses reports the revenue at risk: what invitees who stopped trading, or slow down,
// used to bring, and how much of it is likely lost.
package losses
