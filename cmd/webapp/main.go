// Command webapp is Rebatedesk: it collects the earnings of an affiliate account at an
// exchange, stores them, and shows, exports and mails them.
//
// Every subcommand is one struct with a Run method in a separate file. This file lists
// them, gives them their environment, and turns their results into an exit status. No
// package below this one reads flags, environment variables or settings files, or ends the
// process.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/internal/guard"
	"rebatedesk/secret"
	"rebatedesk/store"

	"github.com/alecthomas/kong"
)

// commandLine is the whole command line. Flags of settings are in the group
// "settings", embedded from package config.
type commandLine struct {
	Config string `placeholder:"FILE" help:"TOML file with settings (REBATEDESK_CONFIG)."`

	config.CommonFlags `embed:"" group:"settings"`

	Demo       demoCommand       `cmd:"" help:"Show everything on simulated data; needs no credentials."`
	Serve      serveCommand      `cmd:"" help:"Serve the pages, collect and send mail on schedule."`
	Collect    collectCommand    `cmd:"" help:"Collect once."`
	Export     exportCommand     `cmd:"" help:"Write stored records as CSV, XLSX, JSON, JSON lines or Parquet."`
	Summary    summaryCommand    `cmd:"" help:"Send summaries by mail: now, or again and again."`
	Channel    channelCommand    `cmd:"" help:"Keep where messages go besides mail: webhooks, Telegram, Slack, Discord, groups of addresses."`
	Delivery   deliveryCommand   `cmd:"" help:"Deliver exports on schedule to a folder, an S3-compatible storage or an SFTP server."`
	Backup     backupCommand     `cmd:"" help:"Back the database up while it is in use."`
	Restore    restoreCommand    `cmd:"" help:"Make the database of a backup, where there is none."`
	Copy       copyCommand       `cmd:"" help:"Copy everything into an empty other database, of any engine."`
	Payments   paymentsCommand   `cmd:"" help:"Show or fix the rule by which the exchange pays commissions."`
	Month      monthCommand      `cmd:"" help:"Close months: freeze what is known of them."`
	Terms      termsCommand      `cmd:"" help:"Keep the agreed rates: what the exchange owes, and what sub-affiliates get."`
	Import     importCommand     `cmd:"" help:"Import people or prices from a file, or undo an import."`
	Exchanges  exchangesCommand  `cmd:"" help:"List the exchanges that can be read, and what the interface of each gives."`
	Account    accountCommand    `cmd:"" help:"Keep affiliate accounts in the database instead of the settings."`
	User       userCommand       `cmd:"" help:"Manage who may sign in."`
	Token      tokenCommand      `cmd:"" help:"Manage what programs sign in with."`
	Key        keyCommand        `cmd:"" help:"Change the master key."`
	Trading    tradingCommand    `cmd:"" help:"Show whether orders are sent, stop all of them, or allow them again."`
	Verify     verifyCommand     `cmd:"" help:"Check the database: integrity, tables and triggers of others, roll-ups and coverage against records, people against their history, rights against the audit log, the audit log and its anchors."`
	Distribute distributeCommand `cmd:"" help:"Spread the rows of a PostgreSQL database over the workers of Citus."`
	Health     healthCommand     `cmd:"" help:"Ask the server of this machine whether it runs; for containers."`
	Doctor     doctorCommand     `cmd:"" help:"Check settings, database, exchange, clock, key and mail server, and say how to fix what is wrong."`
	Simulate   simulateCommand   `cmd:"" help:"Run the simulated exchange alone, with faults on request."`
	Version    versionCommand    `cmd:"" help:"Print the version of this binary, the engines and the schema version that it knows."`
}

func main() { runProcess(0) }

// runProcess runs the command line of this process and ends it. leaseTime is that of the
// program.
func runProcess(leaseTime time.Duration) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	p := &program{environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, leaseTime: leaseTime}
	os.Exit(p.run(ctx, os.Args[1:], &commandLine{}))
}

// program is the environment that a command runs in.
type program struct {
	environ []string // NAME=value
	stdin   io.Reader
	stdout  io.Writer        // results only
	stderr  io.Writer        // everything else
	now     func() time.Time // nil means time.Now

	leaseTime time.Duration // of leases in the database; 0: that of the store

	// Once the command line is read:
	sources config.Inputs     // of the settings
	flags   map[string]string // of the command, by the field of a form that each is
}

// run parses args into line, a pointer to a struct of kong, runs the command and
// returns the exit status.
func (p *program) run(ctx context.Context, args []string, line any) int {
	parser, err := parserInto(line)
	if err != nil {
		return p.finish(fmt.Errorf("the command line's own description: %w", err))
	}
	return p.runParsed(ctx, parser, args)
}

