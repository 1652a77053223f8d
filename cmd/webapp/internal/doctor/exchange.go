package doctor

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange"
	"rebatedesk/exchange/known"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/phrase"
)

const (
	// exchangeWithin is how long one answer of the exchange may take.
	exchangeWithin = 20 * time.Second
	// clockLimit is how far this machine's clock may be off. Calls go by the
	// exchange's clock, but codes of authenticators go by ours.
	clockLimit = 30 * time.Second
)

// exchange checks every account of the settings and of the database.
func (d *Doctor) exchange(ctx context.Context) []Result {
	cfg, ok := d.parts.config(config.NeedExchange | config.MayBeStored)
	if !ok {
		return []Result{skipped("exchange", notUsable)}
	}
	budget := exchange.NewBudget(cfg.RateBudget)
	accounts, found := d.accounts(ctx, cfg)
	for _, account := range accounts {
		found = append(found, Examine(ctx, account, budget)...)
	}
	return found
}

// Examine checks one account: the exchange answers, the clocks agree, and the key
// is accepted and may read. It costs a request weight of 63.
func Examine(ctx context.Context, account config.AccountSettings, budget *exchange.Budget) []Result {
	named := func(check string) string { return check + " (" + string(account.Name) + ")" }
	if account.Exchange == known.File {
		return []Result{passed(named("exchange"), "none: its commissions are imported from files")}
	}
	client, err := accounts.NewClient(account, budget, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return []Result{failed(named("exchange"), err.Error(), "")}
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(exchange.WithTries(ctx, 2), 5*exchangeWithin)
	defer cancel()

	reached, clock, answers := reach(ctx, client, named)
	if !answers {
		return []Result{reached, skipped(named("signature"), "the exchange has to answer first"), skipped(named("permission"), "the exchange has to answer first")}
	}
	found := append([]Result{reached, clock}, rights(ctx, client, named)...)
	if account.ContractBaseURL != account.BaseURL {
		found = append(found, contracts(ctx, client, named("contract market"))...)
	}
	return append(found, skipped(named("orders"), "whether this key may also trade shows in an order only, and none is sent; make keys that can only read"))
}

// reach requests the exchange's time, which shows whether it answers and how far the clocks
// differ.
func reach(ctx context.Context, client exchange.Client, named func(string) string) (reached, clock Result, answers bool) {
	sent := time.Now()
	theirs, err := client.ServerTime(ctx)
	received := time.Now()
	if err != nil {
		return refusal(named("exchange"), err), Result{}, false
	}
	reached = passed(named("exchange"), "answers within %d ms", received.Sub(sent).Milliseconds())
	apart := theirs.Sub(sent.Add(received.Sub(sent) / 2)).Round(time.Millisecond)
	if apart.Abs() > clockLimit {
		return reached, failed(named("clock"), "this machine and the exchange are "+apart.Abs().String()+" apart",
			"set the clock of this machine by NTP: codes of authenticators depend on it, and figures of today do"), true
	}
	return reached, passed(named("clock"), "%s apart", apart.Abs()), true
}

// KeyRight says whether a key should have a right; empty for checks that are about no right.
type KeyRight string

// Needs of a right.
const (
	KeyRightNeeded   KeyRight = "needed"
	KeyRightUseful   KeyRight = "useful"
	KeyRightUnwanted KeyRight = "unwanted"
)

// ExamineKey is [Examine] for pages: it says of each right whether the key has it.
func ExamineKey(ctx context.Context, account config.AccountSettings, budget *exchange.Budget) []Result {
	named := func(check string) string { return check }
	client, err := accounts.NewClient(account, budget, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return []Result{failed("exchange", err.Error(), "")}
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(exchange.WithTries(ctx, 2), 5*exchangeWithin)
	defer cancel()
	reached, clock, answers := reach(ctx, client, named)
	if !answers {
		return []Result{reached}
	}
	found := []Result{reached, clock}
	now, err := client.Now(ctx)
	if err != nil {
		return append(found, refusal("signature", err))
	}
	needed, useful := divided(client.Rights(now))
	first := needed[0].Call(ctx)
	if first != nil && exchange.ClassOf(first) != exchange.ClassPermission {
		return append(found, refusal("signature", first))
	}
	if first == nil {
		found = append(found, passed("signature", "is accepted"))
	}
	for i, one := range needed {
		err := first
		if i > 0 {
			err = one.Call(ctx)
		}
		found = append(found, resultOf(one, KeyRightNeeded, err))
	}
	for _, one := range useful {
		found = append(found, resultOf(one, KeyRightUseful, one.Call(ctx)))
	}
	if account.ContractBaseURL != account.BaseURL {
		found = append(found, contracts(ctx, client, "contract market")...)
	}
	for _, unwanted := range []Result{
		skipped("place orders", "this shows in an order only, and none is sent: look at the key in the settings of the exchange"),
		skipped("withdraw", "the interface has no call that shows it: look at the key in the settings of the exchange"),
	} {
		unwanted.Need = KeyRightUnwanted
		if account.TradingKeys.Given() && account.TradingKeys.Key == account.Keys.Key && unwanted.Check == "place orders" {
			unwanted.Result, unwanted.Text = Warning, "this key is entered as the trading key too, so it can do more than read"
			unwanted.Hint = "create a second key that may only read, and enter it as the API key"
		}
		found = append(found, unwanted)
	}
	return found
}

// resultOf says whether the key has the right. A failure for another reason says nothing about it.
func resultOf(r exchange.Right, need KeyRight, err error) Result {
	check := "read " + r.Records
	result := passed(check, "can be read")
	switch {
	case err == nil:
	case exchange.ClassOf(err) == exchange.ClassPermission:
		result = refusal(check, err)
		if need == KeyRightUseful {
			result = warned(check, "earned is not compared with paid: "+result.Text, "add the permission "+r.Permission+" to the key in the settings of the exchange")
		}
	default:
		result = refusal(check, err)
	}
	result.Need = need
	return result
}

// divided returns the rights that a collection needs, and those that are useful.
func divided(list []exchange.Right) (needed, useful []exchange.Right) {
	for _, right := range list {
		if right.Needed {
			needed = append(needed, right)
		} else {
			useful = append(useful, right)
		}
	}
	return needed, useful
}

// rights checks the signature and the rights of a collection in two lines, and those that are
// useful in one each.
func rights(ctx context.Context, client exchange.Client, named func(string) string) []Result {
	signature, permission := named("signature"), named("permission")
	now, err := client.Now(ctx)
	if err != nil {
		return []Result{refusal(signature, err), skipped(permission, "the clocks have to agree first")}
	}
	needed, useful := divided(client.Rights(now))
	for i, one := range needed {
		switch err := one.Call(ctx); {
		case err == nil:
		case exchange.ClassOf(err) == exchange.ClassPermission && i == 0:
			return []Result{skipped(signature, "the exchange refused the key for another reason"), refusal(permission, err)}
		case i > 0:
			refused := refusal(permission, err)
			refused.Text = one.Records + ": " + refused.Text
			return []Result{passed(signature, "is accepted"), refused}
		default:
			return []Result{refusal(signature, err), skipped(permission, "the signature has to be accepted first")}
		}
	}
	found := []Result{passed(signature, "is accepted"), passed(permission, "%s can be read", recordsOf(needed))}
	return append(found, wallets(ctx, useful, named)...)
}

// recordsOf lists what rights are about.
func recordsOf(rights []exchange.Right) string {
	names := make([]string, len(rights))
	for i, right := range rights {
		names[i] = right.Records
	}
	return phrase.Listed(names)
}

// wallets says whether bills and transfers can be read.
func wallets(ctx context.Context, rights []exchange.Right, named func(string) string) (found []Result) {
	for _, one := range rights {
		check := named(one.Records)
		switch err := one.Call(ctx); {
		case err == nil:
			found = append(found, passed(check, "can be read"))
		case exchange.ClassOf(err) == exchange.ClassPermission:
			found = append(found, warned(check, "this key may not read them, so earned is not compared with paid: "+refusal(check, err).Text,
				"add the permission "+one.Permission+" to the key in the exchange's settings, and they are read with the next run"))
		default:
			found = append(found, refusal(check, err))
		}
	}
	return found
}

// contracts checks the contract market if it has its own address.
func contracts(ctx context.Context, client exchange.Client, check string) []Result {
	trader, ok := client.(*weex.Client)
	if !ok {
		return nil // the exchange has none
	}
	if _, err := trader.ContractTicker(ctx, "cmt_btcusdt"); err != nil {
		return []Result{refusal(check, err)}
	}
	return []Result{passed(check, "answers")}
}

// refusal turns an error of the exchange into a finding. The client has removed
// credentials from the exchange's message.
func refusal(check string, err error) Result {
	refused, ok := errors.AsType[*exchange.Error](err)
	if !ok {
		return failed(check, err.Error(), "")
	}
	words := *refused
	words.Hint = ""
	return failed(check, words.Error(), refused.Hint)
}
