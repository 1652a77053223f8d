package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// RunRow is one run of the collector with what failed in it.
type RunRow struct {
	store.Run
	Problems []store.SliceProblem // slices that could not be read, at most 50; Failed counts all
}

// Runs lists the runs of the collector, newest first, and counts them all.
// Pages count from 1; one past the end has no rows. An empty account means all.
func (s *Service) Runs(ctx context.Context, account affiliate.Account, page, per int) (rows []RunRow, total int64, err error) {
	if page < 1 || page > maxPage {
		return nil, 0, &ParamError{"page", fmt.Sprint(page), fmt.Sprintf("is not a whole number from 1 to %d", maxPage)}
	}
	if per < 1 || per > MaxPer {
		return nil, 0, &ParamError{"per", fmt.Sprint(per), fmt.Sprintf("is not a whole number from 1 to %d", MaxPer)}
	}
	q, err := s.ask(ctx, Query{Account: account})
	if err != nil {
		return nil, 0, err
	}
	defer q.Close()
	runs, total, err := q.Reader.Runs(ctx, account, per, (page-1)*per)
	if err != nil {
		return nil, 0, err
	}
	rows = make([]RunRow, 0, len(runs))
	for _, run := range runs {
		row, err := q.runRow(ctx, run)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, row)
	}
	return rows, total, nil
}

func (q *question) runRow(ctx context.Context, run store.Run) (RunRow, error) {
	row := RunRow{Run: run}
	if run.Failed == 0 {
		return row, nil
	}
	var err error
	row.Problems, err = q.SliceProblems(ctx, run.ID)
	return row, err
}
