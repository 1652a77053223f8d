package main

import (
	"strings"
	"testing"
)

func TestBackupSettings(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    BackupConfig
		fault   string
	}{
		{nil, BackupConfig{"rebatedesk.db.backups", 14}, ""},
		{[]string{"REBATEDESK_DB=/var/lib/desk.db"}, BackupConfig{"/var/lib/desk.db.backups", 14}, ""},
		{[]string{"REBATEDESK_BACKUP_DIR=/backups", "REBATEDESK_BACKUP_KEEP=0"}, BackupConfig{"/backups", 0}, ""},
		{[]string{"REBATEDESK_BACKUP_KEEP=-1"}, BackupConfig{}, "BACKUP_KEEP"},
		{[]string{"REBATEDESK_BACKUP_KEEP=14d"}, BackupConfig{}, "BACKUP_KEEP"},
		{[]string{"REBATEDESK_BACKUP_KEEP=1000000"}, BackupConfig{}, "BACKUP_KEEP"},
	} {
		cfg, lines := load(t, NeedSchedule, c.environ)
		if cfg.Backups != c.want || (len(lines) > 0) != (c.fault != "") || !strings.Contains(strings.Join(lines, ""), c.fault) {
			t.Errorf("%v: %+v, %v; want %+v", c.environ, cfg.Backups, lines, c.want)
		}
	}
}
