// Package rekey replaces the master key of a database by another one.
package rekey

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/evidence"
	"rebatedesk/evidence/keyring"
	"rebatedesk/mail"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// What depends on the master key, and is in the database, is listed here: the steps of a change, and the
// sealed columns of one of them. A test seals something in each place and looks for the former key.
//
// Five things depend on it and are not stored, so that they are other ones afterwards: the codes of
// links in mails, invitations, the token of the first setup, the secret that a page offers for an
// authenticator, and forms that wait in a browser for a proof.

// steps are done in this order, in one transaction. The audit log comes first, since it proves that
// the former key is the right one.
var steps = []func(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, c *change) error{
	auditLog,
	readSignIns,
	sealedValues,
	signIns, // their codes are over sealed values, too
}

// change is a change under way.
type change struct {
	Resealed
	store     *store.Store
	old, next secret.MasterKey
	by        audit.Line
	anchors   []audit.Anchor
	signed    identity.Signed
}

// Resealed says what a change did.
type Resealed struct {
	Sealed   int                // values that were sealed again
	AuditLog store.VerifyResult // what was proved before its codes were made again
}

// sealedColumn is a column with sealed values.
type sealedColumn struct {
	store.SealedColumn
	place func(row []string) (string, error) // for which a value is sealed, see [secret.Row]
	thing string                             // what is sealed, for people
	named int                                // column of Row that names it
	mend  string                             // what to do with a value that does not open
}

// columns are all columns with sealed values.
var columns = []sealedColumn{
	{column("users", "totp", "id", "name"), numbered(access.TOTPRow), "the authenticator of the user", 1, "remove it with webapp user reset-totp"},
	{column("exchange_accounts", "keys", accountRow...), account("keys"), "the key of the account", 0, "give it its key again with webapp account rotate"},
	{column("exchange_accounts", "trading_keys", accountRow...), account("trading_keys"), "the trading key of the account", 0, "give it its keys again with webapp account rotate"},
	{column("signing_keys", "sealed", "id", "public_key"), signing, "the signing key number", 0, "restore a sound backup"},
	{column("channels", "address", "id", "name"), channel("address"), "the address of the channel", 1, "remove the channel, and add it again"},
	{column("channels", "secret", "id", "name"), channel("secret"), "the signing secret of the channel", 1, "give it another one with webapp channel rotate"},
	{column("mail_server", "password", "id", "host", "port", "security", "username"), mailServer, "the password of the mail server", 1, "enter it again under Settings, Mail"},
	// It was sealed as the secret, and moved here as it was.
	{column("channels", "old_secret", "id", "name"), channel("secret"), "the former signing secret of the channel", 1, "give it another one with webapp channel rotate"},
}

func column(table, column string, row ...string) store.SealedColumn {
	return store.SealedColumn{Table: table, Column: column, Row: row}
}

var accountRow = []string{"name", "base_url", "contract_base_url"}

func account(column string) func([]string) (string, error) {
	return func(row []string) (string, error) {
		return accounts.KeyRow(identity.ExchangeAccount{Name: affiliate.Account(row[0]), BaseURL: row[1], ContractBaseURL: row[2]}, column), nil
	}
}

func signing(row []string) (string, error) {
	return keyring.RowOf(evidence.PublicKey(row[1])), nil
}

func mailServer(row []string) (string, error) {
	return mail.ServerRow(row[1], row[2], row[3], row[4]), nil
}

func channel(column string) func([]string) (string, error) {
	return numbered(func(id int64) string { return mail.ChannelRow(id, column) })
}

func numbered(place func(int64) string) func([]string) (string, error) {
	return func(row []string) (string, error) {
		id, err := strconv.ParseInt(row[0], 10, 64)
		return place(id), err
	}
}

// ErrSameKey is returned if the new key is the one of the database already.
var ErrSameKey = errors.New("the new master key is the present one")

// Change replaces the key of a database by another one, in one transaction: whatever ends the process,
// one of the two keys opens everything afterwards. The store uses the audit key of the old one, and
// uses that of the new one then. Values that do not open with the old key, and an audit log that is
// not sound, are errors, and nothing is changed. A server, collector or backup at work is
// [store.ErrInUse]. anchors were read before.
func Change(ctx context.Context, s *store.Store, old, next secret.MasterKey, by audit.Line, anchors ...audit.Anchor) (done Resealed, err error) {
	if old.ID() == next.ID() {
		return done, ErrSameKey
	}
	within, release, err := s.Alone(ctx)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, release()) }()
	by.Detail = "from " + old.ID() + " to " + next.ID()
	err = s.Update(within, func(tx *store.Tx, stamp affiliate.Millis) error {
		c := change{store: s, old: old, next: next, by: by, anchors: anchors}
		for _, step := range steps {
			if err := step(within, tx, stamp, &c); err != nil {
				return err
			}
		}
		done = c.Resealed
		return nil
	})
	if err != nil {
		return Resealed{}, err
	}
	return done, s.UseAuditKey(ctx, next.Derive(database.AuditLabel))
}

// auditLog makes the codes of the audit log again.
func auditLog(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, c *change) (err error) {
	c.AuditLog, err = audit.Rekey(ctx, c.store, tx, stamp, c.next.Derive(database.AuditLabel), c.by, c.anchors...)
	return err
}

// readSignIns finds what signs in and was written with the former key.
func readSignIns(ctx context.Context, tx *store.Tx, _ affiliate.Millis, c *change) (err error) {
	c.signed, err = identity.ReadSigned(ctx, tx, c.old.Derive(database.AuditLabel))
	return err
}

// signIns makes their codes again. What was forged stays forged.
func signIns(ctx context.Context, tx *store.Tx, _ affiliate.Millis, c *change) error {
	return c.signed.SignAgain(ctx, tx, c.next.Derive(database.AuditLabel))
}

// sealedValues seals all values again.
func sealedValues(ctx context.Context, tx *store.Tx, _ affiliate.Millis, c *change) error {
	old, next := c.old.Box(), c.next.Box()
	for _, column := range columns {
		count, err := tx.Reseal(ctx, column.SealedColumn, func(row []string, sealed []byte) ([]byte, error) {
			place, err := column.place(row)
			if err != nil {
				return nil, err
			}
			plain, err := old.Open(sealed, place)
			if err != nil {
				return nil, fmt.Errorf("%s %q %w: %s, then change the key", column.thing, row[column.named], err, column.mend)
			}
			return next.Seal(plain, place), nil
		})
		if err != nil {
			return err
		}
		c.Sealed += count
	}
	return nil
}
