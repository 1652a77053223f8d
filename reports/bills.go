package reports

import (
	"context"
	"errors"
	"net/url"

	"rebatedesk/affiliate"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	stored "rebatedesk/store/payments"
)

// kept reads bills or transfers from one state of the store. They are about the whole account,
// so a user who is bound to some invitees gets none.
func kept[T any](ctx context.Context, s *Service, read func(*store.Tx) (T, error)) (v T, err error) {
	if !s.bound.Everything() {
		return v, errors.New("bills and transfers cannot be divided by invitee")
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return read(r)
}

// KeptDays returns the UTC days of which a stream of money of an account is stored completely.
func (s *Service) KeptDays(ctx context.Context, account affiliate.Account, kind affiliate.StreamKind, days affiliate.Days) (map[affiliate.Day]bool, error) {
	return kept(ctx, s, func(r *store.Tx) (map[affiliate.Day]bool, error) {
		return payments.KeptDays(ctx, r, account, kind, days)
	})
}

// KeptBills returns the stored bills of a wallet on UTC days, oldest first.
func (s *Service) KeptBills(ctx context.Context, account affiliate.Account, wallet affiliate.Wallet, days affiliate.Days) ([]affiliate.Bill, error) {
	return kept(ctx, s, func(r *store.Tx) ([]affiliate.Bill, error) {
		return payments.KeptBills(ctx, r, account, wallet, days)
	})
}

// KeptTransfers returns the stored transfers on UTC days, oldest first.
func (s *Service) KeptTransfers(ctx context.Context, account affiliate.Account, days affiliate.Days) ([]affiliate.Transfer, error) {
	return kept(ctx, s, func(r *store.Tx) ([]affiliate.Transfer, error) {
		return payments.KeptTransfers(ctx, r, account, days)
	})
}

// PaidBills returns the line of payments of each bill that a line counts.
func (s *Service) PaidBills(ctx context.Context) (map[payments.BillName]stored.LineKey, error) {
	basis, err := s.Basis(ctx)
	if err != nil {
		return nil, err
	}
	asked, err := query.Parse(url.Values{}, basis)
	if err != nil {
		return nil, err
	}
	return Ask(ctx, s, asked, payments.MakePaidBills)
}
