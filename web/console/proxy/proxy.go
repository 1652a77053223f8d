// Package proxy hands the calls of programs on to the exchange. Orders pass the checks of package
// trading on their way.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/store"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/ui"
)

// Area holds the handler.
type Area struct{ *console.Base }

// New returns the handler.
func New(b *console.Base) *Area { return &Area{b} }

// Routes are the addresses of the proxy.
func (s *Area) Routes() []route.Route {
	return []route.Route{
		route.Page(proxyRoute, access.MayConsole, s.Proxy),
		route.Post(proxyRoute, access.MayConsole, s.Proxy).ByToken(), // orders also require the permission to trade
	}
}

const (
	proxyRoute  = "/console/proxy/:account/*"
	proxyPrefix = "/console/proxy/"
)

// Words that mark this server's answers, so that no program mistakes them for the
// exchange's.
const (
	wordRefused   = "refused"   // a rule is broken; nothing was sent
	wordForbidden = "forbidden" // the role or scope is missing, or trading is off or stopped
	wordBlocked   = "blocked"   // by an order with an unknown outcome
	wordUnknown   = "unknown"   // it may or may not have been executed
	wordNotSent   = "not-sent"  // provably nothing left this machine
	wordDryRun    = "dry-run"   // everything was done except sending
)

// wordHeader is the header that carries the word.
const wordHeader = "X-Rebatedesk"

// orderStopped is the error of an order call without an answer of the exchange.
type orderStopped struct {
	Word   string          // refused, forbidden, blocked, unknown, not-sent or dry-run
	Why    string          // sentences for the sender
	Orders []trading.Order // with their outcomes; nil if none was prepared
}

func (o *orderStopped) Error() string { return o.Why }

var wordStatus = map[string]int{
	wordRefused: http.StatusBadRequest, wordForbidden: http.StatusForbidden, wordBlocked: http.StatusConflict,
	wordUnknown: http.StatusBadGateway, wordNotSent: http.StatusServiceUnavailable, wordDryRun: http.StatusOK,
}

// proxied is a request to the exchange that was sent to the proxy.
type proxied struct {
	account affiliate.Account
	client  *weex.Client
	request weex.Request
	asked   weex.ParsedRequest
}

// Proxy forwards a request to the exchange, and its answer back unchanged.
func (s *Area) Proxy(c *fiber.Ctx) error {
	p, endpoint, err := s.proxied(c)
	if err != nil {
		return err
	}
	if !endpoint.Reading {
		if err := s.mayOrder(c); err != nil {
			return err
		}
	}
	if err := s.Noted(c); err != nil {
		return err
	}
	if p.asked, err = p.client.Read(p.request); err != nil {
		s.Note(c, "console call", endpoint.String(), p.detail(), wordRefused+": "+p.brokenRule(err))
		return proxyAnswer(c, wordStatus[wordRefused], wordRefused, sentenceOf(err), nil)
	}
	if !endpoint.Reading {
		return s.proxyOrder(c, p)
	}
	ctx := exchange.WithPriority(c.UserContext(), exchange.Interactive)
	answer, err := p.client.ForwardRead(ctx, p.asked)
	if err != nil {
		word := wordUnknown
		if exchange.LeftNothing(err) {
			word = wordNotSent
		}
		return s.stop(c, p, endpoint, &orderStopped{Word: word, Why: err.Error()})
	}
	s.Note(c, "console call", endpoint.String(), p.detail(), "HTTP "+strconv.Itoa(answer.Status))
	return p.handBack(c, answer)
}

// proxied determines the endpoint and the parameters of a request. It uses the raw
// path, because Fiber's normalization would turn other paths into documented ones.
func (s *Area) proxied(c *fiber.Ctx) (p proxied, e exchange.Endpoint, err error) {
	name, path, _ := strings.Cut(strings.TrimPrefix(string(c.Request().URI().PathOriginal()), proxyPrefix), "/")
	account, err := url.PathUnescape(name)
	client, ok := s.Console.Client(affiliate.Account(account))
	if err != nil || !ok {
		return p, e, handler.NewProblem(fiber.StatusNotFound, "There is no account of this name.")
	}
	if e, ok = client.Route(c.Method(), "/"+path); !ok {
		return p, e, handler.NewProblem(fiber.StatusNotFound, "The exchange's interface document has no such verb and path.")
	}
	return proxied{account: affiliate.Account(account), client: client, request: weex.Request{
		Method: c.Method(), Path: "/" + path, Query: string(c.Request().URI().QueryString()), Body: c.BodyRaw(),
	}}, e, nil
}

