package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/listen"
)

// The example settings are valid unchanged, and also with their commented-out lines.
func TestExampleOfSettings(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile(filepath.FromSlash("../../deploy/rebatedesk.toml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"api-key": "key", "api-secret": "secret", "api-passphrase": "phrase",
		"master-key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "smtp-url": "smtp://user:password@mail.example.com",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.ReplaceAll(string(example), "/etc/rebatedesk", dir)
	load := func() config.Config {
		t.Helper()
		file := filepath.Join(dir, "rebatedesk.toml")
		write(t, file, text)
		cfg, err := config.Load(config.Inputs{ConfigFile: file}, config.NeedAll)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	cfg := load()
	if len(cfg.TrustedProxies) != 2 || cfg.TLS.Mode != config.TLSOff || listen.Allowed(cfg) != nil {
		t.Errorf("%+v", cfg)
	}
	for _, optional := range []string{"metrics_listen", "master_key_file", "smtp_url_file", "mail_from"} {
		text = strings.Replace(text, "# "+optional+" =", optional+" =", 1)
	}
	cfg = load()
	if cfg.MetricsListen == "" || cfg.MasterKey == "" || cfg.Mail.From == nil || cfg.Mail.Server.Host == "" {
		t.Errorf("with what was commented out: %+v", cfg)
	}
}
