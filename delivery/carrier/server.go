package carrier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"rebatedesk/safehttp"
)

// server is a folder of an SFTP server.
type server struct {
	conn   *ssh.Client
	client *sftp.Client
	dir    string
	host   string
	stop   func() bool
}

func openServer(ctx context.Context, d Destination, s Settings) (_ Carrier, err error) {
	methods, err := signIn(s)
	if err != nil {
		return nil, err
	}
	address := d.address()
	checks, err := knownHosts(s.SFTPKnownHosts, address)
	if err != nil {
		return nil, err
	}
	algorithms := checks.algorithms(address)
	plain, err := checks.reach(s.Hosts, address).Dial(ctx, "tcp", address)
	if refused := unreached(s, address, err); refused != nil {
		return nil, refused
	}
	if err != nil {
		return nil, fmt.Errorf("the SFTP server %s cannot be reached: %w", address, err)
	}
	conn := &watchedConn{Conn: plain}
	stop := context.AfterFunc(ctx, func() { plain.Close() })
	done := false
	defer func() {
		if !done {
			stop()
			err = errors.Join(err, closed(plain.Close()))
		}
	}()
	var refused error
	config := &ssh.ClientConfig{
		User: d.User, Auth: methods, Timeout: dialWithin, HostKeyAlgorithms: algorithms,
		HostKeyCallback: func(name string, remote net.Addr, key ssh.PublicKey) error {
			refused = checks.check(name, remote, key)
			return refused
		},
	}
	link, channels, requests, err := ssh.NewClientConn(conn, address, config)
	switch {
	case refused != nil:
		return nil, refused
	case err != nil && slices.ContainsFunc(refusals, func(text string) bool { return strings.Contains(err.Error(), text) }):
		return nil, fmt.Errorf("the SFTP server %s refuses the user %s: correct SFTP_KEY or SFTP_PASSWORD, or let the server know the key", address, d.User)
	case err != nil && strings.Contains(err.Error(), "no common algorithm for host key"):
		return nil, fmt.Errorf("the SFTP server %s shows no key of a kind that %s has of it: check its key with its owner, and add it there", address, s.SFTPKnownHosts)
	case err != nil:
		return nil, fmt.Errorf("the SFTP server %s: %w", address, err)
	}
	secured := ssh.NewClient(link, channels, requests)
	client, err := sftp.NewClient(secured)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the server %s offers no SFTP: %w", address, err), closed(secured.Close()))
	}
	dir := d.Path
	if dir == "~" || strings.HasPrefix(dir, "~/") {
		dir = path.Clean("./" + strings.TrimPrefix(strings.TrimPrefix(dir, "~"), "/"))
	}
	done = true
	return &server{conn: secured, client: client, dir: dir, host: address, stop: stop}, nil
}

// address returns the host and port of an SFTP server.
func (d Destination) address() string {
	if _, _, err := net.SplitHostPort(d.Host); err == nil {
		return d.Host
	}
	return net.JoinHostPort(strings.Trim(d.Host, "[]"), "22")
}

// Reachable returns why the server of a destination will not be reached, as far as its name and the
// addresses of the name tell. Other destinations are where the settings say.
func Reachable(ctx context.Context, d Destination, s Settings) error {
	if d.Scheme != SFTPScheme {
		return nil
	}
	address := d.address()
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	return unreached(s, address, hostKeys{file: s.SFTPKnownHosts}.reach(s.Hosts, address).Resolve(ctx, host))
}

// reach returns which servers are reached: whoever writes the file of known keys decides which
// private ones are.
func (h hostKeys) reach(hosts safehttp.HostList, address string) safehttp.Reach {
	return safehttp.Reach{Private: len(h.algorithms(address)) > 0, Hosts: hosts}
}

// unreached says what mends that a server may not be reached; nil if err is about something else.
func unreached(s Settings, address string, err error) error {
	switch {
	case errors.Is(err, safehttp.ErrInside) && s.SFTPKnownHosts == "":
		return fmt.Errorf("the SFTP server %s %w: such a server is reached only if its key is known; write it into a file, as %s prints it, and set SFTP_KNOWN_HOSTS to the file", address, safehttp.ErrInside, keyscan(address))
	case errors.Is(err, safehttp.ErrInside):
		return fmt.Errorf("the SFTP server %s %w: such a server is reached only if %s has its key; write it there, as %s prints it", address, safehttp.ErrInside, s.SFTPKnownHosts, keyscan(address))
	case errors.Is(err, safehttp.ErrUnlisted):
		return fmt.Errorf("the SFTP server %s %w", address, safehttp.ErrUnlisted)
	}
	return nil
}

