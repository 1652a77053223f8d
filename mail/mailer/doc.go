// Package mailer forms messages and hands them to a mail server: addresses, headers,
// boundaries, the SMTP session with its limits, and a hint for each way it can fail.
package mailer
