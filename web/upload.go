package web

import (
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/access"
	"rebatedesk/web/handler"
)

// uploadLimit is how many bytes a form with a file may have. It leaves room for the other fields,
// and for files that are refused with an explanation: a form above the limit is not read at all,
// and browsers show little of such an answer.
const uploadLimit = 3 * handler.MostUpload

// uploadTimeout is how long a form with a file may take to arrive.
const uploadTimeout = 60 * time.Second

// uploadPaths are the addresses that take a form with a file.
var uploadPaths = func() (paths []string) {
	for _, r := range routeTable {
		if r.Upload {
			paths = append(paths, r.Path)
		}
	}
	return paths
}()

// limits decides how large a request may be, and how long it may take, once its head is read.
// Only a caller who is signed in may send a file.
func (s *Server) limits(head *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
	var uri fasthttp.URI
	if string(head.Method()) != fiber.MethodPost || uri.Parse(nil, head.RequestURI()) != nil || !slices.Contains(uploadPaths, string(uri.Path())) {
		return c
	}
	who, err := s.Access.BySession(s.Life, s.SessionSecret(head), access.Origin{Background: true})
	if err != nil || who.State != access.Full {
		return c
	}
	return fasthttp.RequestConfig{MaxRequestBodySize: uploadLimit, ReadTimeout: uploadTimeout}
}
