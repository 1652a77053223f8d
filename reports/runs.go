package reports

import (
	"context"
	"fmt"

	"rebatedesk/store/records"
)

// RunRow is one run of the collector with what failed in it.
type RunRow struct {
	records.Run
	Problems []records.SliceProblem // slices that could not be read, at most 50; Failed counts all
}

// runs answers [Service.Runs] for a page of the question.
func runs(ctx context.Context, q *question) (rows []RunRow, total int64, err error) {
	if q.Page < 1 || q.Page > maxPage {
		return nil, 0, &ParamError{"page", fmt.Sprint(q.Page), fmt.Sprintf("is not a whole number from 1 to %d", maxPage)}
	}
	if q.Per < 1 || q.Per > MaxPer {
		return nil, 0, &ParamError{"per", fmt.Sprint(q.Per), fmt.Sprintf("is not a whole number from 1 to %d", MaxPer)}
	}
	list, total, err := records.Runs(ctx, q.Tx, q.Account, q.Per, (q.Page-1)*q.Per)
	if err != nil {
		return nil, 0, err
	}
	rows = make([]RunRow, 0, len(list))
	for _, run := range list {
		row, err := q.runRow(ctx, run)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, row)
	}
	return rows, total, nil
}

func (q *question) runRow(ctx context.Context, run records.Run) (RunRow, error) {
	row := RunRow{Run: run}
	if run.Failed == 0 {
		return row, nil
	}
	var err error
	row.Problems, err = records.SliceProblems(ctx, q.Tx, run.ID)
	return row, err
}
