package config

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"rebatedesk/affiliate"
)

// settingsLine is a command line with every setting's flag and one command,
// which loads the configuration and does nothing else.
type settingsLine struct {
	Config      string
	CommonFlags `embed:"" group:"settings"`
	Load        loadCommand `cmd:""`
}

type loadCommand struct {
	StoreFlags    `embed:"" group:"settings"`
	WebFlags      `embed:"" group:"settings"`
	ReportFlags   `embed:"" group:"settings"`
	ExchangeFlags `embed:"" group:"settings"`
	ScheduleFlags `embed:"" group:"settings"`
	AccountFlag   `embed:"" group:"settings"`
	MailFlags     `embed:"" group:"settings"`
	DeliveryFlags `embed:"" group:"settings"`
	TradingFlags  `embed:"" group:"settings"`
	MasterKeyFlag `embed:"" group:"settings"`
}

// settingsParser reads the command line of settingsLine, and prints its help.
func settingsParser(t *testing.T, help io.Writer) *kong.Kong {
	t.Helper()
	parser, err := kong.New(&settingsLine{}, kong.Writers(help, help), kong.Exit(func(int) {}), HelpOptions())
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// load returns the configuration that results from the flags and the environment, and its
// faults, line by line.
func load(t *testing.T, need Requirement, environ []string, flags ...string) (Config, []string) {
	t.Helper()
	parsed, err := settingsParser(t, io.Discard).Parse(append([]string{"load"}, flags...))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := Load(Inputs{Flags: FlagsOf(parsed), ConfigFile: FileOf(parsed), Environ: environ}, need)
	if err == nil {
		return cfg, nil
	}
	if _, ok := errors.AsType[SettingFaults](err); !ok {
		t.Fatalf("%v is no list of faults", err)
	}
	return cfg, slices.Collect(strings.Lines(err.Error()))
}

// loaded is load where nothing may be wrong.
func loaded(t *testing.T, need Requirement, environ []string, flags ...string) Config {
	t.Helper()
	cfg, lines := load(t, need, environ, flags...)
	if len(lines) > 0 {
		t.Fatalf("%s", strings.Join(lines, ""))
	}
	return cfg
}

// credentials are a whole set of what the exchange needs, in the environment.
func credentials(more ...string) []string {
	return append([]string{
		"REBATEDESK_BASE_URL=https://api.example.com",
		"REBATEDESK_API_KEY=canary-key",
		"REBATEDESK_API_SECRET=canary-secret",
		"REBATEDESK_API_PASSPHRASE=canary-passphrase",
	}, more...)
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDefaults(t *testing.T) {
	cfg := loaded(t, NeedAll, credentials())
	if len(cfg.Accounts) != 1 {
		t.Fatalf("%d accounts, want 1", len(cfg.Accounts))
	}
	a := cfg.Accounts[0]
	got := map[string]any{
		"db": cfg.DB.Reveal(), "listen": cfg.Listen, "public_url": cfg.PublicURL, "metrics_listen": cfg.MetricsListen, "report_cache": cfg.ReportCache,
		"account": string(a.Name), "base_url": a.BaseURL, "contract_base_url": a.ContractBaseURL,
		"api_version": a.APIVersion, "locale": a.Locale,
		"history": cfg.History, "collect_every": cfg.CollectEvery, "rate_budget": cfg.RateBudget,
		"timezone": cfg.Timezone.String(), "trading": cfg.Trading.Mode, "kill_file": cfg.Trading.KillFile,
		"order_cap": cfg.Trading.OrderCap, "pairs": len(cfg.Trading.AllowPairs), "smtp": cfg.Mail.Server.Host,
		"log_format": cfg.Log.Format, "log_level": cfg.Log.Level.String(), "master_key": len(cfg.MasterKey),
	}
	want := map[string]any{
		"db": "rebatedesk.db", "listen": "127.0.0.1:8080", "public_url": "", "metrics_listen": "", "report_cache": uint64(64 << 20),
		"account": "main", "base_url": "https://api.example.com", "contract_base_url": "https://api.example.com",
		"api_version": "v2", "locale": "en-US",
		"history": 365 * OneDay, "collect_every": 15 * time.Minute, "rate_budget": 400,
		"timezone": "UTC", "trading": "off", "kill_file": "rebatedesk.db.kill",
		"order_cap": affiliate.Number(""), "pairs": 0, "smtp": "",
		"log_format": "text", "log_level": "INFO", "master_key": 0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	if a.Keys.Key.Reveal() != "canary-key" || a.Keys.Secret.Reveal() != "canary-secret" || a.Keys.Passphrase.Reveal() != "canary-passphrase" {
		t.Error("the credentials of the environment did not arrive")
	}
}

func TestEmptyCountsAsNotSet(t *testing.T) {
	file := writeFile(t, "conf.toml", `order_cap = "12.50"`+"\n")
	cfg := loaded(t, NeedAll, credentials("REBATEDESK_ORDER_CAP=", "REBATEDESK_LISTEN=", "REBATEDESK_CONFIG="+file))
	if cfg.Trading.OrderCap != "12.50" {
		t.Errorf("an empty variable lifted the cap of the file: %q", cfg.Trading.OrderCap)
	}
	if cfg.Listen != "127.0.0.1:8080" {
		t.Errorf("listen %q, want the default", cfg.Listen)
	}
}

// A command reads only the settings it needs: an export works with a broken key and the
// demo without a key.
func TestNeed(t *testing.T) {
	broken := []string{
		"REBATEDESK_BASE_URL=ftp://x", "REBATEDESK_API_KEY_FILE=/does/not/exist", "REBATEDESK_SMTP_URL=x",
		"REBATEDESK_TRADING=live", "REBATEDESK_MASTER_KEY=x", "REBATEDESK_HISTORY=x", "REBATEDESK_COLLECT_EVERY=x",
	}
	for name, need := range map[string]Requirement{"nothing": NeedNothing, "export": NeedStore, "demo": NeedWeb} {
		if _, lines := load(t, need, broken); len(lines) > 0 {
			t.Errorf("%s: %q", name, lines)
		}
	}
	_, lines := load(t, NeedAll, broken)
	if want := 9; len(lines) != want {
		t.Errorf("all: %d lines, want %d: %q", len(lines), want, lines)
	}
}

func TestCommandsWithoutSettingsStillCheckTheCommonOnes(t *testing.T) {
	_, lines := load(t, NeedNothing, []string{"REBATEDESK_LOG_LEVEL=loud", "REBATEDESK_LOG_FORMAT=xml", "REBATEDESK_TIMEZONE=Mars/Base"})
	if len(lines) != 3 {
		t.Errorf("lines %q", lines)
	}
}

func TestLogger(t *testing.T) {
	cfg := loaded(t, NeedNothing, []string{"REBATEDESK_LOG_FORMAT=json", "REBATEDESK_LOG_LEVEL=warn"})
	var out bytes.Buffer
	log := cfg.Log.Logger(&out)
	log.Info("below")
	log.Warn("shown", "key", Keys{Key: "canary"})
	if got := out.String(); strings.Contains(got, "below") || !strings.Contains(got, `"msg":"shown"`) || strings.Contains(got, "canary") {
		t.Errorf("log: %s", got)
	}
}

// Whatever help there is for a setting says what it defaults to.
func TestHelpOfSettings(t *testing.T) {
	var out bytes.Buffer
	_, _ = settingsParser(t, &out).Parse([]string{"load", "--help"}) // it ends the program, or would
	help := strings.Join(strings.Fields(out.String()), " ")
	for _, s := range settings {
		if !strings.Contains(help, s.flag()+"=") || !strings.Contains(help, s.help) {
			t.Errorf("no help for %s", s.flag())
		}
		if s.fallback != "" && !strings.Contains(help, s.help+" Default: "+s.fallback+".") {
			t.Errorf("the help of %s does not name its default", s.flag())
		}
	}
}
