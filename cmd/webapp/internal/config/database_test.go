package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

const databaseURL = "postgres://desk:canary-word@db1.example.com:5432,db2.example.com:5433/rebatedesk?target_session_attrs=read-write"

func TestDatabaseURL(t *testing.T) {
	file := writeFile(t, "url", databaseURL+"\n")
	for name, environ := range map[string][]string{
		"variable": {"REBATEDESK_DB=" + databaseURL},
		"file":     {"REBATEDESK_DB_FILE=" + file},
		"toml":     {"REBATEDESK_CONFIG=" + writeFile(t, "x.toml", `db_file = "`+file+`"`)},
	} {
		cfg := loaded(t, NeedStore|NeedSchedule|NeedTrading, environ)
		if cfg.DB.Reveal() != databaseURL || !cfg.DB.Remote() {
			t.Errorf("%s: %s", name, cfg.DB)
		}
		if cfg.DB.String() != "postgres://desk@db1.example.com:5432,db2.example.com:5433/rebatedesk" {
			t.Errorf("%s: prints as %s", name, cfg.DB)
		}
		if cfg.DB.Beside(".key") != "rebatedesk.key" || cfg.Backups.Dir != "rebatedesk.backups" || cfg.Trading.KillFile != "rebatedesk.kill" {
			t.Errorf("%s: its files are %s, %s and %s", name, cfg.DB.Beside(".key"), cfg.Backups.Dir, cfg.Trading.KillFile)
		}
		if cfg := loaded(t, NeedStore, environ, "--db-file="+writeFile(t, "other", "desk.db")); cfg.DB != "desk.db" {
			t.Errorf("%s: the flag gives %s", name, cfg.DB)
		}
	}
	_, lines := load(t, NeedStore, []string{"REBATEDESK_DB=x.db", "REBATEDESK_DB_FILE=" + file})
	if len(lines) != 1 || !strings.Contains(lines[0], "together with REBATEDESK_DB_FILE") {
		t.Errorf("both: %q", lines)
	}
}

// Neither a configuration, however it is printed, nor a fault shows the password of the
// database.
func TestDatabaseKeepsItsPassword(t *testing.T) {
	cfg := loaded(t, NeedStore, []string{"REBATEDESK_DB=" + databaseURL})
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		fmt.Fprintf(&out, verb+"\n", cfg.DB)
		fmt.Fprintf(&out, verb+"\n", struct{ DB Database }{cfg.DB})
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("opened", "db", cfg.DB, "all", struct{ DB Database }{cfg.DB})
	slog.New(slog.NewJSONHandler(&out, nil)).Info("opened", "db", cfg.DB, "all", struct{ DB Database }{cfg.DB})
	if err := json.NewEncoder(&out).Encode(struct{ DB Database }{cfg.DB}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "canary") || strings.Contains(text, fmt.Sprintf("%x", "canary")) || !strings.Contains(text, "desk@db1") {
		t.Error(text)
	}
	for _, wrong := range []string{
		"postgres://desk:canary-word@host:port/x", "postgres://desk:canary-word%zz@host/x", "postgres://desk:canary-word@host",
		"postgres://host/x?sslmode=maybe&password=canary-word", "postgresql://host:1:2/x?password=canary-word", "mysql://desk:canary-word@host/x",
		"postgre://host/x?password=canary-word", "postgres:desk:canary-word@host", "postgres://host/x?password=canary-word&connect_timeout=x",
	} {
		file := writeFile(t, "url", wrong)
		for _, environ := range [][]string{{"REBATEDESK_DB=" + wrong}, {"REBATEDESK_DB_FILE=" + file}, {"REBATEDESK_CONFIG=" + writeFile(t, "x.toml", `db = "`+wrong+`"`)}} {
			_, lines := load(t, NeedStore, environ)
			if text := strings.Join(lines, ""); len(lines) != 1 || !strings.Contains(text, "DB (") || strings.Contains(text, "canary") {
				t.Errorf("%s: %q", wrong, lines)
			}
		}
	}
}
