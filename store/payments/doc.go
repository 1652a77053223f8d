// Package payments stores what arrived in the wallets of an account and where it went: bills
// and transfers, opened and closed like the rows of records, and the streams that the exchange
// refuses. Next to them are the commission of each hour, the payout rules that a user fixed,
// and the notes about payments.
package payments
