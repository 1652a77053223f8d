package main

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/exchange"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	webconsole "rebatedesk/web/console"
)

var _ webconsole.Exchange = console{}

// console gives the console pages access to the exchange: the reading clients of the
// accounts in use, which share one budget.
type console struct {
	*accounts.Registry
	store *store.Store
}

// Client returns the reading client of an account in use.
func (c console) Client(name affiliate.Account) (*exchange.Client, bool) {
	list, _ := c.Collected()
	for _, account := range list {
		if account.Name == name {
			return account.Client, true
		}
	}
	return nil, false
}

// Favourites returns the pairs that a user marked.
func (c console) Favourites(ctx context.Context, user string) ([]string, error) {
	r, err := c.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return identity.Favourites(ctx, r, user)
}

// SetFavourite marks a pair for a user, or removes the mark.
func (c console) SetFavourite(ctx context.Context, user, pair string, on bool) error {
	return identity.SetFavourite(ctx, c.store, user, pair, on)
}
