// Package signin has the handlers of the sign-in and of the users' own accounts.
package signin

import (
	"sync/atomic"

	"rebatedesk/web/handler"
)

// Area holds the handlers of the sign-in and of the users' own accounts.
type Area struct {
	*handler.Base
	demo     *Login      // the user as whom a visitor at this machine signs in; nil: none
	trader   *Login      // the same for a user who sends orders
	hasUsers atomic.Bool // a user exists who could sign in
}

func New(b *handler.Base, demo, trader *Login) *Area {
	return &Area{Base: b, demo: demo, trader: trader}
}
