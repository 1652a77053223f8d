package listen

import (
	"crypto/tls"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/files"
)

// certificateEvery is the interval at which the certificate files are checked.
const certificateEvery = time.Second

// certificateFiles is a certificate that is reloaded when its files change, so that a
// renewal needs no restart.
type certificateFiles struct {
	cert, key string
	log       *slog.Logger

	mutex   sync.Mutex
	looked  time.Time
	stamps  [2]stamp // of the last attempt, usable or not
	current *tls.Certificate
}

// stamp identifies a version of a file without reading it.
type stamp struct {
	changed time.Time
	size    int64
}

// openCertificate reads the certificate for the first time.
func openCertificate(cert, key string, log *slog.Logger) (*certificateFiles, error) {
	f := &certificateFiles{cert: cert, key: key, log: log}
	stamps, err := f.stat()
	if err != nil {
		return nil, config.SettingFaults{{Setting: "TLS_CERT", Wrong: "cannot be read: " + err.Error(), Hint: "name readable PEM files in TLS_CERT and TLS_KEY"}}
	}
	if f.current, err = f.load(); err != nil {
		return nil, config.SettingFaults{{Setting: "TLS_CERT", Wrong: "cannot be used: " + err.Error(), Hint: "name a certificate with its chain and the key that belongs to it, both in PEM"}}
	}
	f.stamps, f.looked = stamps, time.Now()
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
	stamps, err := f.stat()
	if err == nil && stamps == f.stamps {
		return f.current, nil
	}
	var fresh *tls.Certificate
	if err == nil {
		fresh, err = f.load()
	}
	if err != nil {
		if stamps != f.stamps { // once for each change
			f.log.Warn("the certificate changed and cannot be used; the one before stays", "error", err)
		}
		f.stamps = stamps
		return f.current, nil
	}
	f.stamps, f.current = stamps, fresh
	f.log.Info("certificate read again", "file", f.cert, "until", fresh.Leaf.NotAfter)
	return f.current, nil
}

// load reads both files. Its errors name the files but never quote their content.
func (f *certificateFiles) load() (*tls.Certificate, error) {
	certificate, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, err
	}
	return &certificate, nil
}

// stat returns the stamps of the certificate and its key.
func (f *certificateFiles) stat() (stamps [2]stamp, err error) {
	for i, path := range []string{f.cert, f.key} {
		var info fs.FileInfo
		if info, err = os.Stat(path); err != nil {
			return [2]stamp{}, files.PlainError(path, err)
		}
		stamps[i] = stamp{info.ModTime(), info.Size()}
	}
	return stamps, nil
}
