package web

import "sync/atomic"

// signinArea is the way in, and what everybody manages on their own.
type signinArea struct {
	*base
	demo     *Login      // with which whoever sits at this machine comes in; nil: nobody does
	trader   *Login      // the same for somebody who sends orders
	hasUsers atomic.Bool // there is somebody who could sign in
}

func newSigninArea(b *base, demo, trader *Login) *signinArea {
	return &signinArea{base: b, demo: demo, trader: trader}
}
