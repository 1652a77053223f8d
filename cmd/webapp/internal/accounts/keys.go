package accounts

import (
	"cmp"
	"encoding/json"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange"
	"rebatedesk/exchange/known"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store/identity"
)

// sealedKeys is the plain text of a sealed key. An exchange.Secret would encode as
// nothing.
type sealedKeys struct {
	Key        string `json:"key"`
	Secret     string `json:"secret"`
	Passphrase string `json:"passphrase"`
}

// Columns for which keys are sealed.
const (
	keysColumn        = "keys"
	tradingKeysColumn = "trading_keys"
)

// KeyRow binds a key to its account and its addresses: a user who can change the database
// cannot redirect the key to another host.
func KeyRow(a identity.ExchangeAccount, column string) string {
	return secret.Row("exchange_accounts", column, string(a.Name), a.BaseURL, a.ContractBaseURL)
}

// sealKeys seals a key of an account. An absent key yields nothing.
func sealKeys(box *secret.Box, a identity.ExchangeAccount, column string, keys config.Keys) ([]byte, error) {
	if !keys.Given() {
		return nil, nil
	}
	plain, err := json.Marshal(sealedKeys{keys.Key.Reveal(), keys.Secret.Reveal(), keys.Passphrase.Reveal()})
	if err != nil {
		return nil, err
	}
	return box.Seal(plain, KeyRow(a, column)), nil
}

// openKeys opens the output of sealKeys.
func openKeys(box *secret.Box, a identity.ExchangeAccount, column string, sealed []byte) (config.Keys, error) {
	if len(sealed) == 0 {
		return config.Keys{}, nil
	}
	plain, err := box.Open(sealed, KeyRow(a, column))
	if err != nil {
		return config.Keys{}, err
	}
	var parts sealedKeys
	if err := json.Unmarshal(plain, &parts); err != nil {
		return config.Keys{}, secret.ErrDamaged // the decoder's error would quote it
	}
	return config.Keys{Key: exchange.Secret(parts.Key), Secret: exchange.Secret(parts.Secret), Passphrase: exchange.Secret(parts.Passphrase)}, nil
}

// OpenAccount returns a stored account with its keys. It fails for addresses that may not be reached.
func OpenAccount(box *secret.Box, a identity.ExchangeAccount, reach safehttp.Reach) (config.AccountSettings, error) {
	cfg := config.AccountSettings{Reach: reach, Entered: true, Name: a.Name, Exchange: a.Exchange, BaseURL: a.BaseURL, ContractBaseURL: a.ContractBaseURL, APIVersion: a.APIVersion, Locale: a.Locale}
	var err error
	if cfg.Keys, err = openKeys(box, a, keysColumn, a.Keys); err == nil {
		cfg.TradingKeys, err = openKeys(box, a, tradingKeysColumn, a.TradingKeys)
	}
	if err == nil && !cfg.Keys.Given() {
		err = secret.ErrDamaged
	}
	if err != nil {
		return config.AccountSettings{}, unusable(a.Name, err)
	}
	for name, p := range cfg.Barred() {
		return config.AccountSettings{}, fmt.Errorf("%s of the stored account %s %s; %s", name, a.Name, p.Wrong, p.Hint)
	}
	return cfg, nil
}

func unusable(name affiliate.Account, err error) error {
	return fmt.Errorf("the stored key of the account %s %w; give it its key again", name, err)
}

// sealAccount returns an account as the database stores it.
func sealAccount(box *secret.Box, cfg config.AccountSettings) (identity.ExchangeAccount, error) {
	a := identity.ExchangeAccount{Name: cfg.Name, Exchange: cmp.Or(cfg.Exchange, known.Default), BaseURL: cfg.BaseURL, ContractBaseURL: cfg.ContractBaseURL, APIVersion: cfg.APIVersion, Locale: cfg.Locale}
	var err error
	if a.Keys, err = sealKeys(box, a, keysColumn, cfg.Keys); err != nil {
		return a, err
	}
	a.TradingKeys, err = sealKeys(box, a, tradingKeysColumn, cfg.TradingKeys)
	return a, err
}
