// Package signin has the handlers of the way in, and of what everybody manages on
// their own.
package signin

import (
	"sync/atomic"

	"rebatedesk/web/handler"
)

// Area is the way in, and what everybody manages on their own.
type Area struct {
	*handler.Base
	demo     *Login      // with which whoever sits at this machine comes in; nil: nobody does
	trader   *Login      // the same for somebody who sends orders
	hasUsers atomic.Bool // there is somebody who could sign in
}

func New(b *handler.Base, demo, trader *Login) *Area {
	return &Area{Base: b, demo: demo, trader: trader}
}
