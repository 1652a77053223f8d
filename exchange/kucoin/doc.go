// Package kucoin reads the affiliate interface of KuCoin (section 4 of its interface paper): trades of
// invitees with their commission, invitees, and payouts.
package kucoin
