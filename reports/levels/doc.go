// Package levels watches what each programme, its invite codes and its large invitees bring a day, and reports
// which of them changed their level lately.
package levels
