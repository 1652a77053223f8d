package collector_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/internal/crashtest"
	"rebatedesk/store"
)

// The credentials that a child has of its exchange.
const (
	childKey        = "child-key"
	childSecret     = "child-secret"
	childPassphrase = "child-phrase"
)

// childLease is how long nobody else collects after the death of a child, on PostgreSQL.
const childLease = 1500 * time.Millisecond

// task is the input of a child.
type task struct {
	Path, URL string
	Zone      string // of the reporting day
	Now       int64  // ms: its clock does not advance
	History   time.Duration
	Since     affiliate.Day // as in collector.RunRequest
	crashtest.Aim
}

func TestMain(m *testing.M) { crashtest.Main(m, beCollector) }

// beCollector opens the database and collects once, saying when it begins.
func beCollector(t task) error {
	t.Take()
	zone, err := time.LoadLocation(t.Zone)
	if err != nil {
		return err
	}
	now := func() time.Time { return time.UnixMilli(t.Now).UTC() }
	client, err := weex.New(exchange.Config{
		BaseURL: t.URL, Key: childKey, Secret: childSecret, Passphrase: childPassphrase,
		Budget: exchange.NewBudget(1_000_000), Now: now, Backoff: time.Millisecond,
	})
	if err != nil {
		return err
	}
	fmt.Println("begins")
	s, err := store.Open(context.Background(), t.Path, store.Options{Now: now, Zone: zone, LeaseTime: childLease})
	if err != nil {
		return err
	}
	_, err = collector.New(collector.Options{
		Store: s, Accounts: []collector.Target{{Name: "main", Source: client}}, History: t.History, Now: now, KeepAnswers: 30,
	}).Collect(context.Background(), collector.RunRequest{Cause: "child", Since: t.Since})
	return errors.Join(err, s.Close())
}

// child is a collector in a separate process.
type child struct {
	*exec.Cmd
	testing.TB
	ended chan error
}

// startChild starts one and waits until it begins.
func startChild(t testing.TB, work task) *child {
	t.Helper()
	c := &child{crashtest.Child(t, work), t, make(chan error, 1)}
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the child said %q: %v (%v)", line, err, c.Wait())
	}
	go func() { c.ended <- c.Wait() }()
	return c
}

// killed waits for the end of the child and reports whether it was killed. A child that
// fails in any other way fails the test.
func (c *child) killed() bool {
	c.Helper()
	err := <-c.ended
	if err != nil && c.ProcessState.ExitCode() != -1 { // -1: by a signal
		c.Fatalf("the child: %v", err)
	}
	return err != nil
}

// killAfter lets the child work for a while and kills it.
func (c *child) killAfter(pause time.Duration) (killed bool) {
	c.Helper()
	select {
	case err := <-c.ended:
		c.ended <- err
	case <-time.After(pause):
		if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			c.Fatal(err)
		}
	}
	return c.killed()
}
