package identity_test

import (
	"bytes"
	"errors"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/storetest"
)

func exchangeAccounts(t *testing.T, s *store.Store) []identity.ExchangeAccount {
	t.Helper()
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	accounts, err := identity.ExchangeAccounts(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

// A change of a stored account and its audit line are one write: a refused change stores
// neither.
func TestExchangeAccountsChangeWithTheirAudit(t *testing.T) {
	storetest.Engines(t, "statements about accounts, the write as a whole", testExchangeAccountsChangeWithTheirAudit)
}

func testExchangeAccountsChangeWithTheirAudit(t *testing.T) {
	s, by := storetest.Audited(t), audit.Line{Actor: "ann", Via: "session"}
	a := identity.ExchangeAccount{Name: "Main", BaseURL: "https://x", ContractBaseURL: "https://y", APIVersion: "v2", Locale: "en-US", Keys: []byte("sealed")}
	rotated, moved := a, a
	rotated.Name, rotated.Keys, rotated.TradingKeys = "main", []byte("again"), []byte("trading")
	moved.BaseURL, moved.Keys = "https://z", []byte("moved")
	for _, c := range []struct {
		action string // empty: refused
		change func() error
	}{
		{"", func() error { return identity.RotateExchangeAccount(t.Context(), s, a, by) }},
		{"", func() error {
			return identity.DisableExchangeAccount(t.Context(), s, "main", store.AnyVersion, true, by)
		}},
		{"account added", func() error { return identity.AddExchangeAccount(t.Context(), s, a, by) }},
		{"", func() error { return identity.AddExchangeAccount(t.Context(), s, a, by) }},
		{"", func() error { return identity.AddExchangeAccount(t.Context(), s, rotated, by) }},
		{"", func() error { return identity.RotateExchangeAccount(t.Context(), s, moved, by) }},
		{"account keys rotated", func() error { return identity.RotateExchangeAccount(t.Context(), s, rotated, by) }},
		{"account disabled", func() error {
			return identity.DisableExchangeAccount(t.Context(), s, "MAIN", store.AnyVersion, true, by)
		}},
		{"account enabled", func() error {
			return identity.DisableExchangeAccount(t.Context(), s, "main", store.AnyVersion, false, by)
		}},
	} {
		before, lines := exchangeAccounts(t, s), storetest.AuditLines(t, s, audit.LogQuery{})
		err := c.change()
		now := storetest.AuditLines(t, s, audit.LogQuery{})
		if c.action == "" {
			after := exchangeAccounts(t, s)
			same := len(after) == len(before) && (len(after) == 0 || bytes.Equal(after[0].Keys, before[0].Keys) && after[0].Disabled == before[0].Disabled)
			if _, ok := errors.AsType[*store.RuleError](err); !ok || len(now) != len(lines) || !same {
				t.Errorf("%v: %d lines after %d", err, len(now), len(lines))
			}
			continue
		}
		if err != nil || len(now) != len(lines)+1 || now[len(lines)].Action != c.action || now[len(lines)].Actor != "ann" {
			t.Errorf("%s: %v, %+v", c.action, err, now)
		}
	}
	got := exchangeAccounts(t, s)[0]
	if string(got.Keys) != "again" || string(got.TradingKeys) != "trading" || got.Name != "Main" || got.Rotated <= got.Created || got.Disabled.Known() {
		t.Errorf("%+v", got)
	}
	mute := storetest.Open(t, store.Options{})
	if err := identity.AddExchangeAccount(t.Context(), mute, a, by); !errors.Is(err, store.ErrNoAuditKey) || len(exchangeAccounts(t, mute)) != 0 {
		t.Errorf("without an audit key: %v", err)
	}
}