// parserInto returns what parses command lines of this program into line.
func parserInto(line any) (*kong.Kong, error) {
	return kong.New(line,
		kong.Name("webapp"),
		kong.Description("Rebatedesk: affiliate commissions of an exchange, collected, kept and reported.\n\n"+
			"Exit status: 0 done; 1 failed; 2 wrong usage or settings, each fault on a line with its remedy; 3 done but incomplete, each missing piece with its cause."),
		config.HelpOptions(),
		vocabulary(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
}

// runParsed is run with a parser, which may have parsed other command lines before.
func (p *program) runParsed(ctx context.Context, parser *kong.Kong, args []string) int {
	helped := false
	parser.Stdout, parser.Stderr, parser.Exit = p.stdout, p.stderr, func(int) { helped = true }
	parsed, err := parser.Parse(args)
	switch {
	case helped:
		return statusDone
	case err != nil:
		return p.finish(usage("%w (webapp --help shows what there is)", err))
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.Bind(p)
	p.flags = flagsOf(parsed)
	p.sources = config.Inputs{Flags: config.FlagsOf(parsed), ConfigFile: config.FileOf(parsed), Environ: p.environ, Now: p.now, LeaseTime: p.leaseTime}
	return p.finish(guard.Do(slog.New(slog.NewTextHandler(p.stderr, nil)), parsed.Command(), func() error { return parsed.Run() }))
}

// clock returns the current time.
func (p *program) clock() time.Time { return config.Config{Now: p.now}.Clock() }

// configure reads the settings that a command needs and opens the log.
func (p *program) configure(need config.Requirement) (config.Config, *slog.Logger, error) {
	cfg, err := config.Load(p.sources, need)
	if err != nil {
		return config.Config{}, nil, err
	}
	log := cfg.Log.Logger(p.stderr)
	if need&config.NeedStore != 0 {
		warnOfReaders(log, cfg.DB)
	}
	return cfg, log, nil
}

// warnOfReaders warns if every user of this machine can read the database. A new database
// is accessible only to its owner; a copy may not be. Permissions are not changed, because
// that is the owner's decision.
func warnOfReaders(log *slog.Logger, db config.Database) {
	paths := []string{db.Beside(database.KeySuffix)}
	if !db.Remote() {
		paths = append(paths, db.Beside(""), db.Beside("-wal"), db.Beside("-shm"))
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&files.ByOthers != 0 {
			log.Warn("everybody on this machine can reach the database", "file", path, "mode", fmt.Sprintf("%#o", info.Mode().Perm()), "hint", "chmod o= "+path)
		}
	}
}

// opened is the environment of a command: its settings, its log and its database.
type opened struct {
	cfg    config.Config
	log    *slog.Logger
	store  *store.Store
	stderr io.Writer
}

// withStore reads the settings that a command needs, opens the database, runs f and
// closes the database.
func (p *program) withStore(ctx context.Context, need config.Requirement, open database.Opener, f func(opened) error) error {
	cfg, log, err := p.configure(need)
	if err != nil {
		return err
	}
	return database.Use(ctx, cfg, open, func(st *store.Store) error { return f(opened{cfg, log, st, p.stderr}) })
}

// withKey is withStore for commands that seal secrets or write the audit log. The master
// key is created if it does not exist.
func (p *program) withKey(ctx context.Context, need config.Requirement, open database.Opener, f func(opened, secret.MasterKey) error) error {
	return p.withStore(ctx, need|config.NeedMasterKey, open, func(o opened) error {
		key, err := database.EnsureKey(ctx, o.cfg, o.store, o.stderr)
		if err != nil {
			return err
		}
		return errors.Join(f(o, key), p.keepAnchor(ctx, o))
	})
}

// act runs an act on the database, whose refusal is told as it is.
func (p *program) act(ctx context.Context, need config.Requirement, f func(opened) error) error {
	return p.withKey(ctx, need, database.OpenExisting, func(o opened, _ secret.MasterKey) error { return sentence(f(o)) })
}

// read runs f on one state of the database.
func (p *program) read(ctx context.Context, need config.Requirement, f func(config.Config, *store.Tx) error) error {
	return p.withStore(ctx, need, database.OpenExisting, func(o opened) error {
		r, err := o.store.Read(ctx)
		if err != nil {
			return err
		}
		return errors.Join(f(o.cfg, r), r.Close())
	})
}

// numberedRow is what a command is about that changes a row.
type numberedRow struct {
	config.MasterKeyFlag `embed:"" group:"settings"`

	Number int64 `arg:"" help:"Its number, as the command that shows the rows prints it."`
}

// Validate implements the check of kong.
func (r numberedRow) Validate() error {
	if r.Number < 1 {
		return fmt.Errorf("<number>: %d is not the number of a row: numbers begin at 1", r.Number)
	}
	return nil
}

// number prints the number of a row that a command added.
func (p *program) number(id int64, err error) error {
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "number: %d\n", id)
	}
	return err
}

// keepAnchor notes beside the database how far the audit log has come. That it cannot be noted does
// not undo what a command did.
func (p *program) keepAnchor(ctx context.Context, o opened) error {
	if _, _, err := database.KeepAnchor(ctx, o.cfg, o.store); err != nil {
		_, err = fmt.Fprintf(p.stderr, "webapp: %s: %v\n", database.AnchorFile(o.cfg), err)
		return err
	}
	return nil
}
