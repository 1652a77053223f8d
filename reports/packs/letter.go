package packs

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/evidence"
	"rebatedesk/pdf"
	"rebatedesk/reports/books"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/rates"
	stored "rebatedesk/store/payments"
	"rebatedesk/terms"
)

// SupportLetter is a letter to the exchange's support, with the figures filled in.
type SupportLetter struct {
	About       string    // what it is about: "commissions of October 2026"
	AsOf        time.Time // the instant whose knowledge the figures are
	Accounts    []LetterAccount
	Files       []evidence.PackMember // the members of the pack that go with it
	Records     string                // the path of the member with the records
	Fingerprint evidence.Fingerprint
}

// LetterAccount has the claims about one account.
type LetterAccount struct {
	Account  affiliate.Account
	Ruled    bool                   // a payout rule is known; without one, no payment is known to be too much
	Payments []payments.PaymentLine // lines of the books that are not as they should be
	Rates    []RateClaim
	Overpaid []affiliate.Amount // what was paid at higher rates than due, by finding and coin; not negative
}

// RateClaim is what was underpaid in one coin, because another rate was paid than the one that
// was agreed or, where nothing was agreed, than the one before.
type RateClaim struct {
	Who             string            // "invitee 4667776811", "invite code summer", "all invitees"
	Product         affiliate.Product // empty: both
	Agreed          bool
	From, To        affiliate.Millis // deal times of the first and the last record
	Records         int64
	Coin            affiliate.Coin
	Rates           string // "25 % due, 20 % paid"
	Fee             decimal.Decimal
	Due, Commission decimal.Decimal
	Difference      decimal.Decimal // Commission − Due
}

// WhoOf names what the invitees of a finding about rates have in common.
func WhoOf(d *rates.Deviation) string {
	switch d.Scope {
	case terms.ScopeUID:
		return "invitee " + affiliate.OneLine(d.Value)
	case terms.ScopeCode:
		return "invite code " + affiliate.OneLine(d.Value)
	}
	return "all invitees"
}

// RateClaims returns what a finding about rates claims, by coin: nothing if more was paid.
func RateClaims(d *rates.Deviation) (list []RateClaim) {
	for _, cost := range d.Costs {
		if d.Over || !cost.Difference.IsNegative() {
			continue
		}
		var pairs []string
		for i := range d.Lines {
			l := &d.Lines[i]
			if l.Coin != cost.Coin || !l.Paid.Known() {
				continue
			}
			pair := percent(l.Agreed) + " due, " + percent(l.Paid.Decimal()) + " paid"
			if !slices.Contains(pairs, pair) {
				pairs = append(pairs, pair)
			}
		}
		if len(pairs) > mostPairs {
			pairs = append(pairs[:mostPairs], "and others")
		}
		list = append(list, RateClaim{Who: WhoOf(d), Product: d.Product, Agreed: !d.Break, From: d.From, To: d.To, Records: cost.Records, Coin: cost.Coin,
			Rates: strings.Join(pairs, "; "), Fee: cost.Fee, Due: cost.Due, Commission: cost.Commission, Difference: cost.Difference})
	}
	return list
}

// RateExcess returns what a finding about rates says was paid too much, by coin: nothing if less was.
func RateExcess(d *rates.Deviation) (list []affiliate.Amount) {
	for _, cost := range d.Costs {
		if d.Over && cost.Difference.IsPositive() {
			list = append(list, affiliate.Amount{Value: cost.Difference, Coin: cost.Coin})
		}
	}
	return list
}

// percent prints a fraction in percent, exactly.
func percent(fraction decimal.Decimal) string { return fraction.Shift(2).String() + phrase.Space + "%" }

// mostPairs is how many pairs of rates a line of the letter names.
const mostPairs = 3

// Claimed reports whether a line of the books is claimed: earned, due, and not paid in full.
func Claimed(l *payments.PaymentLine) bool {
	return (l.State == books.Missing || l.State == books.Short) && l.Verdict() != stored.Accepted
}

