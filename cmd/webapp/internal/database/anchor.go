package database

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/internal/guard"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/upkeep"
)

const (
	// anchorSuffix is appended to the path of the database to name the file of its anchor.
	anchorSuffix = ".audit"
	// anchorEvery is how often a server looks whether the audit log has grown.
	anchorEvery = 5 * time.Second
	// anchorLogged is how often a server writes the anchor into its log.
	anchorLogged = 24 * time.Hour
)

// errPutBack is logged, and printed by commands, if the audit log does not contain the anchor.
var errPutBack = errors.New("the audit log is not what it was: the database was put back to an earlier state, or lines were replaced; webapp verify tells more")

// AnchorFile returns the path of the file that says how far the audit log of a database has come.
// Databases of servers have a file each, in the working folder.
func AnchorFile(cfg config.Config) string {
	if !cfg.DB.Remote() {
		return cfg.DB.Beside(anchorSuffix)
	}
	sum := sha256.Sum256([]byte(cfg.DB.String()))
	return cfg.DB.Beside("-" + hex.EncodeToString(sum[:6]) + anchorSuffix)
}

// readAnchor reads the anchor beside the database. found is false if there is none yet.
func readAnchor(path string) (a audit.Anchor, found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return a, false, nil
	}
	if err != nil {
		return a, false, err
	}
	if a, err = audit.ParseAnchor(string(text)); err != nil {
		return a, false, fmt.Errorf("%s: %w; put back the file that was there, or move it away", path, err)
	}
	a.Place = path
	return a, true, nil
}

// Anchors returns what is kept outside the database of how far its audit log has come: the file
// beside it, and the checksum files of the daily backups.
func Anchors(cfg config.Config) ([]audit.Anchor, error) {
	beside, found, err := readAnchor(AnchorFile(cfg))
	list, failed := upkeep.BackupAnchors(cfg.Backups.Dir, BackupBase(cfg))
	if found {
		list = append([]audit.Anchor{beside}, list...)
	}
	return list, errors.Join(err, failed)
}

// BackupBase is how the names of the daily backups of a database begin.
func BackupBase(cfg config.Config) string {
	return strings.TrimSuffix(filepath.Base(cfg.DB.Beside("")), ".db")
}

// KeepAnchor writes how far the audit log has come into the file beside the database. If the log
// does not contain what the file says, the file stays as evidence, and that is the error. The file is
// written after the lines it speaks of, so that a process that ends in between leaves an earlier
// anchor, which holds as well.
func KeepAnchor(ctx context.Context, cfg config.Config, st *store.Store) (a audit.Anchor, err error) {
	path := AnchorFile(cfg)
	before, found, err := readAnchor(path)
	if err != nil {
		return a, err
	}
	r, err := st.Read(ctx)
	if err != nil {
		return a, err
	}
	defer r.Close()
	a, begun, err := audit.ReadAnchor(ctx, r, st.Now())
	if err != nil || !begun || found && before.String() == a.String() {
		return a, err
	}
	if found {
		if standing, err := before.StandIn(ctx, r); err != nil || standing == audit.Broken {
			return a, errors.Join(err, errPutBack)
		}
	}
	return a, writeAnchor(path, a)
}

// writeAnchor replaces the file in one step.
func writeAnchor(path string, a audit.Anchor) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.WriteString(a.Line() + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// ServeAnchor keeps the anchor until ctx ends and once more then, and writes it into the log at the
// beginning and once a day, since a log often goes to another machine.
func ServeAnchor(ctx context.Context, cfg config.Config, st *store.Store, log *slog.Logger) {
	var logged time.Time
	failed := ""
	keep := func(ctx context.Context) {
		err := guard.Do(log, "keeping the anchor of the audit log", func() error {
			a, err := KeepAnchor(ctx, cfg, st)
			if err == nil && a.Lines > 0 && time.Since(logged) >= anchorLogged {
				logged = time.Now()
				log.Info("audit log", "anchor", a.String())
			}
			return err
		})
		if err != nil && ctx.Err() == nil && err.Error() != failed {
			log.Error("the anchor of the audit log could not be kept", "file", AnchorFile(cfg), "error", err)
			failed = err.Error()
		}
		if err == nil {
			failed = ""
		}
	}
	ticker := time.NewTicker(anchorEvery)
	defer ticker.Stop()
	for {
		keep(ctx)
		select {
		case <-ctx.Done():
			keep(context.WithoutCancel(ctx))
			return
		case <-ticker.C:
		}
	}
}
