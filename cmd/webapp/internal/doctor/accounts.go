package doctor

import (
	"context"
	"errors"
	"slices"

	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/identity"
)

// accounts returns the accounts of the settings and the stored accounts in use, and
// findings about those that cannot be opened.
func (d *Doctor) accounts(ctx context.Context, cfg config.Config) (all []config.AccountSettings, found []Result) {
	all = slices.Clone(cfg.Accounts)
	stored, err := d.storedAccounts(ctx, cfg.Accounts, cfg.Reach)
	for _, s := range stored {
		if s.err != nil {
			found = append(found, failed("account ("+string(s.config.Name)+")", s.err.Error(), ""))
			continue
		}
		all = append(all, s.config)
	}
	if err != nil {
		found = append(found, failed("stored accounts", err.Error(), ""))
	}
	if len(all) == 0 && len(found) == 0 {
		found = append(found, failed("exchange", "no account is set, and none is stored",
			"set REBATEDESK_BASE_URL and REBATEDESK_API_KEY, _SECRET and _PASSPHRASE, or store an account: webapp account add"))
	}
	return all, found
}

// storedAccount is an account of the database, or why it cannot be used.
type storedAccount struct {
	config config.AccountSettings
	err    error
}

// storedAccounts opens the stored accounts in use. It skips a database that opening
// would migrate.
func (d *Doctor) storedAccounts(ctx context.Context, settings []config.AccountSettings, reach safehttp.Reach) (list []storedAccount, err error) {
	cfg, ok := d.parts.config(config.NeedMasterKey | config.NeedStore)
	if !ok || !d.current {
		return nil, nil
	}
	var rows []identity.ExchangeAccount
	err = database.Use(ctx, cfg, database.Open, func(st *store.Store) (err error) {
		rows, err = accounts.Stored(ctx, st)
		return err
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	key, _, err := database.FindKey(cfg)
	if err != nil {
		return nil, err
	}
	var box *secret.Box
	if key.Given() {
		box = key.Box()
	}
	for _, row := range rows {
		if row.Disabled.Known() || accounts.HasName(settings, row.Name) {
			continue
		}
		one := storedAccount{config: config.AccountSettings{Name: row.Name}, err: errNoMasterKey}
		if box != nil {
			if config, err := accounts.OpenAccount(box, row, reach); err != nil {
				one.err = err
			} else {
				one = storedAccount{config: config}
			}
		}
		list = append(list, one)
	}
	return list, nil
}

var errNoMasterKey = errors.New("its key is sealed, and the master key is not there: put its file back, or set REBATEDESK_MASTER_KEY_FILE")
