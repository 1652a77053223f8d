package config

import (
	"strings"
	"testing"
)

func TestBackupSettings(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    BackupSettings
		fault   string
	}{
		{nil, BackupSettings{"rebatedesk.db.backups", 14}, ""},
		{[]string{"REBATEDESK_DB=/var/lib/desk.db"}, BackupSettings{"/var/lib/desk.db.backups", 14}, ""},
		{[]string{"REBATEDESK_BACKUP_DIR=/backups", "REBATEDESK_BACKUP_KEEP=0"}, BackupSettings{"/backups", 0}, ""},
		{[]string{"REBATEDESK_BACKUP_KEEP=-1"}, BackupSettings{}, "BACKUP_KEEP"},
		{[]string{"REBATEDESK_BACKUP_KEEP=14d"}, BackupSettings{}, "BACKUP_KEEP"},
		{[]string{"REBATEDESK_BACKUP_KEEP=1000000"}, BackupSettings{}, "BACKUP_KEEP"},
	} {
		cfg, lines := load(t, NeedSchedule, c.environ)
		if cfg.Backups != c.want || (len(lines) > 0) != (c.fault != "") || !strings.Contains(strings.Join(lines, ""), c.fault) {
			t.Errorf("%v: %+v, %v; want %+v", c.environ, cfg.Backups, lines, c.want)
		}
	}
}