// unclear reports whether a line is a payment that fits no period, or too much for one.
func unclear(l *payments.PaymentLine) bool {
	return (l.State == books.Unexplained || l.State == books.Twice || l.State == books.Over) && l.Verdict() != stored.Accepted
}

// Text returns the letter as plain text.
func (l *SupportLetter) Text() string {
	p := l.paper()
	return p.text()
}

// WritePDF writes the letter as PDF.
func (l *SupportLetter) WritePDF(w io.Writer) error {
	p := l.paper()
	return p.writePDF(w, l.title(), l.AsOf)
}

func (l *SupportLetter) title() string { return phrase.Capital(l.About) }

// instant prints an instant in UTC, to the second.
func instant(at time.Time) string { return phrase.Second(at, time.UTC) }

func (l *SupportLetter) paper() *paper {
	p := &paper{narrow: true}
	p.heading(l.title())
	var names []string
	for _, a := range l.Accounts {
		names = append(names, affiliate.OneLine(string(a.Account)))
	}
	p.fields(
		pdf.Field{Label: "To", Value: "the support of the exchange, affiliate programme"},
		pdf.Field{Label: "From", Value: "the holder of the affiliate " + accountsWord(len(names)) + " " + phrase.Listed(names)},
		pdf.Field{Label: "Date", Value: l.AsOf.UTC().Format("2 January 2006")},
		pdf.Field{Label: "As known", Value: instant(l.AsOf)},
	)
	p.paragraph("Dear Sir or Madam,")
	totals, excess := l.totals(), l.excess()
	if len(totals) == 0 {
		p.paragraph("We have compared the records and bills that your interface gave us about the " + l.About + " with each other and with what was agreed. We found nothing that is due and was not paid. The enclosed files are for your records.")
	} else {
		p.paragraph("The records and bills that your interface gave us about the " + l.About + " do not agree with each other, or not with what was agreed. By our figures this is due to us and was not paid:")
		p.table(pdf.Table{Columns: []pdf.Column{{Title: "Account"}, {Title: "Because of"}, {Title: "Cases", Right: true}, {Title: "Due and not paid", Right: true}}, Rows: totals})
	}
	if len(excess) > 0 {
		p.paragraph("By the same figures this was paid to us and was not due:")
		p.table(pdf.Table{Columns: []pdf.Column{{Title: "Account"}, {Title: "Because of"}, {Title: "Cases", Right: true}, {Title: "Paid and not due", Right: true}}, Rows: excess})
	}
	if len(totals) > 0 {
		if rows := l.balance(); len(excess) > 0 {
			p.paragraph("Both sides together, where a negative balance is what you have paid ahead:")
			p.table(pdf.Table{Columns: []pdf.Column{{Title: "Account"}, {Title: "Due and not paid", Right: true}, {Title: "Paid and not due", Right: true}, {Title: "Balance", Right: true}, {Title: "Coin"}}, Rows: rows})
		}
		p.paragraph("We ask you to pay the amounts that are due or, if you see it differently, to tell us which records or bills you have instead, and why.")
	}
	for i := range l.Accounts {
		l.Accounts[i].write(p)
	}
	p.subheading("Enclosed files")
	p.paragraph("The figures are those of the enclosed files, in which every record and every bill can be found by its time and id. The records are in " + l.Records + ", whose SHA-256 is")
	for _, f := range l.Files {
		if f.Path == l.Records {
			p.emphasis(f.SHA256)
		}
	}
	rows := make([][]string, len(l.Files))
	for i, f := range l.Files {
		rows[i] = []string{f.Path, phrase.Count(f.Bytes), f.SHA256}
	}
	p.table(pdf.Table{Columns: []pdf.Column{{Title: "File"}, {Title: "Bytes", Right: true}, {Title: "SHA-256"}}, Rows: rows})
	p.note("All files are signed together. The fingerprint of the key is " + l.Fingerprint.Groups() + ". README.txt says how to check the signature. Times are in UTC; amounts are exact. A difference is what was paid less what was due, so that a loss is negative.")
	p.paragraph("Yours faithfully,")
	p.paragraph("(name and date)")
	return p
}

