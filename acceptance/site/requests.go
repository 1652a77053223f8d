package site

import (
	"context"
	"testing"

	"rebatedesk/web"
)

func Nothing(context.Context) error { return nil }

func Shutdown(t *testing.T, server *web.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
}
