package listing

import (
	"context"
	"fmt"

	"rebatedesk/exchange"
)

// Follow reads a list by a cursor, which each page gives for the next one. It ends with an empty page,
// or one without a cursor or with that of the page before; a short page proves nothing.
func Follow[T any](ctx context.Context, begin func(), fetch func(ctx context.Context, cursor string) (exchange.Page[T], error)) (got exchange.Reading[T], err error) {
	if begin != nil {
		begin()
	}
	seen := map[string]bool{}
	for cursor := ""; ; {
		page, err := fetch(ctx, cursor)
		if err != nil {
			return exchange.Reading[T]{}, err
		}
		got.Add(page)
		if page.Len() == 0 || page.Cursor == "" || page.Cursor == cursor {
			return got, nil
		}
		if cursor = page.Cursor; seen[cursor] || len(seen) > MaxPages {
			return exchange.Reading[T]{}, unsteady(fmt.Sprintf("the list goes round: the place %.40q came twice", cursor))
		}
		seen[cursor] = true
	}
}