// refusals are what the library says of a refused user, for which it has no type. The second is the
// answer of a server that offers to ask for the password, and then refuses without a question.
var refusals = []string{"unable to authenticate", "unexpected message type 51 (expected 60)"}

// signIn returns the ways to sign in that the settings have.
func signIn(s Settings) (methods []ssh.AuthMethod, err error) {
	if s.SFTPKey != "" {
		signer, err := parseKey(s.SFTPKey, s.SFTPKeyPassphrase)
		if err != nil {
			return nil, err
		}
		methods = append(methods, ssh.PublicKeys(signer))
	}
	if s.SFTPPassword != "" {
		methods = append(methods, ssh.Password(s.SFTPPassword), ssh.KeyboardInteractive(
			func(_, _ string, questions []string, _ []bool) ([]string, error) {
				return slices.Repeat([]string{s.SFTPPassword}, len(questions)), nil
			}))
	}
	if len(methods) == 0 {
		return nil, errors.New("there is nothing to sign in to the SFTP server with: set SFTP_KEY or SFTP_PASSWORD")
	}
	return methods, nil
}

func parseKey(pem, passphrase string) (ssh.Signer, error) {
	var signer ssh.Signer
	var err error
	if passphrase != "" {
		signer, err = ssh.ParsePrivateKeyWithPassphrase([]byte(pem), []byte(passphrase))
	} else {
		signer, err = ssh.ParsePrivateKey([]byte(pem))
	}
	if _, sealed := errors.AsType[*ssh.PassphraseMissingError](err); sealed {
		return nil, errors.New("the key SFTP_KEY is protected: set SFTP_KEY_PASSPHRASE")
	}
	if err != nil { // the error of the library may quote the key
		return nil, errors.New("SFTP_KEY is not a private key, or SFTP_KEY_PASSPHRASE does not open it: give the file that ssh-keygen made, not the one that ends in .pub")
	}
	return signer, nil
}

// CheckKey checks a private key for SFTP with its passphrase.
func CheckKey(pem, passphrase string) error {
	_, err := parseKey(pem, passphrase)
	return err
}

// hostKeys are the keys that servers are known by.
type hostKeys struct {
	file  string
	check ssh.HostKeyCallback
}

func knownHosts(file, address string) (hostKeys, error) {
	if file == "" {
		return hostKeys{}, fmt.Errorf("no key of the SFTP server %s is known: write it into a file, as %s prints it, and set SFTP_KNOWN_HOSTS to the file", address, keyscan(address))
	}
	known, err := knownhosts.New(file)
	if errors.Is(err, fs.ErrNotExist) {
		return hostKeys{}, fmt.Errorf("the file %s of SFTP_KNOWN_HOSTS does not exist: write the key of the SFTP server into it, as %s prints it", file, keyscan(address))
	}
	if err != nil {
		return hostKeys{}, fmt.Errorf("the file of SFTP_KNOWN_HOSTS: %w", err)
	}
	return hostKeys{file, func(name string, remote net.Addr, key ssh.PublicKey) error {
		err := known(name, remote, key)
		refused, ok := errors.AsType[*knownhosts.KeyError](err)
		switch {
		case err == nil:
			return nil
		case ok && len(refused.Want) == 0:
			return fmt.Errorf("the key of the SFTP server %s is not known; it shows %s %s: compare it with its owner, then add it to %s, as %s prints it", address, key.Type(), ssh.FingerprintSHA256(key), file, keyscan(address))
		case ok:
			return fmt.Errorf("the SFTP server %s shows another key than before, %s %s instead of the one in line %d of %s: nothing was sent. If its owner confirms the new key, replace that line", address, key.Type(), ssh.FingerprintSHA256(key), refused.Want[0].Line, file)
		}
		return fmt.Errorf("the key of the SFTP server %s: %w", address, err)
	}}, nil
}

func keyscan(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "22" {
		return "“ssh-keyscan " + strings.TrimSuffix(address, ":22") + "”"
	}
	return "“ssh-keyscan -p " + port + " " + host + "”"
}

