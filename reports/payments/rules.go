package payments

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// ParseRuleSetting reads the value of the setting PAYOUT_RULE: auto, which is also the meaning
// of the empty text, or a rule, whose canonical text it returns. The error says how to write
// it.
func ParseRuleSetting(text string) (string, error) {
	if text == "" || text == payments.AutoRule {
		return payments.AutoRule, nil
	}
	rule, err := books.ParseRule(text)
	if err != nil {
		return "", fmt.Errorf("%w, or auto to find the rule in the data", err)
	}
	return rule.String(), nil
}

// era is a range of time in which one rule of an account holds.
type era struct {
	from, until affiliate.Day // the first and last era have no from or until, which is 0 then
	rule        string
	fixed       *payments.FixedRule
}

// erasOf returns the eras of an account. The setting holds until the first rule that was fixed
// by hand. From the first rule of the account on, those of every account no longer hold for
// it.
func erasOf(account affiliate.Account, setting string, fixed []payments.FixedRule) []era {
	var own, general []payments.FixedRule // each by day
	for _, rule := range fixed {
		switch rule.Account {
		case account:
			own = append(own, rule)
		case "":
			general = append(general, rule)
		}
	}
	if len(own) > 0 {
		general = slices.DeleteFunc(general, func(rule payments.FixedRule) bool { return rule.From >= own[0].From })
	}
	eras := []era{{rule: setting}}
	for _, rule := range append(general, own...) {
		eras[len(eras)-1].until = rule.From
		eras = append(eras, era{from: rule.From, rule: rule.Rule, fixed: &rule})
	}
	return eras
}

// rulesOf returns the rules of an account by time, with what they explain. Each is scored
// within its era.
func rulesOf(ctx context.Context, q *snapshot.Snapshot, in books.Input, account affiliate.Account, fixed []payments.FixedRule) ([]RuleInUse, error) {
	var rules []RuleInUse
	for _, e := range erasOf(account, q.PayoutRule, fixed) {
		within := during(in, e)
		found, err := findRule(ctx, q, within, account, e)
		if err != nil {
			return nil, err
		}
		use := RuleInUse{Account: account, From: e.from, Source: RuleFound, Known: found.good, Score: found.best, Fixed: e.fixed}
		other := found.second
		if e.rule != payments.AutoRule && e.rule != "" {
			rule, err := books.ParseRule(e.rule)
			if err != nil {
				return nil, fmt.Errorf("the payout rule %q: %w", e.rule, err)
			}
			use.Source, use.Known, use.Score = RuleSet, true, books.ScoreOf(within, account, rule)
			if found.best.Rule.String() != rule.String() {
				other = found.best
			}
		}
		if other.Bills > 0 {
			use.RunnerUp = &other
		}
		rules = append(rules, use)
	}
	return rules, nil
}

// foundRule is what [books.FindRule] returns.
type foundRule struct {
	best, second books.Score
	good         bool
}

// findRule finds the rule of an account in an era. It depends on the bills, and on what was
// earned before the newest of them: later periods are not paid yet. Most writes change neither,
// so that the value outlives them.
func findRule(ctx context.Context, q *snapshot.Snapshot, within books.Input, account affiliate.Account, e era) (foundRule, error) {
	find := func(context.Context) (f foundRule, err error) {
		f.best, f.second, f.good = books.FindRule(within, account)
		return f, nil
	}
	var newest affiliate.Millis
	for i := range within.Bills {
		if within.Bills[i].Account == account {
			newest = max(newest, within.Bills[i].Created)
		}
	}
	settled := affiliate.Days{First: snapshot.AllDays.First, Last: affiliate.DayOf(newest.Time(), time.UTC) - 2}
	changed, ok, err := sums.Reading[struct{}]{}.LastChange(ctx, q.Tx, records.CommissionFilter{Days: settled, AsOf: q.AsOfMillis()})
	if err != nil || !ok || newest == 0 {
		f, _ := find(ctx)
		return f, err
	}
	// The settled days are those of the reporting zone. The UTC day after them is not settled
	// as a whole.
	open := affiliate.MillisOf(settled.Last.Start(time.UTC))
	type key struct {
		account     affiliate.Account
		from, until affiliate.Day
		data        uint64
	}
	return snapshot.Lasting(ctx, q, "payout rule", key{account, e.from, e.until, digest(within, account, open, newest)}, changed, find)
}

var digestSeed = maphash.MakeSeed()

