package config

import "strconv"

// BackupSettings is the configuration of the daily backups.
type BackupSettings struct {
	Dir  string // folder of the backups
	Keep int    // number of backups kept; 0 = no backups
}

// maxBackups is far above any real need and catches typing errors.
const maxBackups = 10_000

func parseBackupKeep(text string) (int, *ValueProblem) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxBackups {
		return 0, &ValueProblem{"is not a number of backups", "give one such as 14, or 0 for no backups"}
	}
	return n, nil
}
