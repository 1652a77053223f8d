package received

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"rebatedesk/affiliate"
)

// Digest is a fingerprint: the SHA-256 over the bodies of answers in the order in which they were
// received, each preceded by its length in bytes as 64 bits, big-endian.
type Digest [sha256.Size]byte

// Answers are the answers on which a slice is based.
type Answers struct {
	Fingerprint Digest
	Count       int64
	Bytes       int64  // of the bodies
	Request     string // the first one: method, path, parameters; no credentials

	First, Last                 affiliate.Millis // when they had arrived, by our clock
	ExchangeFirst, ExchangeLast affiliate.Millis // by the exchange's; unknown if it does not say

	keepDays int    // how long the bodies are kept; 0: they are not
	bodies   []byte // what the fingerprint is of, compressed by zstd
	index    []byte // a line of JSON for each answer, compressed by zstd
}

// KeptAnswer is one answer: the line of the index, in the order of the bodies.
type KeptAnswer struct {
	Request  string           `json:"request"`
	Received affiliate.Millis `json:"received_ms"`           // by our clock
	Exchange affiliate.Millis `json:"exchange_ms,omitempty"` // by the exchange's
	Bytes    int64            `json:"bytes"`
}

// Recorder takes the answers of one slice after the other. It is for one goroutine.
type Recorder struct {
	keepDays int
	hash     hash.Hash
	encoder  *zstd.Encoder
	answers  Answers
	bodies   bytes.Buffer
	index    bytes.Buffer
	err      error
}

// NewRecorder returns a recorder whose bodies are kept for some days, 0 for not at all.
func NewRecorder(keepDays int) (*Recorder, error) {
	r := &Recorder{keepDays: keepDays, hash: sha256.New()}
	if keepDays > 0 {
		var err error
		if r.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)); err != nil {
			return nil, err
		}
	}
	r.Restart()
	return r, nil
}

// Restart forgets what was taken since the last [Recorder.Answers].
func (r *Recorder) Restart() {
	r.hash.Reset()
	r.answers, r.err = Answers{keepDays: r.keepDays}, nil
	if r.encoder != nil {
		r.bodies.Reset()
		r.index.Reset()
		r.encoder.Reset(&r.bodies)
	}
}

// Take adds an answer. The body is not held after it.
func (r *Recorder) Take(request string, body []byte, at time.Time, exchange affiliate.Millis) {
	a, received := &r.answers, affiliate.MillisOf(at)
	if a.Count == 0 {
		a.Request, a.First = request, received
	}
	if exchange.Known() {
		a.ExchangeLast = exchange
		if !a.ExchangeFirst.Known() {
			a.ExchangeFirst = exchange
		}
	}
	a.Last = received
	a.Count++
	a.Bytes += int64(len(body))
	writeBody(r.hash, body)
	if r.encoder == nil || r.err != nil {
		return
	}
	if r.err = writeBody(r.encoder, body); r.err == nil {
		line := json.NewEncoder(&r.index)
		line.SetEscapeHTML(false) // requests have ampersands
		r.err = line.Encode(KeptAnswer{request, received, exchange, int64(len(body))})
	}
}

// writeBody writes a body as the fingerprint has it.
func writeBody(w io.Writer, body []byte) error {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(body)))
	if _, err := w.Write(length[:]); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}

// Answers returns what was taken since the last call, and begins anew.
func (r *Recorder) Answers() (Answers, error) {
	defer r.Restart()
	a := r.answers
	r.hash.Sum(a.Fingerprint[:0])
	if r.encoder == nil || r.err != nil {
		return a, r.err
	}
	if err := r.encoder.Close(); err != nil {
		return a, err
	}
	a.bodies = bytes.Clone(r.bodies.Bytes())
	a.index = r.encoder.EncodeAll(r.index.Bytes(), nil)
	return a, nil
}
