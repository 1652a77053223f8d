package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/store"
	"rebatedesk/store/upkeep"
)

// inspectWithin limits the integrity check of the database.
const inspectWithin = 5 * time.Minute

// database checks the integrity of the database without changing it.
func (d *Doctor) database(ctx context.Context) []Result {
	const check = "database"
	cfg, ok := d.parts.config(config.NeedStore)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	if _, err := os.Stat(cfg.DB); errors.Is(err, fs.ErrNotExist) {
		return []Result{absent(check, cfg.DB)}
	}
	ctx, cancel := context.WithTimeout(ctx, inspectWithin)
	defer cancel()
	found, err := upkeep.Inspect(ctx, cfg.DB)
	newer := &store.ErrNewer{Database: found.Schema, Program: found.Known}
	switch {
	case err != nil:
		return []Result{failed(check, cfg.DB+" cannot be read: "+err.Error(), "check that the file is a database of this program and that this user may read and write it and its folder")}
	case found.Schema > found.Known:
		return []Result{failed(check, newer.Error(), "")}
	case len(found.Faults) > 0:
		return []Result{failed(check, cfg.DB+" is damaged: "+strings.Join(found.Faults, ", "), "restore a backup; webapp verify tells more")}
	case found.Schema < found.Known:
		return []Result{passed(check, "%s is sound; the next start brings its schema from version %d to %d", cfg.DB, found.Schema, found.Known)}
	case found.Zone != cfg.Timezone.String():
		return []Result{passed(check, "%s is sound, schema version %d; its figures are by days of %s, and the next collection makes them anew", cfg.DB, found.Schema, found.Zone)}
	}
	d.current = true
	return []Result{passed(check, "%s is sound, schema version %d", cfg.DB, found.Schema)}
}

// absent reports a database that does not exist yet; its folder has to.
func absent(check, db string) Result {
	if info, err := os.Stat(filepath.Dir(db)); err != nil || !info.IsDir() {
		return failed(check, "the folder "+filepath.Dir(db)+" does not exist", "make it, or set REBATEDESK_DB to another place")
	}
	return skipped(check, db+" does not exist yet; the first collection makes it")
}

// permissions checks that no other user of the machine can reach the data.
func (d *Doctor) permissions(context.Context) []Result {
	const check = "permissions"
	cfg, ok := d.parts.config(config.NeedStore)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	if err := files.CheckFolder(filepath.Dir(cfg.DB)); err != nil {
		return []Result{failed(check, err.Error(), "")}
	}
	seen := 0
	for _, path := range []string{cfg.DB, cfg.DB + "-wal", cfg.DB + "-shm", cfg.DB + database.KeySuffix, cfg.DB + ".certs", cfg.DB + ".backups"} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return []Result{failed(check, files.PlainError(path, err).Error(), "run doctor as the user that the server runs as")}
		}
		if info.Mode().Perm()&files.ByOthers != 0 {
			return []Result{failed(check, fmt.Sprintf("everybody on this machine can reach %s (%#o)", path, info.Mode().Perm()), "chmod o= "+path)}
		}
		seen++
	}
	if seen == 0 {
		return []Result{skipped(check, "there are no data yet")}
	}
	return []Result{passed(check, "nobody else on this machine can reach the data")}
}

// masterKey checks that the master key exists and is well-formed. Whether it is the
// right one shows when a secret is opened.
func (d *Doctor) masterKey(context.Context) []Result {
	const check = "master key"
	cfg, ok := d.parts.config(config.NeedMasterKey | config.NeedStore)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	if cfg.MasterKey != "" {
		return []Result{passed(check, "is set")}
	}
	key, path, err := database.FindKey(cfg)
	switch faults, _ := errors.AsType[config.SettingFaults](err); {
	case len(faults) > 0:
		return []Result{failed(check, path+" "+faults[0].Wrong, faults[0].Hint)}
	case err != nil:
		return []Result{failed(check, err.Error(), "")}
	case !key.Given():
		return []Result{skipped(check, cfg.DB+database.KeySuffix+" does not exist yet; it is made when it is first needed")}
	}
	return []Result{passed(check, "%s; keep a copy of it apart from the backups", path)}
}

// leastFree is the space to keep free, in addition to twice the size of the database: a
// backup, its drill and a migration each need a temporary copy.
const leastFree = files.TightBelow

// disk checks the free disk space.
func (d *Doctor) disk(context.Context) []Result {
	const check = "disk space"
	cfg, ok := d.parts.config(config.NeedStore)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	folder := filepath.Dir(cfg.DB)
	free, known, err := files.FreeSpace(folder)
	switch {
	case err != nil:
		return []Result{failed(check, folder+": "+err.Error(), "set REBATEDESK_DB to a place that exists")}
	case !known:
		return []Result{skipped(check, "is not known on this system")}
	}
	var size int64
	if info, err := os.Stat(cfg.DB); err == nil {
		size = info.Size()
	}
	if free < leastFree+2*size {
		return []Result{failed(check, fmt.Sprintf("%d MiB are left in %s, and the database has %d", free>>20, folder, size>>20),
			fmt.Sprintf("free some: backups and migrations want %d MiB", (leastFree+2*size)>>20))}
	}
	return []Result{passed(check, "%d MiB are left, the database has %d", free>>20, size>>20)}
}
