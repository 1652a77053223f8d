// Package listing reads lists of an exchange page by page to their end, as often as needed to
// trust them: lists move while they are read, state wrong counts, and repeat pages.
package listing
