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

// cost is what one computation of a password takes.
type cost struct {
	memory  uint32 // KiB
	rounds  uint32
	threads uint8
}

// fullCost is that of every password made by the program.
var fullCost = cost{memory: 64 * 1024, rounds: 3, threads: 1}

// cheap is the cost of passwords in tests that are not about it.
var cheap = cost{memory: 8, rounds: 1, threads: 1}

const (
	saltSize     = 16
	passwordSize = 32 // of the hash, in bytes
	computations = 2  // at once
	queueSize    = 16 // waiting for one of them
)

// hasher computes passwords, few at once: each takes much memory, and anybody
// can ask for one.
type hasher struct {
	cost
	places   chan struct{} // running and waiting, of anybody
	reserved chan struct{} // the same for browsers that are known, which a flood of strangers cannot take
	running  chan struct{}
	computed atomic.Int64
	unknown  string // the hash of no password, computed where there is no user
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

// enter takes a place in the queue, which the caller gives back by leave.
// Where there is none it does not wait: [ErrBusy].
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

// hash makes what is stored of a password. The caller has a place in the queue.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := random(saltSize)
	key, err := h.compute(ctx, h.cost, password, salt)
	if err != nil {
		return "", err
	}
	return h.text(salt, key), nil
}

// matches reports whether a password is that of what is stored. The caller has
// a place in the queue.
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
		// What a computation used is garbage now. Left to itself, the collector
		// would let several times as much pile up before it looks.
		runtime.GC()
	}
	return key, nil
}

// text is a hash as a PHC string.
func (c cost) text(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.rounds, c.threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// errHash says nothing of the hash: errors are logged.
var errHash = errors.New("the stored password hash cannot be read")

// parseHash reads a PHC string. Costs far beyond our own are refused: whoever
// wrote them there wants to stop the program.
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
