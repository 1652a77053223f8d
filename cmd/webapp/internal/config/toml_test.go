package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// printed is cfg in every form in which it could get into a log.
func printed(t *testing.T, cfg Config) []string {
	t.Helper()
	cfg.Timezone = nil // has nothing to hide, and no JSON
	encoded, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	Log{Format: "text"}.Logger(&log).Info("configuration", "config", cfg, "account", cfg.Accounts)
	return []string{fmt.Sprintf("%v", cfg), fmt.Sprintf("%+v", cfg), fmt.Sprintf("%#v", cfg), string(encoded), log.String()}
}

const twoAccounts = `
base_url = "https://api.example.com/"
contract_base_url = "https://contract.example.com"
api_version = "v3"

[[account]]
name = "desk"
api_key = "key-1"
api_secret = "secret-1"
api_passphrase = "pass-1"

[[account]]
name = "other.desk"
base_url = "http://localhost:9000"
api_version = "v2"
locale = "de-DE"
api_key = "key-2"
api_secret = "secret-2"
api_passphrase_file = "%s"
trading_api_key = "key-t"
trading_api_secret = "secret-t"
trading_api_passphrase = "pass-t"
`

func TestAccountTables(t *testing.T) {
	file := writeFile(t, "conf.toml", fmt.Sprintf(twoAccounts, writeFile(t, "pass", "pass-2\n")))
	cfg := loaded(t, NeedAll, []string{"REBATEDESK_TRADING=live"}, "--config="+file)
	if len(cfg.Accounts) != 2 {
		t.Fatalf("%d accounts, want 2", len(cfg.Accounts))
	}
	for i, want := range []string{
		"desk https://api.example.com https://contract.example.com v3 en-US key-1 secret-1 pass-1 ",
		// Its own exchange: the shared contract address belongs to another.
		"other.desk http://localhost:9000 http://localhost:9000 v2 de-DE key-2 secret-2 pass-2 key-t secret-t pass-t",
	} {
		a := cfg.Accounts[i]
		got := fmt.Sprint(a.Name, " ", a.BaseURL, " ", a.ContractBaseURL, " ", a.APIVersion, " ", a.Locale, " ", revealed(a.Keys), " ", revealed(a.TradingKeys))
		if strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("account %d:\n got %s\nwant %s", i+1, got, want)
		}
	}
}

func revealed(k Keys) string {
	return strings.Join([]string{k.Key.Reveal(), k.Secret.Reveal(), k.Passphrase.Reveal()}, " ")
}

func TestAccountTableFaults(t *testing.T) {
	file := writeFile(t, "conf.toml", `
base_url = "https://api.example.com"
locale = "not a tag"
[[account]]
name = "desk"
api_key = "canary"
api_secret = "canary"
api_passphrase = "canary"
[[account]]
name = "Desk"
api_key = "canary"
api_secret = "canary"
api_passphrase = "canary"
api_key_file = "canary.txt"
[[account]]
api_key = 12345
api_secrets = "canary"
base_url = "http://192.0.2.1"
`)
	_, lines := load(t, NeedExchange, []string{"REBATEDESK_API_KEY=canary", "REBATEDESK_CONFIG=" + file})
	wants := [][]string{
		{"API_KEY (api_key in [[account]] 3 of ", "not a text", "double quotes"},
		{`"api_secrets" ([[account]] 3 of `, "not a known key", "api_secret"},
		{"API_KEY (REBATEDESK_API_KEY) ", "beside [[account]] tables", "move it"},
		{"LOCALE (locale in ", `"not a tag"`},
		{"ACCOUNT (name in [[account]] 2 of ", "name of another account"},
		{"API_KEY (api_key in [[account]] 2 of ", "together with api_key_file"},
		{"ACCOUNT ([[account]] 3) ", "not set", "give that table a name"},
		{"BASE_URL (base_url in [[account]] 3 of ", "unencrypted"},
		{"API_KEY ([[account]] 3) ", "not set", "api_key in that table"},
		{"API_SECRET ([[account]] 3) ", "not set"},
		{"API_PASSPHRASE ([[account]] 3) ", "not set"},
	}
	if len(lines) != len(wants) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(wants), strings.Join(lines, ""))
	}
	for i, want := range wants {
		checkLine(t, lines[i], want[0], want[1:]...)
	}
}

