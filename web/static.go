package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"path"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/web/handler"
	"rebatedesk/web/templates/ui"
)

//go:embed static
var staticFiles embed.FS

// brotliLevel is a compromise: two more levels save a tenth but take thirty times as
// long, and the first visitor would wait a second.
const brotliLevel = 9

// files are the static files under names with a hash of their content, so that a
// browser may cache each forever.
type files struct {
	byName map[string]*file  // "app.1f2e3d4c5b6a.css"
	named  map[string]string // "app.css" to its address
}

// file is one static file in all its encodings. Compression takes a moment, so it is
// done once, on the first request.
type file struct {
	contentType string
	plain       []byte
	brotli      func() []byte
	gzip        func() []byte
}

func loadFiles() *files {
	fs := &files{byName: map[string]*file{}, named: map[string]string{}}
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		panic("web: the static files are not embedded: " + err.Error())
	}
	for _, entry := range entries {
		plain, err := staticFiles.ReadFile("static/" + entry.Name())
		if err != nil {
			panic("web: an embedded file cannot be read: " + err.Error())
		}
		name := hashed(entry.Name(), plain)
		fs.byName[name] = newFile(entry.Name(), plain)
		fs.named[entry.Name()] = "/static/" + name
	}
	return fs
}

func newFile(name string, plain []byte) *file {
	return &file{
		contentType: contentType(name),
		plain:       plain,
		brotli: sync.OnceValue(func() []byte {
			return fasthttp.AppendBrotliBytesLevel(nil, plain, brotliLevel)
		}),
		gzip: sync.OnceValue(func() []byte {
			return fasthttp.AppendGzipBytesLevel(nil, plain, fasthttp.CompressBestCompression)
		}),
	}
}

// contentType does not use the machine's tables, because they differ between machines.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

func hashed(name string, content []byte) string {
	sum := sha256.Sum256(content)
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
}

func (fs *files) assets() ui.Assets {
	return ui.Assets{
		Style: fs.named["app.css"], App: fs.named["app.js"],
		Htmx: fs.named["htmx.js"], Charts: fs.named["charts.js"], Icon: fs.named["favicon.svg"],
	}
}

// icon leads to the icon. Browsers ask for it by this name beside files and messages, which cannot
// name theirs. The answer is not stored: the next version may have another icon, and only its name.
func (fs *files) icon(c *fiber.Ctx) error {
	return c.Redirect(fs.named["favicon.svg"])
}

// static serves a static file. Only the hashed names exist.
func (s *Server) static(c *fiber.Ctx) error {
	f, ok := s.files.byName[c.Params("*")]
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, f.contentType)
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	switch {
	case handler.Accepts(c, "br"):
		c.Set(fiber.HeaderContentEncoding, "br")
		return c.Send(f.brotli())
	case handler.Accepts(c, "gzip"):
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(f.gzip())
	}
	return c.Send(f.plain)
}
