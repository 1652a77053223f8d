package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rebatedesk/store"
)

// inspectWithin is how long the engine may take to look through the database.
const inspectWithin = 5 * time.Minute

// database opens the database without changing it and lets the engine look for
// damage.
func (d *doctor) database(ctx context.Context) []finding {
	const check = "database"
	cfg, ok := d.parts.config(NeedStore)
	if !ok {
		return []finding{skipped(check, notUsable)}
	}
	if _, err := os.Stat(cfg.DB); errors.Is(err, fs.ErrNotExist) {
		return []finding{absent(check, cfg.DB)}
	}
	ctx, cancel := context.WithTimeout(ctx, inspectWithin)
	defer cancel()
	found, err := store.Inspect(ctx, cfg.DB)
	newer := &store.ErrNewer{Database: found.Schema, Program: found.Known}
	switch {
	case err != nil:
		return []finding{failed(check, cfg.DB+" cannot be read: "+err.Error(), "check that the file is a database of this program and that this user may read and write it and its folder")}
	case found.Schema > found.Known:
		return []finding{failed(check, newer.Error(), "")}
	case len(found.Faults) > 0:
		return []finding{failed(check, cfg.DB+" is damaged: "+strings.Join(found.Faults, ", "), "restore a backup; webapp verify tells more")}
	case found.Schema < found.Known:
		return []finding{passed(check, "%s is sound; the next start brings its schema from version %d to %d", cfg.DB, found.Schema, found.Known)}
	case found.Zone != cfg.Timezone.String():
		return []finding{passed(check, "%s is sound, schema version %d; its figures are by days of %s, and the next collection makes them anew", cfg.DB, found.Schema, found.Zone)}
	}
	d.current = true
	return []finding{passed(check, "%s is sound, schema version %d", cfg.DB, found.Schema)}
}

// absent is a database that was not made yet, which needs a folder.
func absent(check, db string) finding {
	if info, err := os.Stat(filepath.Dir(db)); err != nil || !info.IsDir() {
		return failed(check, "the folder "+filepath.Dir(db)+" does not exist", "make it, or set REBATEDESK_DB to another place")
	}
	return skipped(check, db+" does not exist yet; the first collection makes it")
}

// permissions checks that nobody else on the machine gets at the data.
func (d *doctor) permissions(context.Context) []finding {
	const check = "permissions"
	cfg, ok := d.parts.config(NeedStore)
	if !ok {
		return []finding{skipped(check, notUsable)}
	}
	if err := ownFolder(filepath.Dir(cfg.DB)); err != nil {
		return []finding{failed(check, err.Error(), "")}
	}
	seen := 0
	for _, path := range []string{cfg.DB, cfg.DB + "-wal", cfg.DB + "-shm", cfg.DB + keySuffix, cfg.DB + ".certs", cfg.DB + ".backups"} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return []finding{failed(check, plainFileError(path, err).Error(), "run doctor as the user that the server runs as")}
		}
		if info.Mode().Perm()&byOthers != 0 {
			return []finding{failed(check, fmt.Sprintf("everybody on this machine can reach %s (%#o)", path, info.Mode().Perm()), "chmod o= "+path)}
		}
		seen++
	}
	if seen == 0 {
		return []finding{skipped(check, "there are no data yet")}
	}
	return []finding{passed(check, "nobody else on this machine can reach the data")}
}

// masterKey checks that the key which protects stored secrets is there and is
// one. Whether it is the right one shows when a secret is opened.
func (d *doctor) masterKey(context.Context) []finding {
	const check = "master key"
	cfg, ok := d.parts.config(NeedMasterKey | NeedStore)
	if !ok {
		return []finding{skipped(check, notUsable)}
	}
	if cfg.MasterKey != "" {
		return []finding{passed(check, "is set")}
	}
	key, path, err := findMasterKey(cfg)
	switch faults, _ := errors.AsType[Faults](err); {
	case len(faults) > 0:
		return []finding{failed(check, path+" "+faults[0].Wrong, faults[0].Mend)}
	case err != nil:
		return []finding{failed(check, err.Error(), "")}
	case !key.Given():
		return []finding{skipped(check, cfg.DB+keySuffix+" does not exist yet; it is made when it is first needed")}
	}
	return []finding{passed(check, "%s; keep a copy of it apart from the backups", path)}
}

// leastFree is how much room there should be beside the size of the database: a
// backup, its drill and a migration need a copy of it each for a while.
const leastFree = tightBelow

// disk checks that there is room to go on.
func (d *doctor) disk(context.Context) []finding {
	const check = "disk space"
	cfg, ok := d.parts.config(NeedStore)
	if !ok {
		return []finding{skipped(check, notUsable)}
	}
	folder := filepath.Dir(cfg.DB)
	free, known, err := freeSpace(folder)
	switch {
	case err != nil:
		return []finding{failed(check, folder+": "+err.Error(), "set REBATEDESK_DB to a place that exists")}
	case !known:
		return []finding{skipped(check, "is not known on this system")}
	}
	var size int64
	if info, err := os.Stat(cfg.DB); err == nil {
		size = info.Size()
	}
	if free < leastFree+2*size {
		return []finding{failed(check, fmt.Sprintf("%d MiB are left in %s, and the database has %d", free>>20, folder, size>>20),
			fmt.Sprintf("free some: backups and migrations want %d MiB", (leastFree+2*size)>>20))}
	}
	return []finding{passed(check, "%d MiB are left, the database has %d", free>>20, size>>20)}
}