// algorithms lists the kinds of keys that are known of a server, so that it shows one of these
// and not another one of its keys. Nothing is known of a new server: it may show any.
func (h hostKeys) algorithms(address string) (list []string) {
	known, err := knownhosts.New(h.file)
	if err != nil {
		return nil // the check will say so
	}
	refused, ok := errors.AsType[*knownhosts.KeyError](known(address, &net.TCPAddr{IP: net.IPv4zero}, noKey{}))
	if !ok {
		return nil
	}
	for _, want := range refused.Want {
		if kind := want.Key.Type(); kind == ssh.KeyAlgoRSA {
			list = append(list, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			list = append(list, kind)
		}
	}
	return list
}

// noKey is a key that no server has.
type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return []byte("none") }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key") }

// Put writes into a file of another name and renames it.
func (s *server) Put(_ context.Context, name string, content io.ReadSeeker, size int64) (err error) {
	part, target := path.Join(s.dir, partName(name)), path.Join(s.dir, name)
	defer func() {
		if err != nil {
			err = s.mended(err)
		}
	}()
	// What a try left that was killed is replaced; a link in its place is not followed.
	if err := removed(s.client.Remove(part)); err != nil {
		return err
	}
	file, err := s.client.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	written, err := file.ReadFrom(content)
	if err == nil && written != size {
		err = fmt.Errorf("%d of %d bytes were written", written, size)
	}
	if _, syncs := s.client.HasExtension("fsync@openssh.com"); err == nil && syncs {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = s.checkSize(part, size)
	}
	if err == nil {
		err = s.rename(part, target)
	}
	if err != nil {
		return errors.Join(err, removed(s.client.Remove(part)))
	}
	return nil
}

// checkSize finds a file that a full disk cut short without an error.
func (s *server) checkSize(part string, size int64) error {
	info, err := s.client.Stat(part)
	if err == nil && info.Size() != size {
		err = fmt.Errorf("the server has %d of %d bytes: its disk may be full", info.Size(), size)
	}
	return err
}

// rename puts a file in place of the earlier one. A server without the extension for that cannot
// replace a file in one step: there the earlier one stands aside until the new one is in place, and
// comes back if it does not get there.
func (s *server) rename(part, target string) error {
	if _, atomic := s.client.HasExtension("posix-rename@openssh.com"); atomic {
		return s.client.PosixRename(part, target)
	}
	refused := s.client.Rename(part, target)
	if refused == nil {
		return nil
	}
	if _, err := s.client.Lstat(target); err != nil {
		return refused // not because of an earlier file
	}
	aside := path.Join(s.dir, "."+path.Base(target)+".before")
	// One that is there is of a try that ended when the new file was already in place.
	if err := removed(s.client.Remove(aside)); err != nil {
		return errors.Join(refused, err)
	}
	if err := s.client.Rename(target, aside); err != nil {
		return errors.Join(refused, err)
	}
	if err := s.client.Rename(part, target); err != nil {
		if back := s.client.Rename(aside, target); back != nil {
			return errors.Join(err, fmt.Errorf("the earlier file is kept as %s: %w", aside, back))
		}
		return err
	}
	return removed(s.client.Remove(aside))
}

func (s *server) Remove(_ context.Context, name string) error {
	if err := removed(s.client.Remove(path.Join(s.dir, name))); err != nil {
		return s.mended(err)
	}
	return nil
}

// Check looks for the folder. That the server is known and lets the user in was shown by opening it.
func (s *server) Check(context.Context) error {
	info, err := s.client.Stat(s.dir)
	if err != nil {
		return s.mended(err)
	}
	if !info.IsDir() {
		return fmt.Errorf("on the SFTP server %s, %s is a file: name a folder", s.host, s.dir)
	}
	return nil
}

func (s *server) Close() error {
	s.stop()
	return errors.Join(closed(s.client.Close()), closed(s.conn.Close()))
}

// mended says what mends an error of the server.
func (s *server) mended(err error) error {
	status, answered := errors.AsType[*sftp.StatusError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the SFTP server %s has no folder %s: make it there", s.host, s.dir)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the SFTP server %s does not let the user write into %s: give it that right", s.host, s.dir)
	case answered && status.FxCode() == sftp.ErrSSHFxFailure:
		return fmt.Errorf("the SFTP server %s could not write into %s, as when its disk is full: make room there; the files that are there stay as they are (%w)", s.host, s.dir, err)
	}
	return fmt.Errorf("the SFTP server %s: %w", s.host, err)
}

// closed ignores that the other side has closed a connection already.
func closed(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
