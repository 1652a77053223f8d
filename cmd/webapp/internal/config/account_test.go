package config

import (
	"path/filepath"
	"testing"
)

// Where nothing in the settings names an account there need be none; where
// anything does, it has to be whole.
func TestAccountsMayBeStored(t *testing.T) {
	for _, c := range []struct {
		env    []string
		good   bool
		absent int
	}{
		{nil, true, 4},
		{[]string{"REBATEDESK_LOCALE=de-DE", "REBATEDESK_API_VERSION=v3", "REBATEDESK_HISTORY=9d"}, true, 4},
		{[]string{"REBATEDESK_ACCOUNT=main"}, false, 0},
		{[]string{"REBATEDESK_BASE_URL=https://api.example.com"}, false, 0},
		{[]string{"REBATEDESK_API_KEY_FILE=" + filepath.Join(t.TempDir(), "none")}, false, 0},
		{credentials(), true, 0},
	} {
		cfg, lines := load(t, NeedExchange|MayBeStored, c.env)
		if (len(lines) == 0) != c.good || len(cfg.NoAccount) != c.absent {
			t.Errorf("%q: %d faults beside, %q", c.env, len(cfg.NoAccount), lines)
		}
		without, lines := load(t, NeedExchange, c.env)
		if (len(lines) == 0) != (len(without.Accounts) == 1) || c.absent > 0 && len(lines) == 0 {
			t.Errorf("%q, in the settings only: %q", c.env, lines)
		}
	}
}
