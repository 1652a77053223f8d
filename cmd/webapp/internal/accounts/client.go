package accounts

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/version"
	"rebatedesk/exchange"
	"rebatedesk/exchange/known"
)

// NewClient creates a client with the collecting key of an account, at its exchange.
func NewClient(a config.AccountSettings, budget *exchange.Budget, now func() time.Time, log *slog.Logger) (exchange.Client, error) {
	client, err := known.Open(cmp.Or(a.Exchange, known.Default), exchange.Config{
		BaseURL: a.BaseURL, ContractBaseURL: a.ContractBaseURL,
		Key: a.Keys.Key, Secret: a.Keys.Secret, Passphrase: a.Keys.Passphrase,
		APIVersion: a.APIVersion, Locale: a.Locale, UserAgent: version.UserAgent(), Reach: a.Reach, Entered: a.Entered,
		Budget: budget, Now: now, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", a.Name, err)
	}
	return client, nil
}