// digest identifies the bills of an account, and what was earned from one instant until
// before another, within this process.
func digest(in books.Input, account affiliate.Account, from, until affiliate.Millis) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	text := func(texts ...string) {
		for _, text := range texts {
			_, _ = h.WriteString(text) // never fails
			_ = h.WriteByte(0)         // nor does this
		}
	}
	for i := range in.Bills {
		if b := &in.Bills[i]; b.Account == account {
			text(string(b.Wallet), b.ID, string(b.Coin), b.Business, string(b.Amount), b.Created.String())
		}
	}
	for i := range in.Earned {
		if e := &in.Earned[i]; e.Account == account && e.Start >= from && e.Start < until {
			text(string(e.Coin), string(e.Source), e.Start.String(), e.Commission.String())
		}
	}
	for i := range in.Changes {
		if c := &in.Changes[i]; c.Account == account && c.Deal >= from && c.Deal < until {
			text(string(c.Coin), string(c.Source), c.Deal.String(), c.Noticed.String(), c.Difference.String())
		}
	}
	return h.Sum64()
}

// MakeRules lists the rules in use of the accounts of the query, by account and time.
func MakeRules(ctx context.Context, q *snapshot.Snapshot) ([]RuleInUse, error) {
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return nil, err
	}
	return ledger.rulesOf(q.Accounts), nil
}

// rulesOf returns the rules of accounts.
func (l *ledger) rulesOf(accounts []affiliate.Account) (list []RuleInUse) {
	for _, rule := range l.rules {
		if slices.Contains(accounts, rule.Account) {
			list = append(list, rule)
		}
	}
	return list
}

// ruleAt returns the rule of an account for a period.
func (l *ledger) ruleAt(account affiliate.Account, from affiliate.Millis) (use RuleInUse) {
	for _, rule := range l.rules {
		if rule.Account == account && (use.Account == "" || startOf(rule.From) <= from) {
			use = rule
		}
	}
	return use
}

// during returns what was earned and paid in an era.
func during(in books.Input, e era) books.Input {
	if e.from == 0 && e.until == 0 {
		return in
	}
	from, until := startOf(e.from), startOf(e.until)
	outside := func(at affiliate.Millis) bool { return at < from || until != 0 && at >= until }
	in.Earned = slices.DeleteFunc(slices.Clone(in.Earned), func(h books.HourSum) bool { return outside(h.Start) })
	in.Changes = slices.DeleteFunc(slices.Clone(in.Changes), func(c books.Change) bool { return outside(c.Deal) })
	in.Bills = slices.DeleteFunc(slices.Clone(in.Bills), func(b books.Bill) bool { return outside(b.Created) })
	return in
}

// JoinRules returns one rule for the accounts of a list, each of which has the last of its
// rules now, with what it explains in all of them. Accounts with different rules are an error.
func JoinRules(rules []RuleInUse) (joined RuleInUse, err error) {
	if len(rules) == 0 {
		return RuleInUse{Source: RuleFound}, nil
	}
	for i, rule := range rules {
		if i+1 < len(rules) && rules[i+1].Account == rule.Account {
			continue
		}
		if joined.Account == "" {
			joined = rule
			joined.Score.Coins = slices.Clone(rule.Score.Coins)
			continue
		}
		if rule.Source != joined.Source || rule.Known != joined.Known || rule.Score.Rule.String() != joined.Score.Rule.String() {
			return joined, fmt.Errorf("the accounts %s and %s are paid by different rules: name one with --account", joined.Account, rule.Account)
		}
		joined.Score.Bills += rule.Score.Bills
		joined.Score.Explained += rule.Score.Explained
		for _, coin := range rule.Score.Coins {
			at := slices.IndexFunc(joined.Score.Coins, func(c books.CoinScore) bool { return c.Coin == coin.Coin })
			if at < 0 {
				joined.Score.Coins = append(joined.Score.Coins, coin)
				continue
			}
			joined.Score.Coins[at].Paid.AddSum(coin.Paid)
			joined.Score.Coins[at].Explained.AddSum(coin.Explained)
		}
	}
	slices.SortFunc(joined.Score.Coins, func(a, b books.CoinScore) int { return cmp.Compare(a.Coin, b.Coin) })
	return joined, nil
}

// ExplainedShare returns the explained part of the payments in a coin as a fraction with at most six
// decimals, rounded down, so that only a rule that explains all has 1.
func ExplainedShare(coin books.CoinScore) affiliate.Number {
	paid := coin.Paid.Decimal()
	if paid.IsZero() {
		return "0"
	}
	quotient, _ := coin.Explained.Decimal().QuoRem(paid, 6)
	return affiliate.Number(quotient.String())
}
