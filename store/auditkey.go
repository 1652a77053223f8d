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
	// ErrNoAuditKey is returned by audited writes if the store has no audit key, see
	// [Options].AuditKey and [Store.UseAuditKey].
	ErrNoAuditKey = errors.New("the audit log cannot be written without the master key")
	// ErrAuditKey is returned for a key other than the one with which the audit log was
	// begun.
	ErrAuditKey = errors.New("the audit log of this database was begun with another master key")
)

// UseAuditKey sets the key of the audit log, 32 bytes. It must be called before the store
// is used. It returns [ErrAuditKey] if the log was begun with another key.
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

// AuditKeyID returns the ID of the key with which the audit log was begun, or an empty
// string if the log was not begun.
func (s *Store) AuditKeyID(ctx context.Context) (id string, err error) {
	err = s.write.QueryRowContext(ctx, `SELECT key_id FROM audit_head`).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// AuditKeyID returns an ID for a key that does not reveal the key.
func AuditKeyID(key []byte) string {
	return hex.EncodeToString(AuditCode(key, []byte("key id"))[:8])
}

// AuditKey returns the key of the audit log. If it is nil, audited writes are refused.
func (s *Store) AuditKey() []byte { return s.auditKey }

// AuditCode returns a code over all parts. Each part is preceded by its length, so that two
// different lists of parts never look the same.
func AuditCode(key []byte, parts ...[]byte) []byte {
	code := hmac.New(sha256.New, key)
	for _, part := range parts {
		code.Write(EncodeNumber(int64(len(part)))) // never fails: no hash does
		code.Write(part)
	}
	return code.Sum(nil)
}

func EncodeNumber(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
