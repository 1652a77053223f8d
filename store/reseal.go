package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// SealedColumn is a column whose values are sealed. A value that is NULL or empty is none.
type SealedColumn struct {
	Table, Column string
	Row           []string // columns that tell rows apart; the first one alone does
}

// Reseal puts in the place of each value of a column what again makes of it, and returns how many
// there are. again gets the columns of Row as text; its error ends the work.
func (t *Tx) Reseal(ctx context.Context, c SealedColumn, again func(row []string, sealed []byte) ([]byte, error)) (int, error) {
	type value struct {
		row    []any
		sealed []byte
	}
	list, err := Scanned(ctx, t, func(rows *sql.Rows) (v value, err error) {
		v.row = make([]any, len(c.Row))
		targets := make([]any, 0, len(c.Row)+1)
		for i := range v.row {
			targets = append(targets, &v.row[i])
		}
		return v, rows.Scan(append(targets, &v.sealed)...)
	}, `SELECT `+strings.Join(c.Row, ", ")+`, `+c.Column+` FROM `+c.Table+` WHERE length(`+c.Column+`) > 0 ORDER BY `+c.Row[0])
	if err != nil {
		return 0, fmt.Errorf("reading %s of %s: %w", c.Column, c.Table, err)
	}
	for _, v := range list {
		row := make([]string, len(v.row))
		for i, field := range v.row {
			if raw, ok := field.([]byte); ok {
				row[i] = string(raw)
			} else {
				row[i] = fmt.Sprint(field)
			}
		}
		sealed, err := again(row, v.sealed)
		if err != nil {
			return 0, err
		}
		if _, err := t.ExecContext(ctx, `UPDATE `+c.Table+` SET `+c.Column+` = ? WHERE `+c.Row[0]+` = ?`, sealed, v.row[0]); err != nil {
			return 0, fmt.Errorf("writing %s of %s: %w", c.Column, c.Table, err)
		}
	}
	return len(list), nil
}
