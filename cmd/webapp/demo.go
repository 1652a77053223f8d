package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/demo"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/cmd/webapp/internal/listen"
	"rebatedesk/secret"
	"rebatedesk/store"
)

// demoCommand runs the whole product on the built-in simulator. It needs no
// credentials and ignores those of the environment.
type demoCommand struct {
	config.WebFlags `embed:"" group:"settings"`
	listen.Flags    `embed:""`
	Data            string `placeholder:"DIR" help:"Keep the data in this folder. Default: a temporary one, removed at the end."`
}

// Run starts the simulator, collects from it and serves the pages until ctx
// ends.
func (c *demoCommand) Run(ctx context.Context, p *program) (err error) {
	if info, err := os.Stat(c.Data); c.Data != "" && err == nil && !info.IsDir() {
		return usage("--data %q is a file; name a folder", c.Data)
	}
	cfg, log, err := p.configure(config.NeedWeb | config.NeedReports)
	if err != nil {
		return err
	}
	cfg.Insecure = c.Insecure
	if err := listen.Allowed(cfg); err != nil {
		return err
	}
	dir, remove, err := c.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	sim, err := demo.OpenExchange(dir, &cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sim.Close()) }()
	mailServer, err := demo.OpenSMTP()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mailServer.Close()) }()
	cfg.Mail = mailServer.Settings()
	if err := demo.AllowFiles(dir, &cfg); err != nil {
		return err
	}
	return database.Use(ctx, cfg, database.Open, func(st *store.Store) error {
		// Created here, the key is not announced: the demo holds nothing worth keeping.
		if _, err := secret.MakeFile(cfg.DB.Beside(database.KeySuffix)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return p.serve(ctx, cfg, st, log, true)
	})
}

// folder returns the data folder and a function that removes it at the end.
func (c *demoCommand) folder() (dir string, remove func() error, err error) {
	if c.Data != "" {
		if err := os.MkdirAll(c.Data, 0o700); err != nil {
			return "", nil, err
		}
		return c.Data, func() error { return nil }, files.CheckFolder(c.Data)
	}
	dir, err = os.MkdirTemp("", "rebatedesk-demo-")
	return dir, func() error { return os.RemoveAll(dir) }, err
}
