// Package attention finds problems that need a look: gaps, failed runs, undelivered mails,
// drops, silent invitees, changed rates and restated figures.
package attention
