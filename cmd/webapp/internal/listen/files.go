package listen

import (
	"crypto/sha256"
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/files"
)

// certificateEvery is the interval at which the certificate files are checked.
const certificateEvery = time.Second

// certificateFiles is a certificate that is reloaded when the content of its files
// changes, so that a renewal needs no restart. Times and sizes of files do not tell: a
// renewal within one tick of the file system's clock leaves both as they were.
type certificateFiles struct {
	cert, key string
	log       *slog.Logger

	mutex   sync.Mutex
	looked  time.Time
	content [sha256.Size]byte // of both files at the last attempt, usable or not
	current *tls.Certificate
}

// openCertificate reads the certificate for the first time.
func openCertificate(cert, key string, log *slog.Logger) (*certificateFiles, error) {
	f := &certificateFiles{cert: cert, key: key, log: log}
	chain, private, err := f.read()
	if err != nil {
		return nil, config.SettingFaults{{Setting: "TLS_CERT", Wrong: "cannot be read: " + err.Error(), Hint: "name readable PEM files in TLS_CERT and TLS_KEY"}}
	}
	certificate, err := tls.X509KeyPair(chain, private)
	if err != nil {
		return nil, config.SettingFaults{{Setting: "TLS_CERT", Wrong: "cannot be used: " + err.Error(), Hint: "name a certificate with its chain and the key that belongs to it, both in PEM"}}
	}
	f.current, f.content, f.looked = &certificate, contentOf(chain, private), time.Now()
	return f, nil
}

// get returns the certificate for a handshake. If the present files are unusable,
// such as during a replacement, the previous certificate stays.
func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if time.Since(f.looked) < certificateEvery {
		return f.current, nil
	}
	f.looked = time.Now()
	chain, private, err := f.read()
	content := contentOf(chain, private)
	if content == f.content {
		return f.current, nil
	}
	f.content = content
	var fresh tls.Certificate
	if err == nil {
		fresh, err = tls.X509KeyPair(chain, private)
	}
	if err != nil { // told once for each change
		f.log.Warn("the certificate changed and cannot be used; the one before stays", "error", err)
		return f.current, nil
	}
	f.current = &fresh
	f.log.Info("certificate read again", "file", f.cert, "until", fresh.Leaf.NotAfter)
	return f.current, nil
}

// read returns the content of the certificate and of its key, both empty if one of them
// cannot be read.
func (f *certificateFiles) read() (chain, private []byte, err error) {
	if chain, err = os.ReadFile(f.cert); err != nil {
		return nil, nil, files.PlainError(f.cert, err)
	}
	if private, err = os.ReadFile(f.key); err != nil {
		return nil, nil, files.PlainError(f.key, err)
	}
	return chain, private, nil
}

// contentOf returns one fingerprint of a certificate and its key.
func contentOf(chain, private []byte) [sha256.Size]byte {
	one, other := sha256.Sum256(chain), sha256.Sum256(private)
	return sha256.Sum256(append(one[:], other[:]...))
}
