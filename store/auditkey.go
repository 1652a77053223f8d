package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

var (
	// ErrNoAuditKey is returned by writes that are audited where the store has
	// no key for it, see [Options].AuditKey and [Store.UseAuditKey].
	ErrNoAuditKey = errors.New("the audit log cannot be written without the master key")
	// ErrAuditKey is returned for a key that the audit log was not begun with.
	ErrAuditKey = errors.New("the audit log of this database was begun with another master key")
)

// UseAuditKey sets the key of the audit log, 32 bytes, before the store is
// used. The error is [ErrAuditKey] where the log was begun with another one.
func (s *Store) UseAuditKey(ctx context.Context, key []byte) error {
	begun, err := s.AuditKeyID(ctx)
	switch {
	case err != nil:
		return err
	case len(key) < sha256.Size:
		return ErrNoAuditKey
	case begun != "" && begun != AuditKeyID(key):
		return ErrAuditKey
	}
	s.auditKey = key
	return nil
}

// AuditKeyID names the key that the audit log was begun with; empty where it
// was not begun.
func (s *Store) AuditKeyID(ctx context.Context) (id string, err error) {
	err = s.write.QueryRowContext(ctx, `SELECT key_id FROM audit_head`).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// AuditKeyID names a key without giving it away.
func AuditKeyID(key []byte) string {
	return hex.EncodeToString(AuditCode(key, []byte("key id"))[:8])
}

// AuditKey is the key of the audit log; nil: nothing that is audited can be written.
func (s *Store) AuditKey() []byte { return s.auditKey }

// AuditCode is a code over all parts. Each stands behind its length, so that no
// two lists of parts look the same.
func AuditCode(key []byte, parts ...[]byte) []byte {
	code := hmac.New(sha256.New, key)
	for _, part := range parts {
		code.Write(EncodeNumber(int64(len(part)))) // never fails, as no hash does
		code.Write(part)
	}
	return code.Sum(nil)
}

func EncodeNumber(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
