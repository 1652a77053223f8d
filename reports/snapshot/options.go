package snapshot

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
	"rebatedesk/store/segments"
	"rebatedesk/store/sums"
)

// Options are the values that the filters offer.
func (q *Snapshot) Options(ctx context.Context) (Options, error) {
	coins, err := q.Coins(ctx)
	if err != nil {
		return Options{}, err
	}
	codes, err := q.Codes(ctx, q.Members)
	if err != nil {
		return Options{}, err
	}
	o := Options{Accounts: q.Known, Coins: coins, Codes: codes}
	if !q.Visible.Limited() { // the names of segments can say something about others
		if o.Segments, err = segments.Names(ctx, q.Tx); err != nil {
			return Options{}, err
		}
	}
	o.Unknown, err = q.unknown(ctx, o)
	return o, err
}

// Coins lists the coins in which the invitees of the query ever earned commission.
func (q *Snapshot) Coins(ctx context.Context) ([]affiliate.Coin, error) {
	return Part(ctx, q, "coins", nil, func(ctx context.Context) ([]affiliate.Coin, error) {
		return sums.Coins(ctx, q.Tx, q.Members)
	})
}

// UnknownCode counts the records that a query for an invite code has to leave out because
// their code is unknown.
func (q *Snapshot) UnknownCode(ctx context.Context) (int64, error) {
	if q.Code == "" {
		return 0, nil
	}
	f := q.Filter()
	f.Code = ""
	return sums.UnknownCodes(ctx, q.Tx, f)
}

// StoredCoins returns the coins selected by a filter as they are stored, see [affiliate.Spelled].
func (q *Snapshot) StoredCoins(ctx context.Context, filter affiliate.Coin) (affiliate.Coin, error) {
	stored, err := q.Coins(ctx)
	return affiliate.Spelled(stored, filter), err
}

// StoredCodes returns the invite codes selected by a filter as they are stored at the AsOf of the
// query, see [affiliate.Spelled]. Two codes may differ in letter case alone.
func (q *Snapshot) StoredCodes(ctx context.Context, filter string) (string, error) {
	stored, err := q.CodesThen(ctx)
	return affiliate.Spelled(stored, filter), err
}

// CodesThen lists the invite codes of those the caller may see, at the AsOf of the query.
func (q *Snapshot) CodesThen(ctx context.Context) ([]string, error) {
	everybody := *q
	everybody.Members = q.Visible
	asOf := q.AsOfMillis()
	if !asOf.Known() {
		return everybody.Codes(ctx, q.Visible)
	}
	return Part(ctx, &everybody, "invite codes then", asOf, func(ctx context.Context) ([]string, error) {
		return records.Codes(ctx, q.Tx, q.Visible, asOf)
	})
}

// unknown returns a sentence for each filter that can match nothing because its value is
// not stored.
func (q *Snapshot) unknown(ctx context.Context, o Options) (words []string, err error) {
	if !slices.Contains(o.Coins, q.Coin) { // a coin may contain a comma, and so may a code
		for _, coin := range affiliate.Choices(q.Coin) {
			if !slices.Contains(o.Coins, coin) {
				words = append(words, fmt.Sprintf("No commission in the coin %q is stored.", coin))
			}
		}
	}
	if !slices.Contains(o.Codes, q.Code) {
		for _, code := range affiliate.Choices(q.Code) {
			switch alike := affiliate.Alike(o.Codes, code); {
			case slices.Contains(alike, code):
			case len(alike) > 1:
				words = append(words, fmt.Sprintf("No invitee with the invite code %q is stored; upper and lower case count: choose one of %s.", code, query.Join(alike)))
			case len(alike) == 0:
				words = append(words, fmt.Sprintf("No invitee with the invite code %q is stored.", code))
			}
		}
	}
	if q.Symbol != "" {
		totals, err := sums.BySymbol(ctx, q.Tx, records.CommissionFilter{Days: AllDays, Symbol: q.Symbol, Members: q.Members})
		if err != nil {
			return nil, err
		}
		if len(totals) == 0 {
			words = append(words, fmt.Sprintf("No commission in the pair %q is stored.", q.Symbol))
		}
	}
	if q.UID == "" {
		return words, nil
	}
	stored, err := q.storedUID(ctx)
	if err == nil && !stored {
		words = append(words, fmt.Sprintf("Nothing of the UID %q is stored.", q.UID))
	}
	return words, err
}

// storedUID reports whether the UID of the query is stored, for an invitee or a commission
// record.
func (q *Snapshot) storedUID(ctx context.Context) (bool, error) {
	list, err := sums.ByInvitee(ctx, q.Tx, records.CommissionFilter{Days: AllDays, UID: q.UID, Members: q.Members})
	if err != nil || len(list) > 0 {
		return true, err
	}
	for _, err := range records.Invitees(ctx, q.Tx, records.InviteeFilter{UID: q.UID, Members: q.Members}) {
		return true, err
	}
	return false, nil
}
