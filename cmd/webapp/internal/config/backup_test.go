package config

import (
	"strings"
	"testing"
)

func TestBackupSettings(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    Backup
		fault   string
	}{
		{nil, Backup{"rebatedesk.db.backups", 14}, ""},
		{[]string{"REBATEDESK_DB=/var/lib/desk.db"}, Backup{"/var/lib/desk.db.backups", 14}, ""},
		{[]string{"REBATEDESK_BACKUP_DIR=/backups", "REBATEDESK_BACKUP_KEEP=0"}, Backup{"/backups", 0}, ""},
		{[]string{"REBATEDESK_BACKUP_KEEP=-1"}, Backup{}, "BACKUP_KEEP"},
		{[]string{"REBATEDESK_BACKUP_KEEP=14d"}, Backup{}, "BACKUP_KEEP"},
		{[]string{"REBATEDESK_BACKUP_KEEP=1000000"}, Backup{}, "BACKUP_KEEP"},
	} {
		cfg, lines := load(t, NeedSchedule, c.environ)
		if cfg.Backups != c.want || (len(lines) > 0) != (c.fault != "") || !strings.Contains(strings.Join(lines, ""), c.fault) {
			t.Errorf("%v: %+v, %v; want %+v", c.environ, cfg.Backups, lines, c.want)
		}
	}
}
