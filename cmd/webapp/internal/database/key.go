package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// KeySuffix is appended to the path of the database to name the file of the master
// key.
const KeySuffix = ".key"

// AuditLabel derives the key of the audit log.
const AuditLabel = "audit log"

// EnsureKey returns the master key of the settings or of the file next to the database, and
// creates that file if neither exists. From then on the store signs its audit log with the
// key. A database begun with a different key is a fault of the settings: its secrets could
// not be opened. Users, sessions and tokens of an earlier version are signed with the key, once; that
// they cannot be, because the audit log is not sound, is told.
func EnsureKey(ctx context.Context, cfg config.Config, st *store.Store, told io.Writer) (secret.MasterKey, error) {
	key, origin, err := FindKey(cfg)
	if err == nil && !key.Given() {
		key, origin, err = makeKey(ctx, cfg, st, told)
	}
	if err != nil {
		return secret.MasterKey{}, err
	}
	err = st.UseAuditKey(ctx, key.Derive(AuditLabel))
	if errors.Is(err, store.ErrAuditKey) {
		return secret.MasterKey{}, config.SettingFaults{{Setting: "MASTER_KEY", Origin: origin,
			Wrong: fmt.Sprintf("is not the key that the database %s was begun with", cfg.DB),
			Hint:  "give the key of then; a database that was restored from a backup needs the key of the time it was made; after a webapp key change that was broken off, run it again"}}
	}
	if err != nil {
		return key, err
	}
	err = identity.SignOnce(ctx, st, audit.Line{Via: "server"}, func() []audit.Anchor { return Anchors(cfg) })
	if unsigned, ok := errors.AsType[*identity.UnsignedError](err); ok {
		_, err = fmt.Fprintf(told, "webapp: %v; webapp verify tells more\n", unsigned)
	}
	return key, err
}

// FindKey returns the master key of the settings, or else of the file, and where it was
// found. If neither exists, the key is not given.
func FindKey(cfg config.Config) (key secret.MasterKey, origin string, err error) {
	if cfg.MasterKey != "" {
		key, err = secret.KeyOf([]byte(cfg.MasterKey.Reveal()))
		return key, "", err
	}
	path := cfg.DB.Beside(KeySuffix)
	key, err = secret.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return secret.MasterKey{}, "", nil
	case errors.Is(err, secret.ErrNoKey):
		return key, path, config.SettingFaults{{Setting: "MASTER_KEY", Origin: path, Wrong: "is not 32 bytes in base64",
			Hint: "put the file back as it was; without it what is sealed in the database is lost"}}
	case err != nil:
		return key, path, config.SettingFaults{{Setting: "MASTER_KEY", Origin: path, Wrong: "cannot be read: " + files.PlainError(path, err).Error(),
			Hint: "let this user read it"}}
	}
	return key, path, nil
}

// makeKey creates the file of the key. If the database was begun with a key, that
// one is missing, and a new one would be useless.
func makeKey(ctx context.Context, cfg config.Config, st *store.Store, told io.Writer) (key secret.MasterKey, origin string, err error) {
	path := cfg.DB.Beside(KeySuffix)
	begun, err := st.AuditKeyID(ctx)
	switch {
	case err != nil:
		return secret.MasterKey{}, "", err
	case begun != "":
		return secret.MasterKey{}, "", config.SettingFaults{{Setting: "MASTER_KEY",
			Wrong: fmt.Sprintf("is not set and %s is not there, and the database was begun with a key", path),
			Hint:  "put that file back, or set REBATEDESK_MASTER_KEY or REBATEDESK_MASTER_KEY_FILE"}}
	}
	key, err = secret.MakeFile(path)
	if errors.Is(err, fs.ErrExist) {
		return FindKey(cfg) // another process came first
	}
	if err != nil {
		return secret.MasterKey{}, "", fmt.Errorf("making the master key: %w; let this user write there, or set REBATEDESK_MASTER_KEY", err)
	}
	_, err = fmt.Fprintf(told, "webapp: the master key was made: %s; keep a copy of it in a safe place, apart from the backups: without it stored keys cannot be read\n", path)
	return key, path, err
}

// UseKeyAtHand lets the audit log be verified with the available key. A missing or
// different key is reported by the verification itself.
func UseKeyAtHand(ctx context.Context, cfg config.Config, st *store.Store) error {
	key, _, err := FindKey(cfg)
	if err != nil || !key.Given() {
		return err
	}
	err = st.UseAuditKey(ctx, key.Derive(AuditLabel))
	if errors.Is(err, store.ErrAuditKey) {
		return nil
	}
	return err
}
