// Package attention finds what needs somebody's attention: gaps, failed runs, mails
// that do not get out, drops, silent invitees, changed rates and restated figures.
package attention
