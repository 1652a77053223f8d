package proxy

import (
	"context"
	"errors"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store"
	"rebatedesk/trading"
)

// forward submits an order call of a program unchanged: the request that the desk
// checks is the one that send sends, once. Its error is an *orderStopped if the order
// was not sent, or not certainly; otherwise the exchange answered, and send has the
// answer.
func (s *Area) forward(ctx context.Context, by access.Actor, account affiliate.Account, order exchange.ParsedRequest,
	send func(context.Context, *exchange.Client, exchange.OrderOption) []exchange.Outcome) error {
	who := trading.Requester{Name: by.Name, Via: by.Via, Address: by.Address}
	in, err := s.Trading.Submit(ctx, who, trading.Forwarded(account, order), send)
	s.Spread(account, in.Pair)
	var rule *store.RuleError
	if refusal, ok := errors.AsType[*trading.RefusedDraft](err); ok {
		return &orderStopped{Word: refusal.Word(), Why: refusal.Error()}
	} else if errors.As(err, &rule) {
		return &orderStopped{Word: wordRefused, Why: rule.Problem}
	} else if err != nil {
		return err
	}
	if word, why := trading.Word(in); word != "" {
		return &orderStopped{word, why, in.Orders}
	}
	return nil
}
