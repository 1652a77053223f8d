package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/reports"
	"rebatedesk/reports/books"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	stored "rebatedesk/store/payments"
)

// paymentsCommand is about the payment of commissions.
type paymentsCommand struct {
	config.StoreFlags  `embed:"" group:"settings"`
	config.ReportFlags `embed:"" group:"settings"`

	Rule payoutRuleCommand `cmd:"" help:"The rule by which the exchange pays: when, and by which bills."`
}

type payoutRuleCommand struct {
	Show   ruleShow   `cmd:"" default:"withargs" help:"Print the rule in use, where it comes from, and what it explains."`
	Fix    ruleFix    `cmd:"" help:"Fix a rule from a day on."`
	Auto   ruleAuto   `cmd:"" help:"Find the rule in the data again, from a day on."`
	Remove ruleRemove `cmd:"" help:"Remove a rule that was fixed."`
}

const needRules = config.NeedStore | config.NeedReports

type ruleShow struct {
	Account string `placeholder:"NAME" help:"Only this account."`
	JSON    bool   `name:"json" help:"Print JSON: the rule that holds now. Several accounts with different rules need --account."`
}

// Run prints the rules in use. Without a rule in use the status is that of a finished command
// with parts missing.
func (c *ruleShow) Run(ctx context.Context, p *program) error {
	check := func(cfg config.Config) error {
		_, err := c.query(cfg)
		return err
	}
	return p.withStore(ctx, needRules, after(check, database.OpenExisting), func(o opened) error {
		asked, err := c.query(o.cfg)
		if err != nil {
			return err
		}
		rules, err := reports.Fresh(ctx, newReports(o.cfg, o.store), asked, payments.MakeRules)
		if err != nil {
			return flagged(err)
		}
		if c.JSON {
			return p.printRuleJSON(rules)
		}
		return p.printRules(rules)
	})
}

func (c *ruleShow) query(cfg config.Config) (query.Query, error) {
	now := cfg.Clock()
	return readFilters(map[string]string{"account": c.Account}, query.Basis{Now: now, Zone: cfg.Timezone, First: affiliate.DayOf(now, cfg.Timezone)})
}

// noRule is the cause of an incomplete result.
func noRule(account affiliate.Account, score books.Score) string {
	if score.Bills == 0 {
		return fmt.Sprintf("no payout rule of %s is known: no payments are stored, or nothing was earned before them", account)
	}
	return fmt.Sprintf("no payout rule of %s is known: the best one, %q, explains only %d of %d bills; fix the right one with webapp payments rule fix",
		account, score.Rule, score.Explained, score.Bills)
}

// printRules prints all rules, one fact per line and a blank line between two rules. The first
// rule of an account holds for all days before the next one.
func (p *program) printRules(rules []payments.RuleInUse) error {
	var unknown []string
	for i, rule := range rules {
		if i > 0 {
			if _, err := fmt.Fprintln(p.stdout); err != nil {
				return err
			}
		}
		for _, line := range ruleLines(rule) {
			if _, err := fmt.Fprintln(p.stdout, printable(line)); err != nil {
				return err
			}
		}
		if last := i+1 == len(rules) || rules[i+1].Account != rule.Account; last && !rule.Known {
			unknown = append(unknown, noRule(rule.Account, rule.Score))
		}
	}
	if len(rules) == 0 {
		unknown = []string{"no payout rule is known: nothing is stored yet; collect first"}
	}
	if len(unknown) > 0 {
		return &incompleteError{unknown}
	}
	return nil
}

// ruleLines describes a rule, one line per fact.
func ruleLines(rule payments.RuleInUse) []string {
	score := rule.Score
	lines := []string{"account: " + string(rule.Account)}
	if rule.From != 0 {
		lines = append(lines, "from: "+rule.From.String()+" (UTC)")
	}
	if rule.Known {
		lines = append(lines, "rule: "+score.Rule.String())
	} else {
		lines = append(lines, "rule: none")
	}
	source := "found in the data"
	switch {
	case rule.Fixed != nil:
		source = fmt.Sprintf("%s (number %d, by %s at %s UTC)", either(rule.Source == payments.RuleFound, "found in the data, as was ordered", "fixed by hand"),
			rule.Fixed.ID, dash(rule.Fixed.Actor), moment(rule.Fixed.Created.Time()))
	case rule.Source == payments.RuleSet:
		source = "the setting PAYOUT_RULE"
	}
	lines = append(lines, "source: "+source)
	if !rule.Known && score.Bills > 0 {
		lines = append(lines, "best try: "+score.Rule.String())
	}
	lines = append(lines, explainedLines("explained", score)...)
	if rule.RunnerUp != nil {
		lines = append(lines, "runner-up: "+rule.RunnerUp.Rule.String())
		lines = append(lines, explainedLines("runner-up explains", *rule.RunnerUp)...)
	}
	return lines
}

