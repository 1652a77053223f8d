package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// RunRow is one run of the collector.
type RunRow struct {
	ID       int64
	Account  affiliate.Account
	Cause    string // what started it
	Started  affiliate.Millis
	Finished affiliate.Millis // unknown: still running, or it died
	Requests int64
	Weight   int64
	Records  int64
	Opened   int64
	Closed   int64
	Slices   int64
	Failed   int64          // slices that could not be read
	Error    string         // why it ended early
	Problems []SliceProblem // at most 50; Failed counts all
}

// SliceProblem is a slice of a run that could not be read.
type SliceProblem struct {
	Stream affiliate.Stream
	Days   affiliate.Days
	Error  string
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
	row := RunRow{
		ID: run.ID, Account: run.Account, Cause: run.Cause, Started: run.Started, Finished: run.Finished,
		Requests: run.Requests, Weight: run.Weight, Records: run.Records, Opened: run.Opened, Closed: run.Closed,
		Slices: run.Slices, Failed: run.Failed, Error: run.Error,
	}
	if run.Failed == 0 {
		return row, nil
	}
	problems, err := q.SliceProblems(ctx, run.ID)
	for _, p := range problems {
		row.Problems = append(row.Problems, SliceProblem(p))
	}
	return row, err
}
