package records

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// commissionNames holds what a record does not say itself: the name of its account and the
// invite code of its invitee. For a long export a look-up in memory takes a fifth of the
// time of a join.
type commissionNames struct {
	accounts map[affiliate.Account]affiliate.Account // by row ID, as text
	codes    map[codeKey]nameOfCode
}

type codeKey struct {
	account affiliate.Account // row ID, as text
	uid     affiliate.UID
}

// nameOfCode is an invite code, and whether it is ours.
type nameOfCode struct {
	code string
	ours affiliate.Flag // "" = no
}

// maxNames bounds the memory, and the time before the first record.
const maxNames = 20_000

// namesAt reads the names that records of a filter need; nil means that there are too many.
func namesAt(ctx context.Context, tx *store.Tx, f CommissionFilter) (*commissionNames, error) {
	names := &commissionNames{map[affiliate.Account]affiliate.Account{}, map[codeKey]nameOfCode{}}
	if err := names.readAccounts(ctx, tx); err != nil {
		return nil, err
	}
	var w store.Where
	w.Add(`TRUE`)
	w.OfMembers("i", f.Members)
	rows, err := tx.QueryContext(ctx, `
		SELECT CAST(i.account_id AS TEXT), i.uid, i.invite_code, CASE WHEN i.ours = 1 THEN 'true' ELSE '' END
		FROM `+CodesAt(f.AsOf)+` i WHERE `+w.String()+` LIMIT ?`, append(w.Args, maxNames+1)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var key codeKey
	var code nameOfCode
	for rows.Next() {
		if err := rows.Scan(&key.account, &key.uid, &code.code, &code.ours); err != nil {
			return nil, err
		}
		names.codes[key] = code
	}
	if len(names.codes) > maxNames {
		return nil, rows.Err()
	}
	return names, rows.Err()
}

func (names *commissionNames) readAccounts(ctx context.Context, tx *store.Tx) error {
	rows, err := tx.QueryContext(ctx, `SELECT CAST(id AS TEXT), name FROM accounts`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var id, name affiliate.Account
	for rows.Next() {
		if err := rows.Scan(&id, &name); err != nil {
			return err
		}
		names.accounts[id] = name
	}
	return rows.Err()
}

// fill replaces the account's row ID in a record by its name, and adds the invite code.
func (names *commissionNames) fill(row *CommissionRow) {
	code := names.codes[codeKey{row.Account, row.UID}]
	row.InviteCode, row.OurCode = code.code, code.ours
	row.Account = names.accounts[row.Account]
}
