package site

import (
	"net/http"
	"net/http/httputil"
	"sync/atomic"
)

// overheard passes requests on, and once it listens writes them down.
type overheard struct {
	http.Handler
	Heard atomic.Pointer[LockedBuffer]
}

func (o *overheard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if heard := o.Heard.Load(); heard != nil {
		request, err := httputil.DumpRequest(r, true)
		if err != nil {
			panic(err)
		}
		if _, err := heard.Write(request); err != nil {
			panic(err)
		}
	}
	o.Handler.ServeHTTP(w, r)
}