func explainedLines(what string, score books.Score) []string {
	lines := []string{fmt.Sprintf("%s: %d of %d bills", what, score.Explained, score.Bills)}
	for _, coin := range score.Coins {
		lines = append(lines, fmt.Sprintf("%s: %s of %s %s, a share of %s", what, coin.Explained.String(), coin.Paid.String(), coin.Coin, payments.ExplainedShare(coin)))
	}
	return lines
}

// ruleJSON is the form that the contract with programs fixes.
type ruleJSON struct {
	Source        payments.RuleSource `json:"source"`
	Period        books.Period        `json:"period"` // empty: no rule is known
	Delay         int64               `json:"delay_ms"`
	Kinds         string              `json:"kinds"`
	BusinessTypes []string            `json:"business_types"`
	Bills         int                 `json:"bills"`
	Explained     int                 `json:"bills_explained"`
	Coins         []coinJSON          `json:"coins"`
}

type coinJSON struct {
	Coin      affiliate.Coin   `json:"coin"`
	Paid      string           `json:"paid"`
	Explained string           `json:"explained"`
	Share     affiliate.Number `json:"share"`
}

// printRuleJSON prints the rule that holds now.
func (p *program) printRuleJSON(rules []payments.RuleInUse) error {
	use, err := payments.JoinRules(rules)
	if err != nil {
		return usage("--json: %w", err)
	}
	out := ruleJSON{Source: use.Source, BusinessTypes: []string{}, Bills: use.Score.Bills, Coins: []coinJSON{}}
	if use.Known {
		rule := use.Score.Rule
		out.Period, out.Delay, out.Kinds, out.Explained = rule.Period, rule.Delay.Milliseconds(), either(rule.Together, "together", "apart"), use.Score.Explained
		out.BusinessTypes = append(out.BusinessTypes, rule.BusinessTypes()...)
		for _, coin := range use.Score.Coins {
			out.Coins = append(out.Coins, coinJSON{coin.Coin, coin.Paid.String(), coin.Explained.String(), payments.ExplainedShare(coin)})
		}
	}
	encoder := json.NewEncoder(p.stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		return err
	}
	if !use.Known {
		return &incompleteError{[]string{noRule(use.Account, use.Score)}}
	}
	return nil
}

type ruleFix struct {
	Rule string `arg:"" help:"The rule: the period and the delay, together or apart, and the business types of the bills, as in \"day+8h apart direct=rr_agent_reward sub=rake_back_reward\"."`
	ruleFixing
}

// ruleFixing says for whom and since when a rule is fixed.
type ruleFixing struct {
	config.MasterKeyFlag `embed:"" group:"settings"`

	From    string `required:"" placeholder:"DAY" help:"UTC day of the first period under the rule."`
	Account string `placeholder:"NAME" help:"Only for this account. Default: every account without rules of its own."`
}

// Run fixes the rule and prints its number.
func (c *ruleFix) Run(ctx context.Context, p *program) error {
	rule, err := payments.ParseRuleSetting(strings.TrimSpace(c.Rule))
	if err != nil || strings.TrimSpace(c.Rule) == "" {
		if err == nil {
			err = fmt.Errorf("it is empty: give a rule such as \"week+1d together\"")
		}
		return usage("<rule>: %w", err)
	}
	return c.fix(ctx, p, rule)
}

type ruleAuto struct{ ruleFixing }

// Run orders that the rule is found in the data from a day on.
func (c *ruleAuto) Run(ctx context.Context, p *program) error { return c.fix(ctx, p, stored.AutoRule) }

func (c *ruleFixing) fix(ctx context.Context, p *program, rule string) error {
	day, err := affiliate.ParseDay(c.From)
	if err != nil || day < query.Earliest || day > query.Latest {
		return usage("--from=%q: is not a day such as 2026-09-07", c.From)
	}
	if err := checkAccount("--account", c.Account); err != nil {
		return err
	}
	return p.act(ctx, needRules, func(o opened) error {
		id, err := newReports(o.cfg, o.store).FixPayoutRule(ctx, stored.FixedRule{Account: affiliate.Account(c.Account), From: day, Rule: rule}, operatorAudit())
		if err := p.number(id, err); err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.stdout, "rule: %s\nfrom: %s (UTC)\n", printable(rule), day)
		return err
	})
}

type ruleRemove struct{ numberedRow }

// Run removes a fixed rule. Its days then belong to the rule before it.
func (c *ruleRemove) Run(ctx context.Context, p *program) error {
	return p.act(ctx, needRules, func(o opened) error { return stored.RemoveRule(ctx, o.store, c.Number, operatorAudit()) })
}
