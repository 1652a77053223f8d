package overview

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// addTrends adds the days of the range to the lines of rankings and splits. The days of splits are
// in the list that the report has read; all rankings together take one reading.
func addTrends(ctx context.Context, q *snapshot.Snapshot, view *Report, list []sums.DaySums, cover *coverage.Map) error {
	if q.Days.Len() < 2 {
		return nil
	}
	for _, split := range view.Splits {
		for i := range split.Lines {
			split.Lines[i].Trend = split.TrendOf(split.Lines[i], q.Days, list, cover)
		}
	}
	var asked sums.RankedNames
	for _, ranking := range view.Rankings {
		for _, line := range ranking.Lines {
			switch ranking.By {
			case figures.RankInvitees:
				asked.Invitees = append(asked.Invitees, sums.InviteeKey{Account: line.Account, UID: affiliate.UID(line.Name)})
			case figures.RankPairs:
				asked.Symbols = append(asked.Symbols, line.Name)
			case figures.RankCodes:
				asked.Codes = append(asked.Codes, line.Name)
			}
		}
	}
	f := q.Filter()
	f.Coin = view.Coin
	days, err := snapshot.OfDaysOnce(ctx, q, fmt.Sprintf("trends of rankings %q", asked), f, sums.DaysOfRanked(asked), sums.JoinRanked)
	if err != nil {
		return err
	}
	for _, ranking := range view.Rankings {
		if ranking.By == figures.RankPairs && !sums.PairsHaveDays(q.Tx, f) {
			continue
		}
		for i := range ranking.Lines {
			line := &ranking.Lines[i]
			line.Trend = figures.NewTrend(q.Days, ranking.Coin, cover)
			for day, sum := range daysOf(days, ranking.By, *line) {
				line.Trend.Add(day, sum.Decimal())
			}
		}
	}
	return nil
}

func daysOf(days sums.RankedDays, by figures.RankBy, line figures.RankLine) map[affiliate.Day]*affiliate.Sum {
	switch by {
	case figures.RankInvitees:
		return days.Invitees[sums.InviteeKey{Account: line.Account, UID: affiliate.UID(line.Name)}]
	case figures.RankPairs:
		return days.Symbols[line.Name]
	default:
		return days.Codes[line.Name]
	}
}
