package reports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// CodeLine is one invite code of one account over a range.
type CodeLine struct {
	Account affiliate.Account
	Code    string // empty: the code is not known
	CodeSteps
	FirstDepositors int64 // in the range, whenever they registered
	FirstTraders    int64 // in the range, whenever they registered
	Active          int64 // with at least one record in the range
	InRange         []Totals
	Before          []Totals // in the compared period
	OfRegistered    []Totals // all that was ever earned by those who registered in the range
	Share           Ratio    // of the commission of all lines
	Change          Change   // of the commission
}

// In is what the code brought in the range in one coin.
func (l CodeLine) In(coin affiliate.Coin) Totals { return totalIn(l.InRange, coin) }

// Value is the commission per registration: all that those who registered in
// the range ever earned, up to now, divided by how many they are. It is rounded
// to 8 decimals, and not known where nobody registered.
func (l CodeLine) Value(coin affiliate.Coin) (decimal.Decimal, bool) {
	if l.Registered == 0 {
		return decimal.Decimal{}, false
	}
	return totalIn(l.OfRegistered, coin).Commission.DivRound(decimalOf(l.Registered), 8), true
}

func decimalOf(n int64) decimal.Decimal { return decimal.NewFromInt(n) }

type codeKey struct {
	account affiliate.Account
	code    string
}

// codeSums add totals up by coin.
type codeSums map[affiliate.Coin]*Totals

func (s codeSums) add(list []Totals) {
	for _, t := range list {
		sum := s[t.Coin]
		if sum == nil {
			sum = &Totals{Coin: t.Coin}
			s[t.Coin] = sum
		}
		sum.Records += t.Records
		sum.Commission, sum.Fee = sum.Commission.Add(t.Commission), sum.Fee.Add(t.Fee)
		sum.TakerAmount, sum.MakerAmount = sum.TakerAmount.Add(t.TakerAmount), sum.MakerAmount.Add(t.MakerAmount)
	}
}

// totals lists the coins, the one with most records first.
func (s codeSums) totals() []Totals {
	var list []Totals
	for _, sum := range s {
		list = append(list, *sum)
	}
	slices.SortFunc(list, mostRecords)
	return list
}

// codeBook is one code being counted.
type codeBook struct {
	line                          CodeLine
	inRange, before, ofRegistered codeSums
}

// codeBooks are all codes of the question.
type codeBooks struct {
	q       *question
	of      map[codeKey]*codeBook
	codes   map[store.InviteeKey]string
	before  codeSums // the compared period, over all codes
	earlier CodeLine // its counts of people
	told    struct{ deposits, trades bool }
}

// codeBooks counts what each code brought. Who has which code is taken from the
// roster; whoever is not in it has none that is known.
func (q *question) codeBooks(ctx context.Context) (*codeBooks, error) {
	roster, err := q.rosterOf(ctx)
	if err != nil {
		return nil, err
	}
	brought, err := q.inviteeFigures(ctx, roster)
	if err != nil {
		return nil, err
	}
	b := &codeBooks{q: q, of: map[codeKey]*codeBook{}, codes: map[store.InviteeKey]string{}, before: codeSums{}}
	for i := range roster.lines {
		b.enter(&roster.lines[i], brought)
	}
	for key, totals := range brought.inRange {
		if book := b.at(key); book != nil {
			book.line.Active++
			book.inRange.add(totals)
		}
	}
	for key, totals := range brought.before {
		if !q.asksForCode(b.codes[key]) {
			continue
		}
		b.earlier.Active++
		b.before.add(totals)
		if book := b.of[codeKey{key.Account, b.codes[key]}]; book != nil { // one with nothing now has no line
			book.before.add(totals)
		}
	}
	return b, nil
}

// asksForCode reports whether the question is about a code.
func (q *question) asksForCode(code string) bool {
	return (q.Code == "" || strings.EqualFold(q.Code, code)) &&
		(q.Text == "" || strings.Contains(strings.ToLower(code), strings.ToLower(q.Text)))
}

// at is the book of an invitee's code; nil where the question is not about it.
func (b *codeBooks) at(key store.InviteeKey) *codeBook {
	code := b.codes[key]
	if !b.q.asksForCode(code) {
		return nil
	}
	of := codeKey{key.Account, code}
	if b.of[of] == nil {
		b.of[of] = &codeBook{line: CodeLine{Account: key.Account, Code: code}, inRange: codeSums{}, before: codeSums{}, ofRegistered: codeSums{}}
	}
	return b.of[of]
}

// enter counts what an invitee did.
func (b *codeBooks) enter(i *rosterLine, brought inviteeFigures) {
	if b.q.Account != "" && b.q.Account != i.Account {
		return
	}
	b.told.deposits = b.told.deposits || i.FirstDeposit.Known()
	b.told.trades = b.told.trades || i.FirstTrade.Known()
	key := store.InviteeKey{Account: i.Account, UID: i.UID}
	b.codes[key] = i.InviteCode
	if !b.q.asksForCode(i.InviteCode) {
		return
	}
	if days, asked := b.q.Compare.days(b.q.Days); asked {
		b.earlier.begin(&i.Invitee, days.Range(b.q.Zone))
	}
	var now CodeLine
	if span := b.q.Days.Range(b.q.Zone); !now.begin(&i.Invitee, span) {
		return
	}
	book := b.at(key)
	book.line.join(now)
	if now.Registered == 0 {
		return
	}
	ever := i.ever
	if brought.lifetime != nil {
		ever = brought.lifetime[key]
	}
	book.ofRegistered.add(ever)
}

