package console

import (
	"sync"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/web/handler"
)

// Limits of streams: of one user, who may have several browsers, and of all users together.
const (
	streamsOfUser = 8
	streamsOfAll  = 400
)

// streams counts the open streams.
type streams struct {
	mutex sync.Mutex
	users map[string]int
	all   int
}

// enter takes a place for a stream of a user. The caller must leave.
func (s *streams) enter(user string) (leave func(), err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.users[user] >= streamsOfUser:
		return nil, handler.NewProblem(fiber.StatusTooManyRequests, "Too many pages of this user are kept up to date at once: close some. This one can be reloaded by hand.")
	case s.all >= streamsOfAll:
		return nil, handler.NewProblem(fiber.StatusServiceUnavailable, "Too many pages are kept up to date at once. This one can be reloaded by hand.")
	}
	if s.users == nil {
		s.users = map[string]int{}
	}
	s.users[user]++
	s.all++
	return sync.OnceFunc(func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.all--
		if s.users[user]--; s.users[user] == 0 {
			delete(s.users, user)
		}
	}), nil
}
