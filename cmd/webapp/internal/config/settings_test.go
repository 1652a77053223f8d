package config

import (
	"encoding/base64"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every setting that has a plain flag takes its value from the flag before the
// environment, and from the environment before the file.
func TestStrength(t *testing.T) {
	values := map[string][3]string{ // flag, environment, file
		"DB":                 {"flag.db", "env.db", "file.db"},
		"NODE":               {"flag", "env", "file"},
		"TIMEZONE":           {"Asia/Tokyo", "Europe/Berlin", "America/New_York"},
		"LISTEN":             {"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"},
		"PUBLIC_URL":         {"https://flag.example", "https://env.example", "https://file.example"},
		"METRICS_LISTEN":     {"127.0.0.1:4", "127.0.0.1:5", "127.0.0.1:6"},
		"METRICS_FIGURES":    {"on", "off", "on"},
		"TRUSTED_PROXIES":    {"10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32"},
		"SECOND_FACTOR":      {"all", "admins", "all"},
		"REPORT_CACHE":       {"1", "2", "3"},
		"PAYOUT_RULE":        {"auto", "hour+1h together rr_agent_reward", "week+1d together rr_agent_reward"},
		"BALANCE_TOLERANCE":  {"USDT=0.01", "USDT=0.02", "usdt=0.03"},
		"INACTIVITY_LIMIT":   {"30", "60", "90"},
		"STATEMENT_NAME":     {"Flag Ltd.", "Env Ltd.", "File Ltd."},
		"STATEMENT_ADDRESS":  {"Flag Road", "Env Road", "File Road"},
		"ACCOUNT":            {"flag", "env", "file"},
		"BASE_URL":           {"https://a.example", "https://b.example", "https://c.example"},
		"EXCHANGE":           {"weex", "weex", "weex"},
		"API_VERSION":        {"v2", "v3", "v2"},
		"LOCALE":             {"de", "fr", "it"},
		"RATE_BUDGET":        {"1", "2", "3"},
		"HISTORY":            {"1d", "2d", "3d"},
		"KEEP_ANSWERS":       {"1", "2", "0"},
		"KEEP_TRADES":        {"1", "2", "3"},
		"KEEP_CANDLES":       {"1", "2", "3"},
		"COLLECT_EVERY":      {"1m0s", "2m0s", "3m0s"},
		"BACKUP_DIR":         {"flag.d", "env.d", "file.d"},
		"BACKUP_KEEP":        {"1", "2", "0"},
		"TRADING":            {"dry-run", "off", "off"},
		"ORDER_CAP":          {"1.5", "2.5", "3.5"},
		"DAILY_CAP":          {"10", "20", "30"},
		"ALLOW_PAIRS":        {"A_SPBL", "B_SPBL", "C_SPBL"},
		"KILL_FILE":          {"flag.kill", "env.kill", "file.kill"},
		"ALLOW_PRIVATE_URLS": {"on", "off", "on"},
		"ALLOWED_HOSTS":      {"flag.example.com", "*.example.com", "198.51.100.7"},
		"MAIL_FROM":          {"flag@example.com", "env@example.com", "file@example.com"},
		"MAIL_HELO":          {"flag.example.com", "env.example.com", "[192.0.2.1]"},
		"DELIVERY_FOLDERS":   {"/a", "/b", "/c"}, "S3_ENDPOINT": {"https://a.example.com", "https://b.example.com", "https://c.example.com"}, "S3_REGION": {"eu-1", "eu-2", "eu-3"},
		"S3_ALLOW_HTTP": {"on", "off", "on"}, "SFTP_KNOWN_HOSTS": {"/a", "/b", "/c"},
	}
	seen := func(cfg Config, name string) string {
		a := cfg.Accounts[0]
		switch name {
		case "DB":
			return cfg.DB.Reveal()
		case "NODE":
			return cfg.Node
		case "TIMEZONE":
			return cfg.Timezone.String()
		case "LISTEN":
			return cfg.Listen
		case "PUBLIC_URL":
			return cfg.PublicURL
		case "METRICS_LISTEN":
			return cfg.MetricsListen
		case "METRICS_FIGURES":
			return map[bool]string{false: "off", true: "on"}[cfg.MetricsFigures]
		case "TRUSTED_PROXIES":
			return cfg.TrustedProxies[0].String()
		case "SECOND_FACTOR":
			return string(cfg.SecondFactor)
		case "REPORT_CACHE":
			return strconv.FormatUint(cfg.ReportCache>>20, 10)
		case "PAYOUT_RULE":
			return cfg.PayoutRule
		case "BALANCE_TOLERANCE":
			for coin, most := range cfg.BalanceTolerance {
				return map[string]string{"0.01": "USDT=0.01", "0.02": "USDT=0.02", "0.03": "usdt=0.03"}[string(most)] + strings.Repeat("?", len(coin)-4)
			}
			return ""
		case "INACTIVITY_LIMIT":
			return strconv.Itoa(cfg.InactivityLimit)
		case "STATEMENT_NAME":
			return cfg.Letterhead.Name
		case "STATEMENT_ADDRESS":
			return cfg.Letterhead.Address[0]
		case "ACCOUNT":
			return string(a.Name)
		case "BASE_URL":
			return a.BaseURL
		case "EXCHANGE":
			return a.Exchange
		case "API_VERSION":
			return a.APIVersion
		case "LOCALE":
			return a.Locale
		case "RATE_BUDGET":
			return strconv.Itoa(cfg.RateBudget)
		case "HISTORY":
			return strconv.Itoa(int(cfg.History/OneDay)) + "d"
		case "KEEP_ANSWERS":
			return strconv.Itoa(cfg.KeepAnswers)
		case "KEEP_TRADES":
			return strconv.Itoa(cfg.KeepTrades)
		case "KEEP_CANDLES":
			return strconv.Itoa(cfg.KeepCandles)
		case "COLLECT_EVERY":
			return cfg.CollectEvery.String()
		case "BACKUP_DIR":
			return cfg.Backups.Dir
		case "BACKUP_KEEP":
			return strconv.Itoa(cfg.Backups.Keep)
		case "TRADING":
			return cfg.Trading.Mode
		case "ORDER_CAP":
			return string(cfg.Trading.OrderCap)
		case "DAILY_CAP":
			return string(cfg.Trading.DailyCap)
		case "ALLOW_PAIRS":
			return strings.Join(cfg.Trading.AllowPairs, ",")
		case "KILL_FILE":
			return cfg.Trading.KillFile
		case "ALLOW_PRIVATE_URLS":
			return map[bool]string{true: "on", false: "off"}[cfg.Reach.Private]
		case "ALLOWED_HOSTS":
			return cfg.Reach.Hosts.String()
		case "MAIL_FROM":
			return cfg.Mail.From.Address
		case "MAIL_HELO":
			return cfg.Mail.Helo
		case "DELIVERY_FOLDERS":
			return strings.Join(cfg.Delivery.Folders, ",")
		case "S3_ENDPOINT":
			return cfg.Delivery.S3Endpoint
		case "S3_REGION":
			return cfg.Delivery.S3Region
		case "S3_ALLOW_HTTP":
			return map[bool]string{true: "on", false: "off"}[cfg.Delivery.S3AllowHTTP]
		case "SFTP_KNOWN_HOSTS":
			return cfg.Delivery.SFTPKnownHosts
		}
		t.Fatalf("no value for %s", name)
		return ""
	}
	for name, value := range values {
		t.Run(name, func(t *testing.T) {
			s := settingByName(name)
			file := writeFile(t, "conf.toml", s.key()+" = \""+value[2]+"\"\n")
			base := slices.DeleteFunc(credentials(), func(entry string) bool { return strings.HasPrefix(entry, s.variable()+"=") })
			if name != "BASE_URL" {
				base = credentials()
			}
			environ := append(base, "REBATEDESK_CONFIG="+file)
			if got := seen(loaded(t, NeedAll, environ), name); got != value[2] {
				t.Errorf("file alone: %q, want %q", got, value[2])
			}
			environ = append(environ, s.variable()+"="+value[1])
			if got := seen(loaded(t, NeedAll, environ), name); got != value[1] {
				t.Errorf("file and environment: %q, want %q", got, value[1])
			}
			if got := seen(loaded(t, NeedAll, environ, s.flag()+"="+value[0]), name); got != value[0] {
				t.Errorf("all three: %q, want %q", got, value[0])
			}
		})
	}
	for _, s := range settings {
		// Separate tests cover these.
		if _, ok := values[s.name]; !ok && !s.secret && s.name != "CONTRACT_BASE_URL" && s.name != "STATEMENT_LOGO" && !strings.HasPrefix(s.name, "LOG_") && !strings.HasPrefix(s.name, "TLS") {
			t.Errorf("%s is missing from this test", s.name)
		}
	}
}

// Each wrong value gives exactly one line, which names the setting, where it
// was set, and a hint; secrets are not repeated.
func TestFaultLines(t *testing.T) {
	long := strings.Repeat("9", 1000)
	for _, c := range []struct {
		name, value string
		says        string
	}{
		{"DB", "file:x.db?mode=ro", "path of a file"},
		{"DB", ":memory:", "path of a file"},
		{"TIMEZONE", "Local", "time zone"},
		{"TIMEZONE", "Europe/Atlantis", "Europe/Berlin"},
		{"TIMEZONE", "../../etc/passwd", "time zone"},
		{"LOG_FORMAT", "xml", "text, json"},
		{"LOG_LEVEL", "INFO", "debug, info, warn, error"},
		{"LISTEN", "8080", "host:port"},
		{"LISTEN", "127.0.0.1:http", "host:port"},
		{"LISTEN", "127.0.0.1:65536", "host:port"},
		{"TLS", "on", "off, auto, files"},
		{"TLS_CERT", "desk.pem", "not used"},
		{"TLS_KEY", "desk.key", "not used"},
		{"TRUSTED_PROXIES", "proxy.example.com", "list of networks"},
		{"TRUSTED_PROXIES", "10.0.0.1,", "list of networks"},
		{"TRUSTED_PROXIES", "fe80::1%eth0", "list of networks"},
		{"TRUSTED_PROXIES", "0.0.0.0/0", "every address"},
		{"TRUSTED_PROXIES", strings.Repeat("10.0.0.1,", 64) + "10.0.0.1", "too many"},
		{"METRICS_LISTEN", "on", "host:port"},
		{"METRICS_FIGURES", "all", "off, on"},
		{"PUBLIC_URL", "desk.example.com", "web address"},
		{"PUBLIC_URL", "https://desk.example.com/app", "web address"},
		{"ACCOUNT", "a/b", "usable name"},
		{"ACCOUNT", "..", "usable name"},
		{"ACCOUNT", "a\nb", "usable name"},
		{"BASE_URL", "ftp://api.example.com", "bare address"},
		{"BASE_URL", "api.example.com", "bare address"},
		{"BASE_URL", "https://", "bare address"},
		{"BASE_URL", "https://api.example.com:0", "bare address"},
		{"BASE_URL", "https://api.example.com:99999", "bare address"},
		{"BASE_URL", "https://user:canary-key@api.example.com", "bare address"},
		{"BASE_URL", "https://api.example.com?x=1", "bare address"},
		{"BASE_URL", "https://api.example.com#", "bare address"},
		{"BASE_URL", "https://api.example.com/v2", "bare address"},
		{"BASE_URL", "http://api.example.com", "unencrypted"},
		{"BASE_URL", "http://127.0.0.1.example.com", "unencrypted"},
		{"CONTRACT_BASE_URL", "http://192.0.2.7", "unencrypted"},
		{"BASE_URL", "https://169.254.169.254", "ALLOW_PRIVATE_URLS=on"},
		{"BASE_URL", "https://127.0.0.1:8443", "private network"},
		{"CONTRACT_BASE_URL", "https://[::ffff:10.0.0.1]", "private network"},
		{"ALLOW_PRIVATE_URLS", "yes", "off, on"},
		{"ALLOWED_HOSTS", "https://api.example.com", "more than a host"},
		{"ALLOWED_HOSTS", "api.example.com:443", "more than a host"},
		{"ALLOWED_HOSTS", "api.example.com,", "empty host"},
		{"ALLOWED_HOSTS", "*", "no host"},
		{"ALLOWED_HOSTS", "hooks.*.com", "no host"},
		{"ALLOWED_HOSTS", "10.0.0.0/8", "more than a host"},
		{"ALLOWED_HOSTS", "0x7f000001", "no host"},
		{"ALLOWED_HOSTS", strings.Repeat("a.example,", 256) + "a.example", "more than 256 hosts"},
		{"SECOND_FACTOR", "nobody", "admins, all"},
		{"DELIVERY_FOLDERS", "exports", "list of folders"},
		{"S3_ENDPOINT", "s3.example.com", "bare address"},
		{"S3_ENDPOINT", "http://s3.example.com", "S3_ALLOW_HTTP=on"},
		{"S3_REGION", "a b", "name of a region"},
		{"S3_ALLOW_HTTP", "yes", "off, on"},
		{"SFTP_KEY", "canary-key", "ssh-keygen"},
		{"API_KEY", " canary-key", "blank"},
		{"API_SECRET", "canary-secret\ncanary", "line break"},
		{"API_PASSPHRASE", "canary-passphrase\t", "blank"},
		{"EXCHANGE", "binance", "weex"},
		{"API_VERSION", "v4", "v2, v3"},
		{"API_VERSION", "V2", "v2, v3"},
		{"LOCALE", "en US", "language tag"},
		{"LOCALE", "en\r\nX-Evil: 1", "language tag"},
		{"HISTORY", "365", "365d or 52w"},
		{"HISTORY", "0d", "365d or 52w"},
		{"HISTORY", "-5d", "365d or 52w"},
		{"HISTORY", "3651d", "1 to 3650 days"},
		{"HISTORY", long + "d", "1 to 3650 days"},
		{"HISTORY", "2147483647w", "1 to 3650 days"},
		{"KEEP_TRADES", "0", "days from 1 to 3650"},
		{"KEEP_CANDLES", "1y", "days from 1 to 3650"},
		{"KEEP_ANSWERS", "90d", "days from 0 to 3650"},
		{"KEEP_ANSWERS", "-1", "days from 0 to 3650"},
		{"KEEP_ANSWERS", "3651", "days from 0 to 3650"},
		{"COLLECT_EVERY", "9s", "at least 10s"},
		{"COLLECT_EVERY", "fortnightly", "15m or 1h"},
		{"REPORT_CACHE", "0", "MiB from 1 to 65536"},
		{"REPORT_CACHE", "24MiB", "MiB from 1 to 65536"},
		{"REPORT_CACHE", "67108864", "MiB from 1 to 65536"},
		{"STATEMENT_NAME", long, "longer than 120 characters"},
		{"STATEMENT_ADDRESS", "a;b;c;d;e;f;g;h;i", "more than 8 lines"},
		{"STATEMENT_LOGO", "missing.png", "PNG or JPEG file"},
		{"STATEMENT_LOGO", "settings_test.go", "convert it to PNG"},
		{"RATE_BUDGET", "0", "positive whole number"},
		{"RATE_BUDGET", "-400", "positive whole number"},
		{"RATE_BUDGET", "4e2", "positive whole number"},
		{"SMTP_URL", "smtp.example.com", "mail server"},
		{"SMTP_URL", "https://user:canary-smtp@smtp.example.com", "scheme"},
		{"SMTP_URL", "smtp://user:canary-smtp@", "mail server"},
		{"SMTP_URL", "smtp://user:canary-smtp%zz@host", "mail server"},
		{"SMTP_URL", "smtp://user@host", "only one of user and password"},
		{"SMTP_URL", "smtp://user:canary-smtp@host?tls=maybe", "tls mode"},
		{"SMTP_URL", "smtp://user:canary-smtp@host?starttls=yes", "parameters"},
		{"SMTP_URL", "smtp://user:canary-smtp@host?tls=none&tls=mandatory", "parameters"},
		{"SMTP_URL", "smtps://user:canary-smtp@host?tls=none", "parameters"},
		{"SMTP_URL", "smtp://user:canary-smtp@host:0", "port"},
		{"SMTP_URL", "smtp://user:canary-smtp@host/x", "mail server"},
		{"MAIL_FROM", "Reports", "mail address"},
		{"MAIL_HELO", "desk example", "name of a host"},
		{"MAIL_HELO", "-desk.example.com", "name of a host"},
		{"MAIL_HELO", "[desk]", "address in brackets"},
		{"MAIL_FROM", "a@example.com, b@example.com", "mail address"},
		{"TRADING", "on", "off, dry-run, live"},
		{"TRADING", "live", "TRADING_API_KEY"},
		{"ORDER_CAP", "0", "above zero"},
		{"ORDER_CAP", "-1", "above zero"},
		{"ORDER_CAP", "1,000", "above zero"},
		{"DAILY_CAP", "NaN", "above zero"},
		{"DAILY_CAP", long, "above zero"},
		{"ALLOW_PAIRS", "BTCUSDT_SPBL,,X", "list of pairs"},
		{"ALLOW_PAIRS", "BTC/USDT", "list of pairs"},
		{"MASTER_KEY", "canary-master", "32 bytes in base64"},
		{"MASTER_KEY", base64.StdEncoding.EncodeToString(make([]byte, 31)), "head -c 32"},
	} {
		t.Run(c.name+"="+c.value[:min(len(c.value), 30)], func(t *testing.T) {
			// Later entries of an environment are the stronger ones.
			_, lines := load(t, NeedAll, credentials(settingByName(c.name).variable()+"="+c.value))
			if len(lines) != 1 {
				t.Fatalf("lines %q; want one", lines)
			}
			checkLine(t, lines[0], c.name+" (REBATEDESK_"+c.name+") ", c.says, "; ")
		})
	}
}

// checkLine checks the form of a fault's line: its beginning, its content, its length, and
// that it has no control characters and no secret.
func checkLine(t *testing.T, line, begins string, contains ...string) {
	t.Helper()
	if !strings.HasPrefix(line, begins) {
		t.Errorf("%q does not begin with %q", line, begins)
	}
	for _, part := range contains {
		if !strings.Contains(line, part) {
			t.Errorf("%q does not contain %q", line, part)
		}
	}
	if strings.Contains(line, "canary") {
		t.Errorf("%q repeats a secret", line)
	}
	if body := strings.TrimSuffix(line, "\n"); len(body) > 500 || WithoutControls(body) != body {
		t.Errorf("%q is too long or contains control characters", line)
	}
}

func TestMissingSettingsAreToldTogether(t *testing.T) {
	_, lines := load(t, NeedStore|NeedExchange, nil)
	if len(lines) != 4 {
		t.Fatalf("lines %q", lines)
	}
	for i, want := range [][]string{
		{"BASE_URL", "REBATEDESK_BASE_URL", "--base-url", "base_url in the TOML file"},
		{"API_KEY", "REBATEDESK_API_KEY,", "REBATEDESK_API_KEY_FILE", "--api-key-file"},
		{"API_SECRET", "REBATEDESK_API_SECRET_FILE"},
		{"API_PASSPHRASE", "api_passphrase in the TOML file"},
	} {
		checkLine(t, lines[i], want[0]+" is not set; ", want[1:]...)
	}
}

func TestMailAndTradingComeWhole(t *testing.T) {
	_, lines := load(t, NeedAll, credentials(
		"REBATEDESK_SMTP_URL=smtp://host", "REBATEDESK_TRADING=live",
		"REBATEDESK_TRADING_API_KEY=canary"))
	if len(lines) != 4 {
		t.Fatalf("lines %q", lines)
	}
	checkLine(t, lines[0], "TRADING_API_SECRET is not set; ")
	checkLine(t, lines[1], "TRADING_API_PASSPHRASE is not set; ")
	checkLine(t, lines[2], "MAIL_FROM is not set; ")
	checkLine(t, lines[3], "TRADING (REBATEDESK_TRADING) is live")
}

func TestSecretFiles(t *testing.T) {
	for content, want := range map[string]string{
		"canary": "canary", "canary\n": "canary", "canary\r\n": "canary", "two words": "two words",
	} {
		cfg := loaded(t, NeedExchange, credentials(), "--api-secret-file="+writeFile(t, "secret", content))
		if got := cfg.Accounts[0].Keys.Secret.Reveal(); got != want {
			t.Errorf("file %q gave %q, want %q", content, got, want)
		}
	}
}

func TestSecretFileFaults(t *testing.T) {
	directory := t.TempDir()
	for name, c := range map[string]struct {
		file string
		says []string
	}{
		"absent":     {filepath.Join(directory, "none"), []string{"cannot be read", "no such file"}},
		"directory":  {directory, []string{"cannot be read", "is a directory"}},
		"empty":      {writeFile(t, "empty", "\n"), []string{"empty file"}},
		"huge":       {writeFile(t, "huge", strings.Repeat("canary", 20000)), []string{"cannot be read", "larger than"}},
		"two lines":  {writeFile(t, "lines", "canary\ncanary\n"), []string{"line break"}},
		"blank ends": {writeFile(t, "blank", " canary"), []string{"blank"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, lines := load(t, NeedExchange, credentials(), "--api-key-file="+c.file)
			if len(lines) != 1 {
				t.Fatalf("lines %q", lines)
			}
			checkLine(t, lines[0], "API_KEY (--api-key-file) ", c.says...)
		})
	}
}

// In one place a secret and its file contradict each other; a stronger place
// beats a weaker one whichever form they use.
func TestSecretAndItsFile(t *testing.T) {
	file := writeFile(t, "key", "canary-of-file\n")
	for _, s := range settings {
		if !s.secret {
			continue
		}
		_, lines := load(t, NeedAll, credentials(s.variable()+"=canary", s.variable()+"_FILE="+file))
		if len(lines) == 0 {
			t.Fatalf("%s: lines %q", s.name, lines)
		}
		checkLine(t, lines[0], s.name+" ("+s.variable()+") is set together with "+s.variable()+"_FILE; ")
	}
	cfg := loaded(t, NeedExchange, credentials(), "--api-key-file="+file)
	if got := cfg.Accounts[0].Keys.Key.Reveal(); got != "canary-of-file" {
		t.Errorf("the flag's file gave way to the environment: %q", got)
	}
	conf := writeFile(t, "conf.toml", "api_key_file = '"+file+"'\n")
	cfg = loaded(t, NeedExchange, credentials(), "--config="+conf)
	if got := cfg.Accounts[0].Keys.Key.Reveal(); got != "canary-key" {
		t.Errorf("the environment gave way to the TOML file: %q", got)
	}
}

// Nothing that prints a configuration prints a secret.
func TestConfigHidesSecrets(t *testing.T) {
	cfg := loaded(t, NeedAll, credentials(
		"REBATEDESK_SMTP_URL=smtp://user:canary-smtp@host", "REBATEDESK_MAIL_FROM=a@example.com",
		"REBATEDESK_TRADING_API_KEY=canary", "REBATEDESK_TRADING_API_SECRET=canary", "REBATEDESK_TRADING_API_PASSPHRASE=canary",
		"REBATEDESK_MASTER_KEY="+base64.StdEncoding.EncodeToString([]byte("canary-canary-canary-canary-cana"))))
	if !cfg.Accounts[0].TradingKeys.Given() || len(cfg.MasterKey) != masterKeySize || cfg.Mail.Server.Password.Reveal() != "canary-smtp" {
		t.Fatal("the secrets did not arrive")
	}
	for _, text := range printed(t, cfg) {
		if strings.Contains(text, "canary") {
			t.Errorf("a secret is printed: %s", text)
		}
	}
}

// A secret can be given as a flag or as a flag that names its file; help warns
// of the first.
func TestSecretFlags(t *testing.T) {
	for _, s := range settings {
		if !s.secret {
			continue
		}
		for _, flag := range []string{strings.TrimSuffix(s.flag(), "-file"), s.flag()} {
			if _, lines := load(t, NeedNothing, nil, flag+"=x"); len(lines) > 0 {
				t.Errorf("%s is not accepted: %q", flag, lines)
			}
		}
	}
	cfg := loaded(t, NeedExchange, credentials(), "--api-key=of-the-flag")
	if got := cfg.Accounts[0].Keys.Key.Reveal(); got != "of-the-flag" {
		t.Errorf("the key is %q, want that of the flag", got)
	}
	var help strings.Builder
	_, _ = settingsParser(t, &help).Parse([]string{"load", "--help"}) // it ends the program, or would
	if words := strings.Join(strings.Fields(help.String()), " "); !strings.Contains(words, "--api-key=SECRET Key of the affiliate account. Others on this machine can see a command line") {
		t.Errorf("the help of --api-key does not warn: %s", words)
	}
}
