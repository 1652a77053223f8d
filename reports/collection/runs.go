package collection

import (
	"context"
	"fmt"

	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/received"
	"rebatedesk/store/records"
)

// RunRow is one run of the collector with its failures.
type RunRow struct {
	records.Run
	// Problems are the slices that could not be read, or not completely: at most 50. Failed counts
	// those that could not be read, Quarantined the records that could not be.
	Problems []records.SliceProblem
}

// MakeRuns lists a page of the runs, newest first, and counts them all.
func MakeRuns(ctx context.Context, q *snapshot.Snapshot) (rows []RunRow, total int64, err error) {
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

func runRow(ctx context.Context, q *snapshot.Snapshot, run records.Run) (RunRow, error) {
	row := RunRow{Run: run}
	if run.Failed == 0 && run.Quarantined == 0 {
		return row, nil
	}
	var err error
	row.Problems, err = records.SliceProblems(ctx, q.Tx, run.ID)
	return row, err
}

// RunSlices is a run with the slices that it wrote, in the order in which that happened.
type RunSlices struct {
	RunRow
	Slices []received.SliceLine // at most 1,000
}

// mostSlices is how many slices [MakeRunSlices] lists. Only a first collection has more.
const mostSlices = 1000

// MakeRunSlices makes the report about one run. Its error is a *[store.RuleError] if there is
// no such run.
func MakeRunSlices(ctx context.Context, q *snapshot.Snapshot, id int64) (RunSlices, error) {
	run, found, err := records.ReadRun(ctx, q.Tx, id)
	if err != nil {
		return RunSlices{}, err
	}
	if !found {
		return RunSlices{}, &store.RuleError{Problem: fmt.Sprintf("There is no run %d.", id), Missing: true}
	}
	row, err := runRow(ctx, q, run)
	if err != nil {
		return RunSlices{}, err
	}
	list := RunSlices{RunRow: row}
	for line, err := range received.SliceLines(ctx, q.Tx, received.SliceFilter{Run: id}) {
		if err != nil {
			return RunSlices{}, err
		}
		if list.Slices = append(list.Slices, line); len(list.Slices) == mostSlices {
			break
		}
	}
	return list, nil
}
