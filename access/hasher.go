package access

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// cost is the cost of one password computation.
type cost struct {
	memory  uint32 // KiB
	rounds  uint32
	threads uint8
}

// fullCost is the cost of every password made by the program.
var fullCost = cost{memory: 64 * 1024, rounds: 3, threads: 1}

// cheap is the cost of passwords in tests that do not test it.
var cheap = cost{memory: 8, rounds: 1, threads: 1}

const (
	saltSize     = 16
	passwordSize = 32 // of the hash, in bytes
	computations = 2  // at once
	queueSize    = 16 // waiting for a computation
)

// hasher computes password hashes, only a few at once: each takes much memory, and
// unauthenticated clients can request one.
type hasher struct {
	cost
	places   chan struct{} // running and waiting, for any client
	reserved chan struct{} // the same for known browsers, so that a flood of strangers cannot take it
	running  chan struct{}
	computed atomic.Int64
	unknown  string // hash of no password, computed for a user who does not exist
}

func newHasher(c cost) *hasher {
	h := &hasher{
		cost:     c,
		places:   make(chan struct{}, computations+queueSize),
		reserved: make(chan struct{}, computations+queueSize),
		running:  make(chan struct{}, computations),
	}
	h.unknown = c.text(random(saltSize), random(passwordSize))
	return h
}

// enter takes a place in the queue, which the caller releases with leave. If no place is
// free, it returns [ErrBusy] at once.
func (h *hasher) enter(known bool) (leave func(), err error) {
	queue := h.places
	if known {
		queue = h.reserved
	}
	select {
	case queue <- struct{}{}:
		return func() { <-queue }, nil
	default:
		return nil, ErrBusy
	}
}

// hash returns the stored form of a password. The caller must have a place in the queue.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := random(saltSize)
	key, err := h.compute(ctx, h.cost, password, salt)
	if err != nil {
		return "", err
	}
	return h.text(salt, key), nil
}

// matches reports whether a password matches its stored form. The caller must have a place
// in the queue.
func (h *hasher) matches(ctx context.Context, stored, password string) (bool, error) {
	c, salt, want, err := parseHash(stored)
	if err != nil {
		return false, err
	}
	got, err := h.compute(ctx, c, password, salt)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

func (h *hasher) compute(ctx context.Context, c cost, password string, salt []byte) ([]byte, error) {
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h.computed.Add(1)
	// The same letters can be typed in several ways.
	key := argon2.IDKey([]byte(norm.NFC.String(password)), salt, c.rounds, c.memory, c.threads, passwordSize)
	if c.memory >= fullCost.memory {
		// The memory of a computation is garbage now. Without this call several times as
		// much would accumulate before the next collection.
		runtime.GC()
	}
	return key, nil
}

// text returns a hash as a PHC string.
func (c cost) text(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.rounds, c.threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// errHash reveals nothing about the hash, because errors are logged.
var errHash = errors.New("the stored password hash cannot be read")

// parseHash parses a PHC string. It refuses costs far above ours: such a value can only
// have been written to block the program.
func parseHash(text string) (c cost, salt, key []byte, err error) {
	var version int
	var rest string
	n, err := fmt.Sscanf(text, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &c.memory, &c.rounds, &c.threads, &rest)
	if err != nil || n != 5 || version != argon2.Version {
		return c, nil, nil, errHash
	}
	if c.memory > 4*fullCost.memory || c.rounds < 1 || c.rounds > 4*fullCost.rounds || c.threads < 1 || c.threads > 4 {
		return c, nil, nil, errHash
	}
	saltText, keyText, _ := strings.Cut(rest, "$")
	salt, errSalt := base64.RawStdEncoding.Strict().DecodeString(saltText)
	key, errKey := base64.RawStdEncoding.Strict().DecodeString(keyText)
	if errSalt != nil || errKey != nil || len(salt) < saltSize || len(key) != passwordSize {
		return c, nil, nil, errHash
	}
	return c, salt, key, nil
}
