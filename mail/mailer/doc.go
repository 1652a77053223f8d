// Package mailer forms messages and hands them to a mail server. It covers addresses,
// headers, boundaries, the SMTP session with its limits, and a hint for each kind of
// failure.
package mailer