func accountsWord(n int) string {
	if n == 1 {
		return "account"
	}
	return "accounts"
}

// cause is why some amounts are due or not due.
type cause struct {
	why  string
	each func(add func(affiliate.Coin, decimal.Decimal))
}

// due are the causes of what is due and was not paid.
func (a *LetterAccount) due() []cause {
	lines := func(of func(*payments.PaymentLine) affiliate.Sum) func(add func(affiliate.Coin, decimal.Decimal)) {
		return func(add func(affiliate.Coin, decimal.Decimal)) {
			for i := range a.Payments {
				line := &a.Payments[i]
				if sum := of(line); Claimed(line) && sum.Cmp(new(affiliate.Sum)) != 0 {
					add(line.Coin, sum.Decimal())
				}
			}
		}
	}
	return []cause{
		{"commission earned and not paid", lines(func(line *payments.PaymentLine) affiliate.Sum {
			unpaid, grown := line.Unpaid(), line.Grown()
			unpaid.AddSum(grown.Negated())
			return unpaid
		})},
		{"commission that you raised after you had paid it", lines(func(line *payments.PaymentLine) affiliate.Sum { return line.Grown() })},
		{"a lower rate than due", func(add func(affiliate.Coin, decimal.Decimal)) {
			for _, r := range a.Rates {
				add(r.Coin, r.Difference.Neg())
			}
		}},
	}
}

// notDue are the causes of what was paid and is not due.
func (a *LetterAccount) notDue() []cause {
	return []cause{
		{"payments made twice, too high or for no period", func(add func(affiliate.Coin, decimal.Decimal)) {
			for i := range a.Payments {
				if line := &a.Payments[i]; a.Ruled && unclear(line) {
					excess := line.Excess()
					add(line.Coin, excess.Decimal())
				}
			}
		}},
		{"a higher rate than due", func(add func(affiliate.Coin, decimal.Decimal)) {
			for _, amount := range a.Overpaid {
				add(amount.Coin, amount.Value)
			}
		}},
	}
}

// totals lists what is due, and excess what was paid and is not due, by account, cause and coin.
func (l *SupportLetter) totals() [][]string { return l.rows((*LetterAccount).due) }

func (l *SupportLetter) excess() [][]string { return l.rows((*LetterAccount).notDue) }

func (l *SupportLetter) rows(causes func(*LetterAccount) []cause) (rows [][]string) {
	for i := range l.Accounts {
		for _, c := range causes(&l.Accounts[i]) {
			rows = append(rows, l.Accounts[i].sums(c.why, c.each)...)
		}
	}
	return rows
}

// balance sets both sides of each account and coin against each other.
func (l *SupportLetter) balance() (rows [][]string) {
	for i := range l.Accounts {
		a := &l.Accounts[i]
		sides := [2]map[affiliate.Coin]decimal.Decimal{{}, {}}
		var coins []affiliate.Coin
		for side, causes := range [2][]cause{a.due(), a.notDue()} {
			for _, c := range causes {
				c.each(func(coin affiliate.Coin, amount decimal.Decimal) {
					sides[side][coin] = sides[side][coin].Add(amount)
					coins = append(coins, coin)
				})
			}
		}
		slices.Sort(coins)
		for _, coin := range slices.Compact(coins) {
			due, excess := sides[0][coin], sides[1][coin]
			rows = append(rows, []string{affiliate.OneLine(string(a.Account)), due.String(), excess.String(), due.Sub(excess).String(), string(coin)})
		}
	}
	return rows
}

