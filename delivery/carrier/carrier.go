package carrier

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"rebatedesk/safehttp"
)

// Settings are what destinations need besides their URL. Secrets never appear in an error.
type Settings struct {
	Folders []string                 // below which folders are; empty: anywhere
	Disk    func(*os.File) io.Writer // of tests: what writes a file to the disk; nil: the file does

	S3Endpoint  string // scheme and host
	S3Region    string
	S3AccessKey string
	S3SecretKey string
	Roots       *x509.CertPool // of tests; nil: those of the system

	SFTPPassword      string
	SFTPKey           string // a private key, PEM
	SFTPKeyPassphrase string
	SFTPKnownHosts    string // path of the file

	Hosts safehttp.HostList // of SFTP servers
}

// ErrHidden says that a destination shows nothing of itself: the key is wrong, or it may write and
// nothing else.
var ErrHidden = errors.New("the key is wrong, or it may only write, which suffices")

// Carrier puts files at one destination. It is for one goroutine.
type Carrier interface {
	// Put writes a whole file under its name, in place of one that is there. Until then the
	// earlier one stays as it is.
	Put(ctx context.Context, name string, content io.ReadSeeker, size int64) error
	// Remove removes a file. One that is not there is no error.
	Remove(ctx context.Context, name string) error
	// Check looks whether files can be put, and changes nothing. Without an error, a put may still
	// fail.
	Check(ctx context.Context) error
	Close() error
}

// Open connects to a destination. ctx also ends the carrier.
func Open(ctx context.Context, d Destination, s Settings) (Carrier, error) {
	switch d.Scheme {
	case FileScheme:
		return openFolder(d, s)
	case S3Scheme:
		return openBucket(d, s)
	case SFTPScheme:
		return openServer(ctx, d, s)
	}
	return nil, fmt.Errorf("there is no destination %q", d.Scheme)
}

const (
	dialWithin   = 15 * time.Second
	answerWithin = time.Minute // between two signs of life of the other side
)

// partName is the name of a file on a server while it is written: the same for each try, so that
// what a killed process left is replaced. Programs that wait for files by their ending do not see it.
func partName(name string) string { return "." + name + partEnding }

const partEnding = ".part"

// fileMode lets the group of the program read the files.
const fileMode os.FileMode = 0o640
