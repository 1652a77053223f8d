package carrier

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Destination is a place for files, as a URL names it.
type Destination struct {
	Scheme string // file, s3 or sftp
	User   string // of sftp
	Host   string // of sftp, with a port if it is given; the bucket of s3
	Path   string // folder or prefix; of sftp, one that begins with ~/ is in the user's own folder
}

// The schemes of destinations.
const (
	FileScheme = "file"
	S3Scheme   = "s3"
	SFTPScheme = "sftp"
)

// maxDestination is the length of a URL, in bytes.
const maxDestination = 500

const destinationForm = "give it as file:///folder, s3://bucket/prefix or sftp://user@host/folder"

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	hostName   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
)

// ParseDestination parses the URL of a destination. Its error says what to change, and repeats nothing of a URL with a password.
func ParseDestination(text string) (d Destination, err error) {
	if len(text) > maxDestination || strings.ContainsFunc(text, unicode.IsControl) {
		return d, fmt.Errorf("a destination has at most %d characters in one line: %s", maxDestination, destinationForm)
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return d, fmt.Errorf("this is not the address of a destination: %s", destinationForm)
	}
	if _, secret := u.User.Password(); secret {
		return d, errors.New("a destination contains no password: leave it out, and set SFTP_PASSWORD or SFTP_KEY instead")
	}
	d = Destination{Scheme: strings.ToLower(u.Scheme), User: u.User.Username(), Host: u.Host, Path: u.Path}
	switch {
	case !slices.Contains([]string{FileScheme, S3Scheme, SFTPScheme}, d.Scheme):
		return d, fmt.Errorf("a destination is a folder, a bucket or a folder of an SFTP server: %s", destinationForm)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "":
		return d, fmt.Errorf("a destination has nothing after ? or #: %s", destinationForm)
	case slices.Contains(strings.Split(u.Path, "/"), ".."):
		return d, errors.New("the path of a destination has no ..: write it out")
	}
	switch d.Scheme {
	case FileScheme:
		return d.folder()
	case S3Scheme:
		return d.bucket()
	}
	return d.server()
}

func (d Destination) folder() (Destination, error) {
	if d.User != "" || d.Host != "" && d.Host != "localhost" || !filepath.IsAbs(d.Path) {
		return d, errors.New("a folder is named by its whole path, with three slashes: file:///var/exports")
	}
	d.Host, d.Path = "", filepath.Clean(d.Path)
	return d, nil
}

func (d Destination) bucket() (Destination, error) {
	if d.User != "" || !bucketName.MatchString(d.Host) {
		return d, fmt.Errorf("“%s” cannot be the name of a bucket: give 3 to 63 small letters, digits, dots and dashes, as in s3://reports/rebatedesk", cut(d.Host))
	}
	d.Path = strings.Trim(path.Clean("/"+d.Path), "/")
	return d, nil
}

func (d Destination) server() (Destination, error) {
	host, port := d.Host, ""
	if i := strings.LastIndexByte(d.Host, ':'); i >= 0 && !strings.HasSuffix(d.Host, "]") {
		host, port = d.Host[:i], d.Host[i+1:]
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return d, fmt.Errorf("“%s” is not a port: give one such as sftp://user@host:2222/folder", cut(port))
		}
	}
	bare := strings.Trim(host, "[]")
	switch {
	case d.User == "":
		return d, errors.New("an SFTP destination names its user: sftp://user@host/folder")
	case net.ParseIP(bare) == nil && !hostName.MatchString(bare):
		return d, fmt.Errorf("“%s” cannot be the name of a host: give one such as sftp://user@files.example.com/folder", cut(host))
	}
	if d.Path = path.Clean("/" + d.Path); strings.HasPrefix(d.Path+"/", "/~/") {
		d.Path = strings.TrimPrefix(d.Path, "/")
	}
	return d, nil
}

// String returns the URL.
func (d Destination) String() string {
	u := url.URL{Scheme: d.Scheme, Host: d.Host, Path: d.Path}
	if d.User != "" {
		u.User = url.User(d.User)
	}
	if d.Scheme != FileScheme && u.Path != "" && !strings.HasPrefix(u.Path, "/") {
		u.Path = "/" + u.Path
	}
	return u.String()
}

// Within reports whether a folder lies in one of the allowed ones, or is one of them. Links are
// followed as far as they exist.
func (d Destination) Within(allowed []string) bool {
	real := resolved(d.Path)
	return slices.ContainsFunc(allowed, func(folder string) bool {
		rel, err := filepath.Rel(resolved(folder), real)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}

// resolved returns a path without links, as far as it exists.
func resolved(folder string) string {
	rest := ""
	for at := filepath.Clean(folder); ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return filepath.Clean(folder)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// cut shortens text from outside for a message.
func cut(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}
