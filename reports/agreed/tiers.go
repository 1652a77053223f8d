package agreed

import (
	"context"
	"fmt"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// TierFigure is the figure of a month, as far as it is known.
type TierFigure struct {
	terms.TierMonth
	Figure affiliate.Number // volume, or number of active traders
	// Progress means that the month is not over, and Incomplete that days of it are not
	// collected: in both cases the figure is provisional.
	Progress   bool
	Incomplete bool
}

// Provisional reports whether the figure may change without a restatement.
func (f TierFigure) Provisional() bool { return f.Progress || f.Incomplete }

// Measured reads the figure of a month, cached like [snapshot.Part].
func Measured(ctx context.Context, q *snapshot.Snapshot, asked terms.TierMonth) (TierFigure, error) {
	type key struct {
		terms.TierMonth
		asOf affiliate.Millis
		zone string
	}
	figure, err := snapshot.PartOfMinute(ctx, q, "tier", key{asked, q.AsOfMillis(), q.Zone.String()}, func(ctx context.Context) (TierFigure, error) {
		return measured(ctx, q, asked)
	})
	if err != nil {
		return TierFigure{}, fmt.Errorf("the figure for tiers of %s: %w", asked.Month.Format("2006-01"), err)
	}
	return figure, nil
}

// monthOf returns the days of the month that begins on a day.
func monthOf(first affiliate.Day) affiliate.Days {
	year, month, _ := first.Date()
	return affiliate.Days{First: first, Last: affiliate.NewDay(year, month+1, 1) - 1}
}

func measured(ctx context.Context, q *snapshot.Snapshot, asked terms.TierMonth) (figure TierFigure, err error) {
	days := monthOf(asked.Month)
	// What the page narrows does not matter: the agreement says what counts.
	of := q.Everywhere()
	if asked.Account != "" {
		of = q.OfAccount(asked.Account)
	}
	of.Days, of.Product, of.Source, of.Coin, of.UID, of.Code, of.Symbol, of.Text = days, asked.Product, asked.Source, "", "", "", "", ""

	figure.TierMonth, figure.Progress = asked, of.Open()
	stream := affiliate.Commissions
	switch asked.Scope {
	case terms.ScopeSubAffiliate:
		stream = affiliate.SubAffiliates
		err = figure.ofSubAffiliate(ctx, of)
	case terms.ScopeCode:
		err = figure.ofCode(ctx, of)
	default:
		of.UID = affiliate.UID(asked.Value)
		err = figure.ofRecords(ctx, of)
	}
	if err != nil {
		return figure, err
	}
	cover, err := of.ReadCoverage(ctx, stream, days)
	figure.Incomplete = err == nil && !cover.Summary(days).Complete()
	return figure, err
}

// ofRecords counts all records of the question, or those of one UID.
func (f *TierFigure) ofRecords(ctx context.Context, q *snapshot.Snapshot) error {
	if f.By == terms.TierByActiveTraders {
		traders, err := sums.ActiveTraders(ctx, q.Tx, q.Filter())
		f.Figure = affiliate.Number(strconv.FormatInt(traders, 10))
		return err
	}
	days, err := snapshot.OfDays(ctx, q, "tier days", q.Filter(), sums.EachDay, sums.JoinEachDay)
	if err != nil {
		return err
	}
	var volume affiliate.Sum
	for _, day := range days {
		add(&volume, day.TakerAmount)
		add(&volume, day.MakerAmount)
	}
	f.Figure = affiliate.Number(volume.String())
	return nil
}

// ofCode counts the records of the invitees whose code is exactly the one of the agreement: a
// filter by code would not tell codes apart that differ in case only.
func (f *TierFigure) ofCode(ctx context.Context, q *snapshot.Snapshot) error {
	codes, err := q.InviteeCodes(ctx)
	if err != nil {
		return err
	}
	list, err := sums.ByInvitee(ctx, q.Tx, q.Filter())
	if err != nil {
		return err
	}
	var volume affiliate.Sum
	traders := map[sums.InviteeKey]bool{}
	for _, invitee := range list {
		key := sums.InviteeKey{Account: invitee.Account, UID: invitee.UID}
		if codes.Of(key) != f.Value {
			continue
		}
		traders[key] = true
		add(&volume, invitee.TakerAmount)
		add(&volume, invitee.MakerAmount)
	}
	f.Figure = affiliate.Number(volume.String())
	if f.By == terms.TierByActiveTraders {
		f.Figure = affiliate.Number(strconv.Itoa(len(traders)))
	}
	return nil
}

// ofSubAffiliate adds up the trading volume of a sub-affiliate, which the exchange gives by UTC
// days.
func (f *TierFigure) ofSubAffiliate(ctx context.Context, q *snapshot.Snapshot) error {
	rows, err := sums.BySubAffiliateDay(ctx, q.Tx, records.SubAffiliateFilter{Days: q.Days, Account: q.Account, Product: q.Product, UID: affiliate.UID(f.Value), AsOf: q.AsOfMillis()})
	if err != nil {
		return err
	}
	var volume affiliate.Sum
	for _, row := range rows {
		add(&volume, row.TradingVolume)
	}
	f.Figure = affiliate.Number(volume.String())
	return nil
}

// add adds what is known.
func add(sum *affiliate.Sum, n affiliate.Number) {
	if n.Known() {
		sum.Add(n)
	}
}