// mayOrder refuses orders of callers who may only read. In a browser, the reader must
// also prove to be the user who signed in; a token was proved when it was made.
func (s *Area) mayOrder(c *fiber.Ctx) error {
	who := s.Who(c)
	if why, err := handler.Permitted(who, access.MayTrade); err != nil {
		s.Access.NoteRefusal(who.Principal, why)
		return err
	}
	if s.Trading == nil {
		return handler.NewProblem(fiber.StatusForbidden, "Trading is off: the setting TRADING allows no orders.")
	}
	proved, err := s.Access.SteppedUp(c.UserContext(), who.Principal, handler.StepUpWithin)
	if err == nil && !proved {
		return handler.NewProblem(fiber.StatusForbidden, "An order takes a fresh code of the authenticator first.")
	}
	return err
}

// proxyOrder sends an order call once. It returns the complete answer of the exchange
// if that settles the outcome of any of its orders.
func (s *Area) proxyOrder(c *fiber.Ctx, p proxied) error {
	var answer weex.Answer
	var failed error
	send := func(ctx context.Context, sender *weex.Client, preflight weex.OrderOption) []weex.Outcome {
		answer, failed = sender.ForwardRead(ctx, p.asked, preflight)
		return answer.Outcomes
	}
	err := s.forward(c.UserContext(), s.Actor(c), p.account, p.asked, send)
	if stopped, ok := errors.AsType[*orderStopped](err); ok {
		return s.stop(c, p, p.asked.Endpoint, stopped)
	}
	if err != nil {
		return err
	}
	if failed != nil || answer.Status == 0 {
		return s.stop(c, p, p.asked.Endpoint, &orderStopped{Word: wordUnknown, Why: fmt.Sprintf("What became of the order is unknown: %v", failed)})
	}
	return p.handBack(c, answer)
}

// detail returns the part of a request that the audit log keeps, which never includes
// its body.
func (p proxied) detail() string {
	return string(p.account) + " " + p.request.Method + " " + handler.Quote(p.request.Path+"?"+p.request.Query)
}

// brokenRule returns the part of a broken rule that the audit log keeps. A body may
// contain anything, such as a form with its secrets, and lines of the log are kept for
// good: of a body it returns only the field and the rule.
func (p proxied) brokenRule(err error) string {
	invalid, ok := errors.AsType[*weex.InvalidField](err)
	if !ok || len(p.request.Body) == 0 {
		return sentenceOf(err)
	}
	return handler.Quote(invalid.Field) + " " + invalid.Rule
}

// handBack answers with the exchange's answer, byte for byte. A browser saves it as a
// file, because displayed as a page it would have this server's origin.
func (p proxied) handBack(c *fiber.Ctx, a weex.Answer) error {
	header := &c.Response().Header
	if a.ContentType == "" {
		header.SetNoDefaultContentType(true)
	} else {
		header.SetContentType(a.ContentType)
	}
	header.Set(fiber.HeaderContentDisposition, "attachment")
	for name, value := range map[string]string{"X-Used-Weight-10s": a.Used, "X-Remaining-Weight-10s": a.Remaining} {
		if value != "" {
			header.Set(name, cleanHeader(value))
		}
	}
	budget := p.client.Budget()
	header.Set("X-Rebatedesk-Weight", strconv.Itoa(budget.Used)+"/"+strconv.Itoa(budget.Limit))
	return c.Status(a.Status).Send(a.Body)
}

// cleanHeader removes the characters that a header cannot contain.
func cleanHeader(value string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, value)
}

// stop records a call without an answer of the exchange, and answers with the reason.
func (s *Area) stop(c *fiber.Ctx, p proxied, e exchange.Endpoint, stopped *orderStopped) error {
	s.Note(c, "console call", e.String(), p.detail(), stopped.Word+": "+stopped.Why)
	status, known := wordStatus[stopped.Word]
	if !known {
		return fmt.Errorf("an order was stopped by the unknown word %q: %s", stopped.Word, stopped.Why)
	}
	return proxyAnswer(c, status, stopped.Word, stopped.Why, stopped.Orders)
}

