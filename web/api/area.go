// Package api describes the addresses that programs may use, as an OpenAPI document and as a
// page. The description is made from the routes of the server: accepted parameters, columns and the
// types of answers.
package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/api"
)

// Addresses of the description.
const (
	DocumentPath = "/openapi.json"
	PagePath     = api.PagePath
)

// ProblemAddress returns where the page explains a kind of problem.
func ProblemAddress(kind string) string { return PagePath + "#problem-" + kind }

// Area holds the handlers of the description.
type Area struct {
	*handler.Base
	Operations []route.Operation // all; set before the first request

	server string
	once   sync.Once
	text   []byte
	err    error
}

// New returns the handlers. server is the public address of the program, if there is one.
func New(b *handler.Base, server string) *Area {
	return &Area{Base: b, server: strings.TrimSuffix(server, "/")}
}

// Text returns the description as OpenAPI.
func (a *Area) Text() ([]byte, error) {
	a.once.Do(func() {
		spec, err := Document(a.Operations, a.server)
		if err != nil {
			a.err = err
			return
		}
		compact, err := spec.MarshalJSON()
		if err != nil {
			a.err = err
			return
		}
		var sorted any
		if a.err = json.Unmarshal(compact, &sorted); a.err == nil {
			a.text, a.err = json.MarshalIndent(sorted, "", " ")
		}
	})
	return a.text, a.err
}

// Document answers with the description as OpenAPI.
func (a *Area) Document(c *fiber.Ctx) error {
	if err := noParameters(c); err != nil {
		return err
	}
	text, err := a.Text()
	if err != nil {
		return fmt.Errorf("description of the interface: %w", err)
	}
	c.Set(fiber.HeaderContentType, "application/json; charset=utf-8")
	return c.Send(append(text, '\n'))
}

// Page answers with the description as a page.
func (a *Area) Page(c *fiber.Ctx) error {
	if err := noParameters(c); err != nil {
		return err
	}
	view, err := a.view(c)
	if err != nil {
		return fmt.Errorf("description of the interface: %w", err)
	}
	return a.Render(c, api.Docs(a.Base.Page(c, "Interface for programs", PagePath), view))
}

func noParameters(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	for name := range values {
		return handler.NoParameter(name, values.Get(name))
	}
	return nil
}