// begin counts what an invitee did for the first time in a stretch of time, and
// tells whether there was anything.
func (l *CodeLine) begin(i *affiliate.Invitee, span affiliate.Range) bool {
	before := *l
	if i.RegisterTime.Known() && span.Contains(i.RegisterTime) {
		l.count(i)
	}
	if i.FirstDeposit.Known() && span.Contains(i.FirstDeposit) {
		l.FirstDepositors++
	}
	if i.FirstTrade.Known() && span.Contains(i.FirstTrade) {
		l.FirstTraders++
	}
	return l.Registered != before.Registered || l.FirstDepositors != before.FirstDepositors || l.FirstTraders != before.FirstTraders
}

// join adds the counts of people of another line.
func (l *CodeLine) join(o CodeLine) {
	l.CodeSteps.join(o.CodeSteps)
	l.FirstDepositors += o.FirstDepositors
	l.FirstTraders += o.FirstTraders
	l.Active += o.Active
}

// lines are the codes in no order that means anything.
func (b *codeBooks) lines() []CodeLine {
	lines := make([]CodeLine, 0, len(b.of))
	for _, book := range b.of {
		l := book.line
		l.InRange, l.Before, l.OfRegistered = book.inRange.totals(), book.before.totals(), book.ofRegistered.totals()
		lines = append(lines, l)
	}
	return lines
}

// sumOfCodes adds lines up.
func sumOfCodes(lines []CodeLine) CodeLine {
	var total CodeLine
	inRange, before, ofRegistered := codeSums{}, codeSums{}, codeSums{}
	for _, l := range lines {
		total.join(l)
		inRange.add(l.InRange)
		before.add(l.Before)
		ofRegistered.add(l.OfRegistered)
	}
	total.InRange, total.Before, total.OfRegistered = inRange.totals(), before.totals(), ofRegistered.totals()
	return total
}

// topCodes ranks the lines by commission in one coin; the rest is one line.
func topCodes(lines []CodeLine, coin affiliate.Coin) (top []CodeLine, others CodeLine) {
	ranked := slices.Clone(lines)
	sortCodes(ranked, Sort{"commission", true}, coin)
	top = ranked[:min(rankLength, len(ranked))]
	others = sumOfCodes(ranked[len(top):])
	others.Share = shareOf(others.In(coin).Commission, sumOfCodes(lines).In(coin).Commission)
	return top, others
}

// codeOrders are the columns that lines can be sorted by.
var codeOrders = map[string]func(a, b *CodeLine, coin affiliate.Coin) int{
	"code":           func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Code, b.Code) },
	"account":        func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Account, b.Account) },
	"registered":     func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Registered, b.Registered) },
	"kyc":            func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.KYC, b.KYC) },
	"deposited":      func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Deposited, b.Deposited) },
	"traded":         func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Traded, b.Traded) },
	"kyc-rate":       func(a, b *CodeLine, _ affiliate.Coin) int { return a.KYCRate().compare(b.KYCRate()) },
	"deposit-rate":   func(a, b *CodeLine, _ affiliate.Coin) int { return a.DepositRate().compare(b.DepositRate()) },
	"trade-rate":     func(a, b *CodeLine, _ affiliate.Coin) int { return a.TradeRate().compare(b.TradeRate()) },
	"first-deposits": func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.FirstDepositors, b.FirstDepositors) },
	"first-trades":   func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.FirstTraders, b.FirstTraders) },
	"active":         func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Active, b.Active) },
	"commission":     func(a, b *CodeLine, coin affiliate.Coin) int { return a.In(coin).Commission.Cmp(b.In(coin).Commission) },
	"share":          func(a, b *CodeLine, coin affiliate.Coin) int { return a.In(coin).Commission.Cmp(b.In(coin).Commission) },
	"fee":            func(a, b *CodeLine, coin affiliate.Coin) int { return a.In(coin).Fee.Cmp(b.In(coin).Fee) },
	"volume":         func(a, b *CodeLine, coin affiliate.Coin) int { return a.In(coin).Volume().Cmp(b.In(coin).Volume()) },
	"change":         func(a, b *CodeLine, _ affiliate.Coin) int { return a.Change.compare(b.Change) },
	"value": func(a, b *CodeLine, coin affiliate.Coin) int {
		x, xKnown := a.Value(coin)
		y, yKnown := b.Value(coin)
		return cmp.Or(cmp.Compare(bit(xKnown), bit(yKnown)), x.Cmp(y))
	},
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// CodeSorts are the columns that codes can be sorted by.
var CodeSorts = slices.Sorted(maps.Keys(codeOrders))

// sortCodes orders lines by a column. Equal ones stand by code and account.
func sortCodes(lines []CodeLine, by Sort, coin affiliate.Coin) {
	compare := codeOrders[by.Field]
	slices.SortFunc(lines, func(a, b CodeLine) int {
		order := 0
		if compare != nil {
			order = compare(&a, &b, coin)
		}
		if by.Descending {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.Code, b.Code), cmp.Compare(a.Account, b.Account))
	})
}