// sums adds up amounts by coin.
func (a *LetterAccount) sums(why string, each func(add func(affiliate.Coin, decimal.Decimal))) (rows [][]string) {
	var coins []affiliate.Coin
	sums, counts := map[affiliate.Coin]decimal.Decimal{}, map[affiliate.Coin]int{}
	each(func(coin affiliate.Coin, amount decimal.Decimal) {
		if counts[coin] == 0 {
			coins = append(coins, coin)
		}
		sums[coin], counts[coin] = sums[coin].Add(amount), counts[coin]+1
	})
	slices.Sort(coins)
	for _, coin := range coins {
		rows = append(rows, []string{affiliate.OneLine(string(a.Account)), why, phrase.Count(counts[coin]), sums[coin].String() + " " + string(coin)})
	}
	return rows
}

func (a *LetterAccount) write(p *paper) {
	account := affiliate.OneLine(string(a.Account))
	var due, other [][]string
	for i := range a.Payments {
		line := &a.Payments[i]
		switch {
		case Claimed(line):
			due = append(due, paymentRow(line))
		case unclear(line):
			other = append(other, paymentRow(line))
		}
	}
	columns := []pdf.Column{{Title: "Period (UTC)"}, {Title: "Commission"}, {Title: "Coin"}, {Title: "Earned", Right: true}, {Title: "Paid", Right: true}, {Title: "Difference", Right: true}, {Title: "Bills"}}
	if len(due) > 0 {
		p.subheading("Account " + account + ": commission that was earned and not paid in full")
		p.paragraph("Your interface lists this commission in its records. The bills of our wallets have no payment for it, or one that is smaller than what your interface lists by now. Where it was in full when it was made and you raised the commission later, the table above names that apart.")
		p.table(pdf.Table{Columns: columns, Rows: due})
	}
	if len(other) > 0 {
		p.subheading("Account " + account + ": payments that we cannot match")
		p.paragraph("Please tell us what these payments are for. The first table does not set them off against what is due.")
		p.table(pdf.Table{Columns: columns, Rows: other})
	}
	if len(a.Rates) == 0 {
		return
	}
	p.subheading("Account " + account + ": rates lower than due")
	p.paragraph("Due is the trading fee of each record times the rate that was agreed. Where no rate was agreed in writing, it is the rate that you had paid before the first of these records.")
	rows := make([][]string, len(a.Rates))
	for i, r := range a.Rates {
		rows[i] = r.row()
	}
	p.table(pdf.Table{Columns: []pdf.Column{{Title: "For"}, {Title: "Records of (UTC)"}, {Title: "Rates"}, {Title: "Records", Right: true},
		{Title: "Coin"}, {Title: "Fees", Right: true}, {Title: "Due", Right: true}, {Title: "Commission", Right: true}, {Title: "Difference", Right: true}}, Rows: rows})
}

func (r RateClaim) row() []string {
	who := r.Who
	if !r.Agreed {
		who += " (rate before a change)"
	}
	if r.Product != "" {
		who += ", " + string(r.Product)
	}
	second := func(at affiliate.Millis) string { return at.Time().UTC().Format("2006-01-02 15:04:05") }
	return []string{who, second(r.From) + " to " + second(r.To), r.Rates, phrase.Count(r.Records), string(r.Coin), r.Fee.String(), r.Due.String(), r.Commission.String(), r.Difference.String()}
}

// paymentRow describes a line of the books.
func paymentRow(l *payments.PaymentLine) []string {
	difference := l.Difference()
	var bills []string
	for _, b := range l.Bills {
		bills = append(bills, fmt.Sprintf("%s %s of %s", b.Wallet, b.ID, b.Created.Time().UTC().Format("2006-01-02 15:04:05")))
	}
	if bills == nil {
		bills = []string{"none"}
	}
	return []string{phrase.PaymentPeriod(l.From, l.To), kindWords[l.Kind], string(l.Coin), l.Earned.String(), l.Paid.String(), difference.String(), strings.Join(bills, ", ")}
}

var kindWords = map[books.Kind]string{books.Direct: "of direct clients", books.Sub: "of sub-agents' clients", books.All: "of all clients"}
