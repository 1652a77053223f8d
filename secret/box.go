package secret

import (
	"bytes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"golang.org/x/crypto/chacha20poly1305"
)

var (
	// ErrOtherKey is returned for a secret that was sealed with another master key.
	ErrOtherKey = errors.New("was sealed with another master key")
	// ErrDamaged is returned for a secret that was changed since it was sealed, or belongs
	// to another row.
	ErrDamaged = errors.New("was changed since it was sealed, or was moved from another row")
)

// Box seals secrets for the database and opens them again. It is safe for
// concurrent use.
type Box struct {
	aead    func() cipher.AEAD // a function, as in [MasterKey]
	derived func() []byte      // key of [Box.Derive]
	id      []byte             // of the master key
}

// Box returns the box of this key.
func (k MasterKey) Box() *Box {
	aead, err := chacha20poly1305.NewX(k.Derive("sealing"))
	if err != nil {
		panic("seal: a derived key does not fit the cipher: " + err.Error())
	}
	derived := k.Derive("secrets of rows")
	return &Box{aead: func() cipher.AEAD { return aead }, derived: func() []byte { return derived }, id: k.id()}
}

// Row identifies the place for which a secret is sealed: table, column, the row's key, and
// every other part of the row that must not change while the secret stays.
func Row(parts ...string) string {
	var name []byte
	for _, part := range parts {
		name = binary.BigEndian.AppendUint64(name, uint64(len(part)))
		name = append(name, part...)
	}
	return string(name)
}

// format is the first byte of a sealed secret. It is followed by the key's ID, the nonce
// and the ciphertext.
const format = 1

// Seal encrypts a secret for one row, see [Row]. The same secret looks different each time.
func (b *Box) Seal(plain []byte, row string) []byte {
	sealed := append([]byte{format}, b.id...)
	nonce := make([]byte, b.aead().NonceSize())
	rand.Read(nonce) // never fails: it ends the process instead
	head := len(sealed)
	sealed = append(sealed, nonce...)
	return b.aead().Seal(sealed, nonce, plain, bound(sealed[:head], row))
}

// Open decrypts a secret that was sealed for the row. It returns [ErrOtherKey] or
// [ErrDamaged] on failure.
func (b *Box) Open(sealed []byte, row string) ([]byte, error) {
	head := 1 + len(b.id)
	body := head + b.aead().NonceSize()
	if len(sealed) < body || sealed[0] != format {
		return nil, ErrDamaged
	}
	if !bytes.Equal(sealed[1:head], b.id) {
		return nil, ErrOtherKey
	}
	plain, err := b.aead().Open(nil, sealed[head:body], sealed[body:], bound(sealed[:head], row))
	if err != nil {
		return nil, ErrDamaged
	}
	return plain, nil
}

// Derive returns the secret of one row, 32 bytes, see [Row]. It is always the same and need
// not be stored; without the master key it cannot be guessed.
func (b *Box) Derive(row string) []byte {
	mac := hmac.New(sha256.New, b.derived())
	mac.Write([]byte(row)) // never fails
	return mac.Sum(nil)
}

// bound returns the data that is authenticated together with the secret. The head has a
// fixed length, so no part of the row can pass for it.
func bound(head []byte, row string) []byte {
	return append(bytes.Clone(head), row...)
}
