package carrier

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"rebatedesk/safehttp"
)

// bucket is a prefix in a bucket of an S3-compatible storage. An object appears when its put,
// or the last part of it, has arrived whole; the storage compares checksums.
type bucket struct {
	client *minio.Client
	name   string
	prefix string
	idle   func()
}

// maxS3Answer is the most bytes that are read of an answer; those to a put are short.
const maxS3Answer = 1 << 20

func openBucket(d Destination, s Settings) (Carrier, error) {
	if s.S3AccessKey == "" || s.S3SecretKey == "" {
		return nil, errors.New("there is no key for S3: set S3_ACCESS_KEY and S3_SECRET_KEY")
	}
	u, err := url.Parse(s.S3Endpoint)
	if err != nil || u.Host == "" {
		return nil, errors.New("the address of the storage is none: set S3_ENDPOINT, such as https://s3.eu-central-1.amazonaws.com")
	}
	transport := s3Transport(s)
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(s.S3AccessKey, s.S3SecretKey, ""), Secure: u.Scheme == "https", Region: s.S3Region,
		Transport: capped{transport}, MaxRetries: 2,
	})
	if err != nil {
		return nil, fmt.Errorf("the storage %s: %w", u.Host, err)
	}
	return &bucket{client: client, name: d.Host, prefix: d.Path, idle: transport.CloseIdleConnections}, nil
}

// s3Transport limits each stage. It takes no proxy from the environment; the client of the
// library follows no redirect.
func s3Transport(s Settings) *http.Transport {
	dial := &net.Dialer{Timeout: dialWithin, KeepAlive: 30 * time.Second}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &watchedConn{Conn: conn}, nil
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: safehttp.Suites(), RootCAs: s.Roots},
		TLSHandshakeTimeout:    dialWithin,
		ResponseHeaderTimeout:  answerWithin,
		MaxResponseHeaderBytes: 64 << 10,
		MaxConnsPerHost:        4,
		DisableCompression:     true,
	}
}

// capped limits the bodies of answers.
type capped struct{ next *http.Transport }

func (c capped) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body := answer.Body
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(body, maxS3Answer), body}
	return answer, nil
}

func (b *bucket) object(name string) string { return path.Join(b.prefix, name) }

// Put uploads a file, a large one in parts that the storage joins at the end. Parts that a
// killed upload left are removed first.
func (b *bucket) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) error {
	if size > s3Part {
		if err := b.client.RemoveIncompleteUpload(ctx, b.name, b.object(name)); err != nil && !asS3(err, "NoSuchUpload", "AccessDenied", "NotImplemented", "MethodNotAllowed") {
			return b.mended(err, "write")
		}
	}
	_, err := b.client.PutObject(ctx, b.name, b.object(name), content, size, minio.PutObjectOptions{
		ContentType: contentType(name), PartSize: s3Part, NumThreads: 1,
		// Bodies signed in pieces are not read by every storage; the hash of each part is.
		DisableContentSha256: true, SendContentMd5: true,
	})
	return b.mended(err, "write")
}

// s3Part is the size of a part of a large file, and the most memory that an upload takes.
const s3Part = 16 << 20

func (b *bucket) Remove(ctx context.Context, name string) error {
	err := b.client.RemoveObject(ctx, b.name, b.object(name), minio.RemoveObjectOptions{})
	if asS3(err, "NoSuchKey") {
		return nil
	}
	return b.mended(err, "delete")
}

// Check looks for the bucket. The answer to a key that may only write is that to a wrong key, since
// it has no body: both are [ErrHidden].
func (b *bucket) Check(ctx context.Context) error {
	exists, err := b.client.BucketExists(ctx, b.name)
	switch {
	case err == nil && !exists:
		err = minio.ErrorResponse{Code: "NoSuchBucket", StatusCode: 404}
	case asS3(err, "AccessDenied", "Forbidden"):
		return fmt.Errorf("the storage %s does not show the bucket %s to the key: %w", b.client.EndpointURL().Host, b.name, ErrHidden)
	}
	return b.mended(err, "look at")
}

func (b *bucket) Close() error {
	b.idle()
	return nil
}

func asS3(err error, codes ...string) bool {
	if err == nil {
		return false
	}
	answer := minio.ToErrorResponse(err)
	for _, code := range codes {
		if answer.Code == code {
			return true
		}
	}
	return false
}

// mended says what mends an answer of the storage.
func (b *bucket) mended(err error, right string) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	host := b.client.EndpointURL().Host
	switch answer.Code {
	case "AccessDenied", "AllAccessDisabled", "Forbidden":
		return fmt.Errorf("the storage %s does not let the key %s objects of the bucket %s (%s): give it that right, for the prefix of this delivery", host, right, b.name, answer.Code)
	case "NoSuchBucket":
		return fmt.Errorf("the storage %s has no bucket %s: make it, or correct the name; S3_ENDPOINT and S3_REGION say where it is looked for", host, b.name)
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "UnauthorizedAccess":
		return fmt.Errorf("the storage %s refuses the key (%s): correct S3_ACCESS_KEY and S3_SECRET_KEY", host, answer.Code)
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect", "InvalidRegion":
		return fmt.Errorf("the bucket %s is in another region (%s): correct S3_REGION and S3_ENDPOINT", b.name, answer.Code)
	case "RequestTimeTooSkewed":
		return fmt.Errorf("the storage %s has another time than this machine: correct the clock", host)
	case "QuotaExceeded", "XMinioAdminBucketQuotaExceeded", "XMinioStorageFull", "InsufficientStorage":
		return fmt.Errorf("the storage %s is full (%s): make room; the objects that are there stay as they are", host, answer.Code)
	}
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		return fmt.Errorf("the storage %s answers with a redirect, which is not followed: correct S3_ENDPOINT and S3_REGION", host)
	}
	return fmt.Errorf("the storage %s: %w", host, err)
}

// contentType returns the media type of a file by its name.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".json":
		return "application/json"
	case ".jsonl":
		return "application/jsonl; charset=utf-8"
	case ".xlsx":
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case ".parquet":
		return "application/vnd.apache.parquet"
	}
	return "application/octet-stream"
}

// watchedConn ends a connection on which nothing moves.
type watchedConn struct{ net.Conn }

func (c *watchedConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(2 * answerWithin)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c *watchedConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(answerWithin)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
