// Package keyring keeps the key with which an installation signs its evidence packs: sealed
// with the master key, in the database, so that backups and copies carry it along.
package keyring

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"rebatedesk/evidence"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// Signer gives the signing key of an installation.
type Signer struct {
	store *store.Store
	box   *secret.Box
}

// New returns the signer of a database whose secrets the box seals.
func New(s *store.Store, box *secret.Box) *Signer { return &Signer{s, box} }

// Key returns the signing key. At first use it is made, with a line of the audit log.
func (s *Signer) Key(ctx context.Context, by audit.Line) (evidence.SigningKey, error) {
	stored, found, err := s.stored(ctx)
	if err == nil && !found {
		stored, err = s.first(ctx, by)
	}
	if err != nil {
		return evidence.SigningKey{}, err
	}
	public := evidence.PublicKey(stored.Public)
	seed, err := s.box.Open(stored.Sealed, RowOf(public))
	if err != nil {
		return evidence.SigningKey{}, fmt.Errorf("the signing key of evidence packs %w; use the master key of then, or restore a sound backup", err)
	}
	key, err := evidence.SigningKeyOf(seed)
	if err == nil && key.Public() != public {
		err = errors.New("the signing key of evidence packs is not that of its public key: restore a sound backup")
	}
	return key, err
}

// Public returns the public key. known is false as long as no key was made.
func (s *Signer) Public(ctx context.Context) (key evidence.PublicKey, known bool, err error) {
	stored, found, err := s.stored(ctx)
	return evidence.PublicKey(stored.Public), found, err
}

func (s *Signer) stored(ctx context.Context) (key identity.SealedKey, found bool, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return key, false, err
	}
	defer r.Close()
	return identity.NewestSigningKey(ctx, r)
}

// first makes a key and stores it, unless another process has made one meanwhile.
func (s *Signer) first(ctx context.Context, by audit.Line) (identity.SealedKey, error) {
	seed := evidence.NewSeed()
	key, err := evidence.SigningKeyOf(seed)
	if err != nil {
		return identity.SealedKey{}, err
	}
	public := key.Public()
	by.Action, by.Object = "signing key made", string(public.Fingerprint())
	return identity.AddSigningKey(ctx, s.store, identity.SealedKey{Public: []byte(public), Sealed: s.box.Seal(seed, RowOf(public))}, by)
}

// RowOf is the row that a secret is sealed for: it opens next to its own public key only.
func RowOf(public evidence.PublicKey) string {
	return secret.Row("signing_keys", "sealed", hex.EncodeToString([]byte(public)))
}
