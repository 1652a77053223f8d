package site

import (
	"context"
	"net/http"
)

// StatusOf requests a page and returns its status, or 0 if there was no answer.
func StatusOf(ctx context.Context, url, cookie string) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	request.Header.Set("Cookie", cookie)
	response, err := Client.Do(request)
	if err != nil {
		return 0
	}
	_ = response.Body.Close() // the body is not needed
	return response.StatusCode
}
