// Package attention finds problems that need a look: gaps, failed runs, mails that are
// not delivered, drops, silent invitees, changed rates and restated figures.
package attention
