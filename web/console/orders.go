package console

import (
	"context"
	"errors"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store"
	"rebatedesk/trading"
)

// ForwardTo has the desk send the orders of programs.
func ForwardTo(desk *trading.Desk) Orders { return forwardedOrders{desk} }

type forwardedOrders struct{ desk *trading.Desk }

// Order submits an order call as it is: what the desk checks is what is sent.
func (f forwardedOrders) Order(ctx context.Context, by access.Actor, account affiliate.Account, order exchange.ParsedRequest,
	send func(context.Context, *exchange.Client, exchange.OrderOption) []exchange.Outcome) error {
	who := trading.Actor{Name: by.Name, Via: by.Via, Address: by.Address}
	in, err := f.desk.Submit(ctx, who, trading.Forwarded(account, order), send)
	var rule *store.RuleError
	if refusal, ok := errors.AsType[*trading.Refusal](err); ok {
		return &OrderStopped{refusal.Word(), refusal.Error()}
	} else if errors.As(err, &rule) {
		return &OrderStopped{wordRefused, rule.Problem}
	} else if err != nil {
		return err
	}
	if word, why := trading.Word(in); word != "" {
		return &OrderStopped{word, why}
	}
	return nil
}
