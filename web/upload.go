package web

import (
	"slices"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/access"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
)

// uploadLimit is how many bytes a form with a file may have. It leaves room for the other fields,
// and for files that are refused with an explanation: a form above the limit is not read at all,
// and browsers show little of such an answer.
const uploadLimit = 3 * handler.MostUpload

// uploadTimeout is how long a form with a file may take to arrive.
const uploadTimeout = 60 * time.Second

// How many forms with a file are received and answered at once. Each is held in memory.
const (
	mostUploads    = 4
	uploadsPerUser = 1
)

// uploadRoute returns the route that takes a form with a file at a path.
func (s *Server) uploadRoute(path string) (route.Route, bool) {
	i := slices.IndexFunc(s.table, func(r route.Route) bool { return r.Upload && r.Path == path })
	if i < 0 {
		return route.Route{}, false
	}
	return s.table[i], true
}

// limits decides how large a request may be, and how long it may take, once its head is read.
// Only a caller whom the route admits may send a file, if there is a place for it. The token of the
// form is checked later, since it comes in the body: in an address it would be logged and kept in
// histories, and without scripts a form sets no header. A page of another site brings no session
// along, so its forms get no room either.
func (s *Server) limits(head *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
	s.uploads.leave(head) // of a request that ended before it could be answered
	var uri fasthttp.URI
	if string(head.Method()) != fiber.MethodPost || uri.Parse(nil, head.RequestURI()) != nil {
		return c
	}
	r, ok := s.uploadRoute(string(uri.Path()))
	if !ok {
		return c
	}
	who, err := s.Access.BySession(s.Life, s.SessionSecret(head), access.Origin{Background: true})
	if err != nil || who.State != access.Full || r.Bound == route.Closed && !who.Bound.Everything() {
		return c
	}
	if _, err := allowed(handler.Caller{Principal: who}, r); err != nil {
		return c
	}
	if s.uploads.enter(head, who.User) != nil {
		return c
	}
	return fasthttp.RequestConfig{MaxRequestBodySize: uploadLimit, ReadTimeout: uploadTimeout}
}

// uploads are the forms with a file that have a place, or were refused one, by the head of their
// request, which stays where it is from the moment it is read to the end of the answer.
type uploads struct {
	mutex sync.Mutex
	of    map[*fasthttp.RequestHeader]*upload
}

type upload struct {
	user    string
	refused *handler.NoPlace // why it has no place
	given   *time.Timer      // takes the place back if the form never arrives
}

// enter takes a place for a form, or returns why there is none.
func (u *uploads) enter(head *fasthttp.RequestHeader, user string) *handler.NoPlace {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	all, own := 0, 0
	for _, other := range u.of {
		if other.refused == nil {
			all++
			if other.user == user {
				own++
			}
		}
	}
	one := &upload{user: user}
	if own >= uploadsPerUser || all >= mostUploads {
		one.refused = &handler.NoPlace{Own: own >= uploadsPerUser}
	}
	one.given = time.AfterFunc(uploadTimeout, func() { u.end(head, one) })
	if u.of == nil {
		u.of = map[*fasthttp.RequestHeader]*upload{}
	}
	u.of[head] = one
	return one.refused
}

// arrived says that a form is whole. Its place is held until it is answered.
func (u *uploads) arrived(head *fasthttp.RequestHeader) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if one := u.of[head]; one != nil {
		one.given.Stop()
	}
}

// refusal returns why a form had no place, nil if it had one.
func (u *uploads) refusal(head *fasthttp.RequestHeader) *handler.NoPlace {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if one := u.of[head]; one != nil {
		return one.refused
	}
	return nil
}

// leave gives back the place of a request, if it has one.
func (u *uploads) leave(head *fasthttp.RequestHeader) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if one := u.of[head]; one != nil {
		one.given.Stop()
		delete(u.of, head)
	}
}

// end is leave for a form that did not arrive in time, unless its head has become that of another.
func (u *uploads) end(head *fasthttp.RequestHeader, one *upload) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.of[head] == one {
		delete(u.of, head)
	}
}

// wrapped wraps what answers a request that could not be read.
func (u *uploads) wrapped(next func(*fasthttp.RequestCtx, error)) func(*fasthttp.RequestCtx, error) {
	return func(ctx *fasthttp.RequestCtx, err error) {
		defer u.leave(&ctx.Request.Header)
		next(ctx, err)
	}
}
