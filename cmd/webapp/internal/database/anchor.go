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

// These are logged, and printed by commands, if the audit log does not contain the anchor.
var (
	errPutBack = errors.New("the audit log is not what it was: the database was put back to an earlier state, or lines were replaced; webapp verify tells more")
	errBegun   = errors.New("the audit log begins with another line than before, and the file stays as it is: if it belongs to another database that was here, move it away; " +
		"if you have put this database here by hand, webapp verify --restored WHY records that; else somebody has deleted the audit log and begun it anew")
)

// AnchorFile returns the path of the file that says how far the audit log of a database has come.
// Databases of servers have a file each, in the working folder.
func AnchorFile(cfg config.Config) string {
	if !cfg.DB.Remote() {
		return cfg.DB.Beside(anchorSuffix)
	}
	sum := sha256.Sum256([]byte(cfg.DB.String()))
	return cfg.DB.Beside("-" + hex.EncodeToString(sum[:6]) + anchorSuffix)
}

// readAnchor reads the anchor beside the database. One that is not there, or cannot be read, says so.
func readAnchor(path string) audit.Anchor {
	text, err := audit.ReadKept(path)
	if err != nil {
		return audit.Anchor{Place: path, Unread: err}
	}
	a, err := audit.ParseAnchor(string(text))
	if err != nil {
		return audit.Anchor{Place: path, Unread: err}
	}
	a.Place = path
	return a
}

// Anchors returns what is kept outside the database of how far its audit log has come: the file
// beside it, and the checksum files of the daily backups.
func Anchors(cfg config.Config) []audit.Anchor {
	return append([]audit.Anchor{readAnchor(AnchorFile(cfg))}, upkeep.BackupAnchors(cfg.Backups.Dir, BackupBase(cfg))...)
}

// BackupBase is how the names of the daily backups of a database begin.
func BackupBase(cfg config.Config) string {
	return strings.TrimSuffix(filepath.Base(cfg.DB.Beside("")), ".db")
}

// KeepAnchor writes how far the audit log has come into the file beside the database. If the log
// does not contain what the file says, the file stays as evidence, and that is the error. The file is
// written after the lines it speaks of, so that a process that ends in between leaves an earlier
// anchor, which holds as well. first is true if there was no file.
func KeepAnchor(ctx context.Context, cfg config.Config, st *store.Store) (a audit.Anchor, first bool, err error) {
	path := AnchorFile(cfg)
	before := readAnchor(path) // before the state that it is compared with is opened
	first = errors.Is(before.Unread, fs.ErrNotExist)
	if before.Unread != nil && !first {
		return a, false, fmt.Errorf("%w; put back the file that was there, or move it away", before.Unread)
	}
	r, err := st.Read(ctx)
	if err != nil {
		return a, first, err
	}
	defer r.Close()
	a, begun, err := audit.ReadAnchor(ctx, r, st.Now())
	if err != nil || !begun || !first && before.String() == a.String() {
		return a, first, err
	}
	if !first {
		standing, err := before.StandIn(ctx, r, st.AuditKey())
		switch {
		case err != nil:
			return a, first, err
		case standing == audit.Foreign:
			return a, first, errBegun
		case standing == audit.Broken, standing == audit.Holds && a.Lines < before.Lines, standing == audit.Excused && st.AuditKey() == nil:
			return a, first, errPutBack
		}
	}
	return a, first, writeAnchor(path, a)
}

// WarnWithoutAnchor logs that the file beside the database is missing though its audit log has lines.
// It is called before this process writes the first of them.
func WarnWithoutAnchor(ctx context.Context, cfg config.Config, st *store.Store, log *slog.Logger) error {
	if before := readAnchor(AnchorFile(cfg)); !errors.Is(before.Unread, fs.ErrNotExist) {
		return nil
	}
	r, err := st.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	a, _, err := audit.ReadAnchor(ctx, r, st.Now())
	if err == nil && a.Lines > 0 {
		warnFirst(log, cfg, a)
	}
	return err
}

func warnFirst(log *slog.Logger, cfg config.Config, a audit.Anchor) {
	log.Warn("there was no anchor of the audit log beside the database, though the log has lines: it is written anew. Unless the database was moved here, comes from an earlier version or has a new node, somebody removed the file",
		"file", AnchorFile(cfg), "lines", a.Lines)
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
	var kept int64 // lines of the newest anchor
	failed := ""
	keep := func(ctx context.Context) {
		err := guard.Do(log, "keeping the anchor of the audit log", func() error {
			a, first, err := KeepAnchor(ctx, cfg, st)
			if first && kept > 0 {
				warnFirst(log, cfg, a)
			}
			if err == nil {
				kept = a.Lines
			}
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
