// Package okx reads the affiliate interface of OKX (section 5 of its interface paper): figures of
// invitees that only grow, and bills of the funding account.
package okx
