package listen

import (
	"crypto/tls"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/internal/selfsigned"
)

// A certificate that cannot be used when it changes leaves the one before. A change is
// noticed even if the files keep their times, as within one tick of the file system's clock.
func TestCertificateHalfReplaced(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "desk.pem"), filepath.Join(dir, "desk.key")
	selfsigned.Write(t, "desk.example.com", cert, key, 1, time.Now().Add(24*time.Hour))
	var log strings.Builder
	files, err := openCertificate(cert, key, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	written := time.Now()
	serial := func() int64 {
		for _, path := range []string{cert, key} {
			if err := os.Chtimes(path, written, written); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		files.looked = time.Time{}
		current, err := files.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		return current.Leaf.SerialNumber.Int64()
	}
	selfsigned.Write(t, "desk.example.com", cert, filepath.Join(dir, "later.key"), 2, time.Now().Add(24*time.Hour)) // its key is still to come
	if first, again := serial(), serial(); first != 1 || again != 1 || strings.Count(log.String(), "cannot be used") != 1 {
		t.Errorf("certificate %d, then %d; the log says %s", first, again, &log)
	}
	if err := os.Rename(filepath.Join(dir, "later.key"), key); err != nil {
		t.Fatal(err)
	}
	if serial() != 2 {
		t.Errorf("certificate %d after its key has come: %s", serial(), &log)
	}
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	if serial() != 2 || strings.Contains(log.String(), "PRIVATE") {
		t.Errorf("certificate %d after the file was removed: %s", serial(), &log)
	}
}

// Certificates are fetched only for the host of PUBLIC_URL, and stored where no other user
// can read them.
func TestCertificateManager(t *testing.T) {
	db := filepath.Join(t.TempDir(), "desk.db")
	cfg := config.Config{DB: config.Database(db), PublicURL: "https://desk.example.com", TLS: config.TLS{Mode: config.TLSAuto}}
	config, err := newTLS(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.GetCertificate(&tls.ClientHelloInfo{ServerName: "other.example.com"}); err == nil || !strings.Contains(err.Error(), "not configured") {
		t.Errorf("another host: %v", err)
	}
	info, err := os.Stat(db + ".certs")
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("the folder of certificates: %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(db+".certs", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := newTLS(cfg, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("a folder that everybody reads: %v", err)
	}
}
