package collection

import (
	"context"
	"fmt"

	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/store/records"
)

// RunRow is one run of the collector with its failures.
type RunRow struct {
	records.Run
	Problems []records.SliceProblem // slices that could not be read, at most 50; Failed counts all
}

// MakeRuns lists a page of the runs, newest first, and counts them all.
func MakeRuns(ctx context.Context, q *question.Question) (rows []RunRow, total int64, err error) {
	if q.Page < 1 || q.Page > query.MaxPage {
		return nil, 0, &query.ParamError{Param: "page", Value: fmt.Sprint(q.Page), Problem: fmt.Sprintf("is not a whole number from 1 to %d", query.MaxPage)}
	}
	if q.Per < 1 || q.Per > query.MaxPer {
		return nil, 0, &query.ParamError{Param: "per", Value: fmt.Sprint(q.Per), Problem: fmt.Sprintf("is not a whole number from 1 to %d", query.MaxPer)}
	}
	list, total, err := records.Runs(ctx, q.Tx, q.Account, q.Per, (q.Page-1)*q.Per)
	if err != nil {
		return nil, 0, err
	}
	rows = make([]RunRow, 0, len(list))
	for _, run := range list {
		row, err := runRow(ctx, q, run)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, row)
	}
	return rows, total, nil
}

func runRow(ctx context.Context, q *question.Question, run records.Run) (RunRow, error) {
	row := RunRow{Run: run}
	if run.Failed == 0 {
		return row, nil
	}
	var err error
	row.Problems, err = records.SliceProblems(ctx, q.Tx, run.ID)
	return row, err
}
