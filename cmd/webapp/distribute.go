package main

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/store"
)

// distributeCommand spreads the rows of a PostgreSQL database over the workers of Citus. A
// new database on such a cluster is laid out when it is created.
type distributeCommand struct {
	config.StoreFlags `embed:"" group:"settings"`
}

// Run holds the collector's lease: collecting waits until the rows have moved.
func (c *distributeCommand) Run(ctx context.Context, p *program) error {
	return p.withStore(ctx, config.NeedStore, database.OpenExisting, func(o opened) (err error) {
		ctx, release, err := o.store.Lock(ctx, store.CollectorLease)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, release()) }()
		done, err := o.store.Distribute(ctx)
		if err != nil {
			return err
		}
		text := "the rows were spread over the workers before; nothing was changed"
		if done {
			text = "commissions and sub-affiliate days are spread over the workers by UID; all other tables are on the coordinator"
		}
		_, err = fmt.Fprintln(p.stdout, text)
		return err
	})
}
