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
	ctx, cancel := context.WithTimeout(ctx, inspectWithin)
	defer cancel()
	isNew, err := database.IsNew(ctx, cfg)
	if err != nil {
		return []Result{d.unusable(check, err)}
	}
	if isNew {
		return []Result{absent(check, cfg.DB)}
	}
	found, err := upkeep.Inspect(ctx, cfg.DB.Reveal())
	d.opens, d.size = err == nil, found.Size
	newer := &store.ErrNewer{Database: found.Schema, Program: found.Known}
	switch {
	case err != nil && cfg.DB.Remote():
		return []Result{failed(check, cfg.DB.String()+" cannot be read: "+err.Error(), unreachable(err))}
	case err != nil:
		return []Result{failed(check, cfg.DB.String()+" cannot be read: "+err.Error(), "check that the file is a database of this program and that this user may read and write it and its folder")}
	case found.Schema > found.Known:
		return []Result{failed(check, newer.Error(), "")}
	case len(found.Faults) > 0:
		return []Result{failed(check, cfg.DB.String()+" is damaged: "+strings.Join(found.Faults, ", "), "restore a backup; webapp verify tells more")}
	case found.Schema < found.Known:
		return []Result{passed(check, "%s is sound; the next start brings its schema from version %d to %d", cfg.DB, found.Schema, found.Known)}
	case found.Zone != cfg.Timezone.String():
		return []Result{passed(check, "%s is sound, schema version %d; its figures are by days of %s, and the next collection makes them anew", cfg.DB, found.Schema, found.Zone)}
	}
	d.current = true
	return []Result{passed(check, "%s is sound, schema version %d", cfg.DB, found.Schema)}
}

// absent reports a database that does not exist yet; its folder has to.
func absent(check string, db config.Database) Result {
	folder := filepath.Dir(db.Beside(""))
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return failed(check, "the folder "+folder+" does not exist", "make it, or set REBATEDESK_DB to another place")
	}
	if db.Remote() {
		return skipped(check, db.String()+" has no tables yet; the first collection makes them")
	}
	return skipped(check, db.String()+" does not exist yet; the first collection makes it")
}

// unusable reports a database that cannot be opened. If other settings would mend that, they
// are faulty.
func (d *Doctor) unusable(check string, err error) Result {
	if faults, ok := errors.AsType[config.SettingFaults](err); ok && len(faults) > 0 {
		d.refused = true
		return failed(check, faults[0].Setting+" "+faults[0].Wrong, faults[0].Hint)
	}
	return failed(check, err.Error(), unreachable(err))
}

// permissions checks that no other user of the machine can reach the data.
func (d *Doctor) permissions(context.Context) []Result {
	const check = "permissions"
	cfg, ok := d.parts.config(config.NeedStore)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	if err := files.CheckFolder(filepath.Dir(cfg.DB.Beside(""))); err != nil {
		return []Result{failed(check, err.Error(), "")}
	}
	seen := 0
	endings := []string{database.KeySuffix, ".certs", ".backups"}
	if !cfg.DB.Remote() {
		endings = append(endings, "", "-wal", "-shm")
	}
	for _, ending := range endings {
		path := cfg.DB.Beside(ending)
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
		return []Result{skipped(check, cfg.DB.Beside(database.KeySuffix)+" does not exist yet; it is made when it is first needed")}
	}
	return []Result{passed(check, "%s; keep a copy of it apart from the backups", path)}
}

// leastFree is the space to keep free, in addition to twice the size of a database in a file: a
// backup, its drill and a migration each need a temporary copy. A backup of a server takes
// about half the size of the database, so it needs that size once.
const leastFree = files.TightBelow

// disk checks the free disk space.
func (d *Doctor) disk(context.Context) []Result {
	const check = "disk space"
	cfg, ok := d.parts.config(config.NeedStore)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	folder := filepath.Dir(cfg.DB.Beside(""))
	free, known, err := files.FreeSpace(folder)
	switch {
	case err != nil:
		return []Result{failed(check, folder+": "+err.Error(), "set REBATEDESK_DB to a place that exists, or with a server start in a folder that exists")}
	case !known:
		return []Result{skipped(check, "is not known on this system")}
	}
	needed, use, more := leastFree+2*d.size, "backups and migrations want", ""
	if cfg.DB.Remote() {
		needed, use, more = leastFree+d.size, "backups want", "; the disk of the server is not checked"
	}
	if free < needed {
		return []Result{failed(check, fmt.Sprintf("%d MiB are left in %s, and the database has %d%s", free>>20, folder, d.size>>20, more),
			fmt.Sprintf("free some: %s %d MiB", use, needed>>20))}
	}
	return []Result{passed(check, "%d MiB are left, the database has %d%s", free>>20, d.size>>20, more)}
}
