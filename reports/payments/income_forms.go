package payments

import (
	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
)

// The forms in which the tools of accountants take income. Both have times of UTC. Bills without an amount, or
// of zero, are left out: the tools refuse them. What the exchange took back is an expense, since neither tool takes a
// negative amount.

// koinlyColumns are the universal template of Koinly:
// https://support.koinly.io/en/articles/9489976-how-to-create-a-custom-csv-file-with-your-data.
// The tags are of https://support.koinly.io/en/articles/9490023-what-are-tags: "income" counts as income whatever
// the settings are, which "reward" does not.
var koinlyColumns = []export.Column[Receipt]{
	export.TextColumn("Date", func(r *Receipt) string { return r.Created.Time().UTC().Format("2006-01-02 15:04 UTC") }).Means("When the bill arrived, UTC."),
	export.DecimalColumn("Sent Amount", (*Receipt).takenBack).Means("What the exchange took back."),
	export.TextColumn("Sent Currency", func(r *Receipt) affiliate.Coin { return coinIf(r.takenBack().Known(), r) }).Means("Coin of Sent Amount."),
	export.DecimalColumn("Received Amount", (*Receipt).received).Means("What arrived."),
	export.TextColumn("Received Currency", func(r *Receipt) affiliate.Coin { return coinIf(r.received().Known(), r) }).Means("Coin of Received Amount."),
	noText("Fee Amount"), noText("Fee Currency"),
	export.DecimalColumn("Net Worth Amount", func(r *Receipt) affiliate.Number { return magnitude(r.Value) }).Means("Value at the price of the day of receipt; empty if none is known: Koinly then takes its own."),
	export.TextColumn("Net Worth Currency", func(r *Receipt) string {
		if r.Value.Known() {
			return "USDT"
		}
		return ""
	}).Means("USDT, if the value is known."),
	export.TextColumn("Label", func(r *Receipt) string { return ifTaken(r, "cost", "income") }).Means("income; cost for what the exchange took back."),
	export.TextColumn("Description", (*Receipt).words).Means("What the bill pays, its account, wallet and id."),
	export.TextColumn("TxHash", func(r *Receipt) string { return string(r.Wallet) + "-" + r.ID }).Means("Wallet and id of the bill, so that Koinly tells bills of one minute apart."),
}

// KoinlyFile is the income in the form of Koinly.
var KoinlyFile = incomeKind("income-koinly", "Income for Koinly",
	"Each bill that paid commission, as Koinly's universal template takes it.", koinlyColumns, (*Receipt).moves)

// coinTrackingColumns are those of the import of CoinTracking, https://cointracking.info/import/import_csv/, without
// its optional ones. The types are of
// https://cointracking.freshdesk.com/en/support/solutions/articles/29000042783-transaction-types.
var coinTrackingColumns = []export.Column[Receipt]{
	export.TextColumn("Type", func(r *Receipt) string { return ifTaken(r, "Other Expense", "Income") }).Means("Income; Other Expense for what the exchange took back."),
	export.DecimalColumn("Buy Amount", (*Receipt).received).Means("What arrived."),
	export.TextColumn("Buy Currency", func(r *Receipt) affiliate.Coin { return coinIf(r.received().Known(), r) }).Means("Coin of Buy Amount."),
	export.DecimalColumn("Sell Amount", (*Receipt).takenBack).Means("What the exchange took back."),
	export.TextColumn("Sell Currency", func(r *Receipt) affiliate.Coin { return coinIf(r.takenBack().Known(), r) }).Means("Coin of Sell Amount."),
	noText("Fee"), noText("Fee Currency"),
	export.TextColumn("Exchange", func(r *Receipt) string { return string(r.Account) + " " + string(r.Wallet) }).Means("Account and wallet of the bill: CoinTracking has a balance for each."),
	export.TextColumn("Trade-Group", func(*Receipt) string { return "Affiliate commission" }).Means("Affiliate commission."),
	export.TextColumn("Comment", (*Receipt).words).Means("What the bill pays, its account, wallet and id."),
	export.TextColumn("Date", func(r *Receipt) string { return r.Created.Time().UTC().Format("2006-01-02 15:04:05") }).Means("When the bill arrived, UTC."),
}

// CoinTrackingFile is the income in the form of CoinTracking.
var CoinTrackingFile = incomeKind("income-cointracking", "Income for CoinTracking",
	"Each bill that paid commission, as CoinTracking imports it.", coinTrackingColumns, (*Receipt).moves)

func noText(name string) export.Column[Receipt] {
	return export.TextColumn(name, func(*Receipt) string { return "" }).Means("Always empty: payments have no fee.")
}

// moves reports whether the bill changes the balance by a known amount.
func (r *Receipt) moves() bool { return r.Amount.Known() && !r.Amount.IsZero() }

func (r *Receipt) taken() bool { return r.Amount.Known() && r.Amount.Decimal().IsNegative() }

// received returns the amount if it arrived; unknown if it was taken back.
func (r *Receipt) received() affiliate.Number {
	if r.taken() {
		return ""
	}
	return r.Amount
}

// takenBack returns the amount without its sign if it was taken back; otherwise it is unknown.
func (r *Receipt) takenBack() affiliate.Number {
	if r.taken() {
		return magnitude(r.Amount)
	}
	return ""
}

// magnitude returns a number without its sign.
func magnitude(n affiliate.Number) affiliate.Number {
	if n.Known() && n.Decimal().IsNegative() {
		return affiliate.Number(n.Decimal().Neg().String())
	}
	return n
}

func coinIf(is bool, r *Receipt) affiliate.Coin {
	if is {
		return r.Coin
	}
	return ""
}

func ifTaken(r *Receipt, taken, received string) string {
	if r.taken() {
		return taken
	}
	return received
}

// words say what the bill is, for people: "Affiliate commission 2026-09-15 00:00 to 2026-09-16 00:00 UTC, main, spot bill 7".
func (r *Receipt) words() string {
	words := ifTaken(r, "Affiliate commission taken back", "Affiliate commission")
	if from, to := r.Period(); to.Known() {
		const minute = "2006-01-02 15:04"
		words += " " + from.Time().UTC().Format(minute) + " to " + to.Time().UTC().Format(minute) + " UTC"
	} else {
		words += " of no known period"
	}
	return words + ", " + string(r.Account) + ", " + string(r.Wallet) + " bill " + r.ID
}
