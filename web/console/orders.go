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

// forward submits an order call of a program as it is: what the desk checks is what
// is sent, once, by send. Its error is an *orderStopped where it was not sent or not
// sent for certain; otherwise the exchange answered, and send has the answer.
func (s *Area) forward(ctx context.Context, by access.Actor, account affiliate.Account, order exchange.ParsedRequest,
	send func(context.Context, *exchange.Client, exchange.OrderOption) []exchange.Outcome) error {
	who := trading.Requester{Name: by.Name, Via: by.Via, Address: by.Address}
	in, err := s.Trading.Submit(ctx, who, trading.Forwarded(account, order), send)
	var rule *store.RuleError
	if refusal, ok := errors.AsType[*trading.RefusedDraft](err); ok {
		return &orderStopped{refusal.Word(), refusal.Error()}
	} else if errors.As(err, &rule) {
		return &orderStopped{wordRefused, rule.Problem}
	} else if err != nil {
		return err
	}
	if word, why := trading.Word(in); word != "" {
		return &orderStopped{word, why}
	}
	return nil
}
