package simulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// perSecond is how many calls the simulated exchange allows.
const perSecond = 5

// limited notes the calls, and refuses those that come too often.
func (s *Server) limited(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.RequestURI)
		now := time.Now()
		for len(s.calls) > 0 && now.Sub(s.calls[0]) > time.Second {
			s.calls = s.calls[1:]
		}
		s.calls = append(s.calls, now)
		many := s.options.Limit && len(s.calls) > perSecond
		if many {
			s.refused++
		}
		s.mu.Unlock()
		if many {
			w.Header().Set("gw-ratelimit-remaining", "0")
			w.Header().Set("gw-ratelimit-reset", "1000")
			refuse(w, http.StatusTooManyRequests, "429000", "Too many requests")
			return
		}
		answer(w, r)
	}
}

// signed checks who calls, over the bytes that arrived.
func (s *Server) signed(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if status, code := s.check(r); code != "" {
			refuse(w, status, code, "Refused")
			return
		}
		answer(w, r)
	}
}

// Refused returns how many calls came too fast.
func (s *Server) Refused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

func (s *Server) check(r *http.Request) (status int, code string) {
	timestamp := r.Header.Get("KC-API-TIMESTAMP")
	ms, err := strconv.ParseInt(timestamp, 10, 64)
	switch apart := s.programme.Now().Sub(time.UnixMilli(ms)).Abs(); {
	case r.Header.Get("KC-API-KEY") != Key:
		return http.StatusUnauthorized, "400003"
	case err != nil || apart > 5*time.Second:
		return http.StatusBadRequest, "400002"
	case r.Header.Get("KC-API-KEY-VERSION") != "2" || r.Header.Get("KC-API-PASSPHRASE") != digest(Passphrase):
		return http.StatusUnauthorized, "400004"
	case r.Header.Get("KC-API-SIGN") != digest(timestamp+r.Method+r.RequestURI):
		return http.StatusUnauthorized, "400005"
	case strings.TrimSpace(r.UserAgent()) == "":
		return http.StatusForbidden, "400006"
	}
	return 0, ""
}

func digest(text string) string {
	mac := hmac.New(sha256.New, []byte(Secret))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
