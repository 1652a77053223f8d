// Package imported stores commissions of exchanges without an interface, which people import as files.
// An import says what an account earned on all days that it covers: it replaces what was known of them,
// so that the same file twice changes nothing. Undoing it restores what was known before.
package imported
