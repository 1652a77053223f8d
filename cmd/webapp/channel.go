package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/mail"
	"rebatedesk/store/outbox"
)

// channelCommand manages the channels: where messages go besides single mail addresses.
type channelCommand struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.MailFlags     `embed:"" group:"settings"`
	config.ReportFlags   `embed:"" group:"settings"`
	config.PublicURLFlag `embed:"" group:"settings"`
	config.MasterKeyFlag `embed:"" group:"settings"`
	config.ReachFlags    `embed:"" group:"settings"`

	Add    channelAdd  `cmd:"" help:"Add a channel; its address is sealed. Of a webhook the signing secret is printed, this once."`
	List   channelList `cmd:"" help:"List the channels, without what their addresses are."`
	Test   channelName `cmd:"" help:"Send a test message now and wait for the answer."`
	Pause  channelName `cmd:"" help:"Send nothing to a channel until it is resumed."`
	Resume channelName `cmd:"" help:"Go on with a channel that is paused or has stopped."`
	Rotate channelName `cmd:"" help:"Give a webhook another signing secret and print it, this once; the one before signs too for a day."`
	Remove channelName `cmd:"" help:"End a channel for good; the log of it stays."`
}

type channelAdd struct {
	Name    string   `required:"" placeholder:"NAME" help:"Name of the channel."`
	Kind    string   `required:"" enum:"webhook,telegram,slack,discord,email" placeholder:"KIND" help:"webhook (Standard Webhooks), telegram, slack, discord or email (a named group of addresses)."`
	URLFile string   `name:"url-file" field:"address,recipients" required:"" placeholder:"FILE" help:"File with the address and nothing else: https://… of a webhook, of Slack or of Discord; https://api.telegram.org/bot<token>?chat_id=<chat>; mailto:anna@example.com,ben@example.com. Plain http is for addresses of this machine and of a private network, which need ALLOW_PRIVATE_URLS=on."`
	Events  []string `placeholder:"EVENTS" help:"Events that it is told of, separated by commas: ${events}. Schedules and alerts name channels themselves."`
	Owner   string   `placeholder:"ADDRESS" help:"Mail address that is told when the channel stops because its receiver takes nothing."`
}

// Run stores the channel. Only the secret of a webhook is printed.
func (c *channelAdd) Run(ctx context.Context, p *program) error {
	cfg, err := config.Load(p.sources, needMail)
	if err != nil {
		return err
	}
	if err := checkFile("--url-file", c.URLFile); err != nil {
		return err
	}
	content, err := files.ReadLimited(c.URLFile, config.MaxSecretFile)
	if err != nil {
		return usage("--url-file cannot be read: %w; name a readable file that holds nothing but the address", err)
	}
	form := mail.NewChannel{Name: c.Name, Kind: c.Kind, Address: strings.TrimSpace(string(content)), Events: c.Events, Owner: c.Owner}
	if err := form.CheckChannel(ctx, cfg.Reach); err != nil {
		return misused(err)
	}
	return p.withMail(ctx, true, func(d summaryWork) error {
		secret, err := d.Service.AddChannel(ctx, form, d.by)
		if err != nil {
			return err
		}
		return printSecret(p, secret)
	})
}

func printSecret(p *program, secret string) error {
	if secret == "" {
		return nil
	}
	_, err := fmt.Fprintln(p.stdout, "secret: "+secret)
	return err
}

type channelList struct{}

// Run prints a line for each channel, never its address.
func (*channelList) Run(ctx context.Context, p *program) error {
	return p.withMail(ctx, false, func(d summaryWork) error {
		list, err := d.Service.Channels(ctx)
		if err != nil {
			return err
		}
		return printTable(p, "NAME\tKIND\tADDRESS\tEVENTS\tSTATE\tLAST SENT (UTC)\tANSWER", list, func(c outbox.Channel) string {
			last, answer := "never", ""
			if c.Last != nil {
				last, answer = string(c.Last.State)+" "+moment(c.Last.Queued.Time()), c.Last.Answer
			}
			return strings.Join([]string{c.Name, c.Kind, c.Shown, dash(strings.Join(c.Events, ",")), channelState(c), last, dash(answer)}, "\t")
		})
	})
}

// channelState describes the state of a channel in a few words.
func channelState(c outbox.Channel) string {
	switch {
	case c.Fault != "":
		return "stopped: " + c.Fault
	case c.Paused.Known():
		return "paused"
	case c.Failing.Known():
		return "failing since " + moment(c.Failing.Time())
	}
	return "active"
}

// channelName names one channel, as an argument or with --name.
type channelName struct {
	Channel string `arg:"" optional:"" placeholder:"NAME" help:"Name of the channel."`
	Name    string `placeholder:"NAME" help:"The same as a flag."`
}

// Run does with the named channel what the command is named after. A test fails if the receiver does not
// accept it.
func (c channelName) Run(ctx context.Context, p *program, k *kong.Context) error {
	if (c.Channel == "") == (c.Name == "") {
		return usage("say which channel: its name; webapp channel list shows them")
	}
	part := "--name"
	if c.Channel != "" {
		part = "<channel>"
	}
	if err := checkName(part, c.Channel+c.Name); err != nil {
		return err
	}
	return p.withMail(ctx, true, func(d summaryWork) error {
		one, err := d.Service.ChannelNamed(ctx, c.Channel+c.Name)
		if err != nil {
			return err
		}
		switch act := k.Selected().Name; act {
		case "pause", "resume":
			return d.Service.PauseChannel(ctx, one, act == "pause", d.by)
		case "remove":
			return d.Service.RemoveChannel(ctx, one, d.by)
		case "rotate":
			secret, err := d.Service.RotateChannel(ctx, one, d.by)
			if err != nil {
				return err
			}
			return printSecret(p, secret)
		}
		if err := d.Service.TestChannel(ctx, one, d.by); err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.stderr, "webapp: the test message was accepted")
		return err
	})
}

// channels returns the recipients that are the named channels.
func (d summaryWork) channels(ctx context.Context, names []string) (recipients []string, err error) {
	for _, name := range names {
		c, err := d.Service.ChannelNamed(ctx, name)
		if err != nil {
			return nil, err
		}
		recipients = append(recipients, outbox.ChannelAddress(c.ID))
	}
	return recipients, nil
}

// standIns are recipients for named channels while the database is not open yet.
func standIns(names []string) (recipients []string) {
	for i := range names {
		recipients = append(recipients, outbox.ChannelAddress(int64(i)))
	}
	return recipients
}

// checkChannels checks the names of channels, and that none is given twice.
func checkChannels(names []string) error {
	for i, name := range names {
		if err := checkName("--channel", name); err != nil {
			return err
		}
		if slices.ContainsFunc(names[:i], func(other string) bool { return strings.EqualFold(other, name) }) {
			return usage("--channel %s is given twice", config.Echo(name))
		}
	}
	return nil
}