// proxyAnswer is an answer of this server in the exchange's envelope. Its data is null,
// because it is not the exchange's; orders tells what became of each order that was
// prepared, so that a program knows those of a batch that were placed.
func proxyAnswer(c *fiber.Ctx, status int, word, text string, orders []trading.Order) error {
	c.Set(wordHeader, word)
	return c.Status(status).JSON(struct {
		Code        string         `json:"code"`
		Msg         string         `json:"msg"`
		RequestTime int64          `json:"requestTime"`
		Data        *string        `json:"data"`
		Orders      []proxiedOrder `json:"orders,omitempty"`
	}{"rebatedesk." + word, text, time.Now().UnixMilli(), nil, proxiedOrders(orders)})
}

// proxiedOrder is what became of one order or cancellation of a call.
type proxiedOrder struct {
	ClientOrderID *string `json:"clientOrderId"` // null if the call named it by the exchange's id
	OrderID       *string `json:"orderId"`       // the exchange's; null if it is not known
	State         string  `json:"state"`         // placed, cancelled, refused, unknown, not-sent or dry-run
	Code          *string `json:"code"`          // the exchange's, if it gave one
	Msg           string  `json:"msg"`           // the exchange's words, or this server's
}

func proxiedOrders(orders []trading.Order) (list []proxiedOrder) {
	known := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	for _, o := range orders {
		state := o.State
		if state == trading.IntentSending { // its outcome could not be determined
			state = trading.IntentUnknown
		}
		list = append(list, proxiedOrder{known(o.ClientID), known(o.OrderID), string(state), known(o.Code), o.Message})
	}
	return list
}

// IsProxy reports whether a path belongs to the proxy, which programs use.
func IsProxy(path string) bool { return strings.HasPrefix(path, proxyPrefix) }

// Problem answers a request to the proxy that failed on the way. A path that the
// proxy does not accept does not exist, whatever the method.
func Problem(c *fiber.Ctx, p ui.PageError) error {
	word := wordRefused
	switch {
	case p.Status == http.StatusMethodNotAllowed:
		p = ui.PageError{Status: http.StatusNotFound, Text: "The exchange's interface document has no such verb and path."}
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusForbidden:
		word = wordForbidden
	case p.Status == http.StatusTooManyRequests:
		word = wordNotSent
	case p.Status >= 500: // the request may have been sent before the failure
		word, p.Text = wordUnknown, "The server failed. Whether the exchange received anything is not known; the log says more under the reference "+p.Reference+"."
	}
	c.Response().Header.Del(fiber.HeaderAllow)
	return proxyAnswer(c, p.Status, word, p.Text, nil)
}

// sentenceOf describes a broken rule for a program: the field and the reason.
func sentenceOf(err error) string {
	if invalid, ok := errors.AsType[*weex.InvalidField](err); ok {
		return invalid.Error()
	}
	return err.Error()
}

// Proxied describes the endpoints that programs may read through the proxy. The server's time has no
// section of the interface document, and the proxy does not forward it.
func Proxied() (list []route.Operation) {
	for _, e := range weex.Endpoints() {
		if e.Reading && e.Section != "" && strings.Contains(e.Path, "/v2/") {
			list = append(list, route.Operation{Method: e.Method, Path: strings.TrimSuffix(proxyPrefix, "/") + "/:account" + e.Path,
				Need: access.MayConsole, Proxied: e.Name, Media: "application/json"})
		}
	}
	return list
}

// forward submits an order call of a program unchanged: the request that the desk
// checks is the one that send sends, once. Its error is an *orderStopped if the order
// was not sent, or not certainly; otherwise the exchange answered, and send has the
// answer.
func (s *Area) forward(ctx context.Context, by access.Actor, account affiliate.Account, order weex.ParsedRequest,
	send func(context.Context, *weex.Client, weex.OrderOption) []weex.Outcome) error {
	who := trading.Requester{Name: by.Name, Via: by.Via, Address: by.Address}
	in, err := s.Trading.Submit(ctx, who, trading.Forwarded(account, order), send)
	s.Spread(account, in.Pair)
	var rule *store.RuleError
	if refusal, ok := errors.AsType[*trading.RefusedDraft](err); ok {
		return &orderStopped{Word: refusal.Word(), Why: refusal.Error()}
	} else if errors.As(err, &rule) {
		return &orderStopped{Word: wordRefused, Why: rule.Problem}
	} else if err != nil {
		return err
	}
	if word, why := trading.Word(in); word != "" {
		return &orderStopped{word, why, in.Orders}
	}
	return nil
}