func TestTOMLFaults(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		says    []string
	}{
		"typo":                 {`base_ur = "https://x.example"`, []string{`"base_ur" `, "not a known key", "base_url"}},
		"upper case":           {`BASE_URL = "https://x.example"`, []string{`"BASE_URL" `, "not a known key", "base_url"}},
		"swapped":              {`tiemzone = "UTC"`, []string{"timezone"}},
		"table":                {"[market]\nbase_url = 'https://x.example'", []string{`"market" `, "not a known key"}},
		"single account table": {"[account]\nname = 'x'", []string{"ACCOUNT ", "[[account]]"}},
		"duplicate key":        {"listen = '127.0.0.1:1'\nlisten = '127.0.0.1:2'", []string{"CONFIG ", "line 2", "only once"}},
		"unquoted secret":      {"api_version = 'v2'\napi_secret = canary", []string{"CONFIG ", "line 2", "double quotes"}},
		"broken text":          {`api_secret = "canary`, []string{"CONFIG ", "line 1"}},
		"number for a secret":  {"api_secret = 123", []string{"API_SECRET ", "not a text"}},
		"float":                {"order_cap = 0.1", []string{"ORDER_CAP ", "not a text", "double quotes"}},
		"boolean":              {"trading = false", []string{"TRADING ", "not a text"}},
		"list":                 {"listen = ['127.0.0.1:1']", []string{"LISTEN ", "not a text"}},
		"long key":             {strings.Repeat("k", 5000) + " = 1", []string{"not a known key"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := writeFile(t, "conf.toml", c.content)
			_, lines := load(t, NeedStore, nil, "--config="+file)
			if len(lines) != 1 {
				t.Fatalf("lines %q", lines)
			}
			checkLine(t, lines[0], "", append(c.says, "conf.toml")...)
		})
	}
}

func TestTOMLForms(t *testing.T) {
	file := writeFile(t, "conf.toml", `
account = "solo"
rate_budget = 250
order_cap = 100
daily_cap = "0.000000000000000001"
allow_pairs = ["BTCUSDT_SPBL", "cmt_btcusdt"]
api_key = "k"
api_secret = "s"
api_passphrase = "p"
base_url = "http://[::1]:8090"
`)
	cfg := loaded(t, NeedAll, nil, "--config="+file)
	got := fmt.Sprint(cfg.Accounts[0].Name, " ", cfg.RateBudget, " ", cfg.Trading, " ", cfg.Accounts[0].BaseURL)
	if want := "solo 250 {off 100 0.000000000000000001 [BTCUSDT_SPBL cmt_btcusdt] rebatedesk.db.kill false} http://[::1]:8090"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestConfigFile(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "none.toml")
	for _, c := range []struct {
		environ []string
		flags   []string
		begins  string
	}{
		{nil, []string{"--config=" + absent}, "CONFIG (--config) cannot be read"},
		{[]string{"REBATEDESK_CONFIG=" + absent}, nil, "CONFIG (REBATEDESK_CONFIG) cannot be read"},
		{nil, []string{"--config=" + writeFile(t, "huge.toml", strings.Repeat("#", maxConfigFile+1))}, "CONFIG (--config) cannot be read"},
	} {
		_, lines := load(t, NeedNothing, c.environ, c.flags...)
		if len(lines) != 1 {
			t.Fatalf("lines %q", lines)
		}
		checkLine(t, lines[0], c.begins)
	}
	// The flag names another file than the environment.
	file := writeFile(t, "conf.toml", `timezone = "Asia/Tokyo"`)
	cfg := loaded(t, NeedNothing, []string{"REBATEDESK_CONFIG=" + absent}, "--config="+file)
	if cfg.Timezone.String() != "Asia/Tokyo" {
		t.Errorf("zone %s", cfg.Timezone)
	}
}
