package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// leadIn is the variable that turns this test binary into a node that leads the collection
// of a database. Its value is the place of the database.
const leadIn = "REBATEDESK_TEST_LEAD_IN"

// leaseTime is how long the leases of these tests last.
const leaseTime = 1500 * time.Millisecond

func nodeOptions(name string) store.Options {
	return store.Options{Node: name, LeaseTime: leaseTime}
}

// beLeader is the main function of the child process: it says when it leads, writes what it
// has read as soon as it gets a line, and says what came of it.
func beLeader(place string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := store.Open(ctx, place, nodeOptions("child"))
	if err != nil {
		return err
	}
	in := bufio.NewReader(os.Stdin)
	s.Lead(ctx, store.CollectorLease, nil, func(ctx context.Context) {
		run, err := records.StartRun(ctx, s, "main", "child")
		fmt.Println("leads", err)
		for err == nil {
			if _, err = in.ReadString('\n'); err != nil {
				break
			}
			slice := storetest.DaySlice(storetest.OneDay)
			slice.Run = run
			_, late := records.ReplaceCommissions(context.WithoutCancel(ctx), s, slice, nil)
			fmt.Println(errors.Is(late, store.ErrSuperseded), ctx.Err() != nil, late)
		}
		cancel()
	})
	return s.Close()
}

// leader is a node in a process of its own.
type leader struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startLeader starts a node and waits until it leads.
func startLeader(t *testing.T, place string) *leader {
	t.Helper()
	child := &leader{Cmd: exec.CommandContext(t.Context(), os.Args[0])}
	child.Env, child.Stderr = append(os.Environ(), leadIn+"="+place), os.Stderr
	var err error
	if child.in, err = child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	child.out = bufio.NewReader(out)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		child.in.Close()
		if err := child.Process.Kill(); err == nil {
			_ = child.Wait() // it was killed
		}
	})
	if said := child.says(t); said != "leads <nil>" {
		t.Fatalf("the child said %q", said)
	}
	return child
}

func (c *leader) says(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the child said %q: %v", line, err)
	}
	return strings.TrimSpace(line)
}

// leads runs the store's work of a lease and returns a channel that is closed when it leads.
func leads(t *testing.T, s *store.Store, lease store.Lease) <-chan struct{} {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	began, ended := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(began) })
	go func() {
		defer close(ended)
		s.Lead(ctx, lease, slog.Default(), func(ctx context.Context) {
			begin()
			<-ctx.Done()
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return began
}

// within waits for a channel, and returns how long it took.
func within(t *testing.T, most time.Duration, done <-chan struct{}) time.Duration {
	t.Helper()
	begun := time.Now()
	select {
	case <-done:
	case <-time.After(most):
		t.Fatalf("nothing within %s", most)
	}
	return time.Since(begun)
}

// holder returns the node that holds a lease.
func holder(t *testing.T, s *store.Store, lease store.Lease) string {
	t.Helper()
	list, err := s.Holders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		if h.Lease == lease {
			return h.Node
		}
	}
	return ""
}

// A node that is killed is followed when its lease ends, and its run is ended by the next.
func TestKilledLeaderIsFollowed(t *testing.T) {
	storetest.PostgresOnly(t)
	place := storetest.Empty(t)
	s := storetest.OpenAt(t, place, nodeOptions("parent"))
	child := startLeader(t, place)
	began := leads(t, s, store.CollectorLease)
	select {
	case <-began:
		t.Fatal("two nodes lead")
	case <-time.After(2 * leaseTime): // it lasts as long as it is renewed
	}
	if node := holder(t, s, store.CollectorLease); node != "child" {
		t.Errorf("the holder is %q", node)
	}
	if _, _, err := s.Lock(t.Context(), store.BackupLease); err != nil {
		t.Errorf("another lease: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	took := within(t, time.Minute, began)
	t.Logf("followed after %s, with leases of %s", took, leaseTime)
	if node := holder(t, s, store.CollectorLease); node != "parent" {
		t.Errorf("the holder is %q", node)
	}
}

// A node that stands still between reading and writing, and is followed meanwhile, writes
// nothing when it goes on.
func TestLateWriteIsRefused(t *testing.T) {
	storetest.PostgresOnly(t)
	place := storetest.Empty(t)
	s := storetest.OpenAt(t, place, nodeOptions("parent"))
	child := startLeader(t, place)
	began := leads(t, s, store.CollectorLease)
	if err := child.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	within(t, time.Minute, began)
	if _, err := records.StartRun(t.Context(), s, "main", "parent"); err != nil {
		t.Fatal(err)
	}
	before, err := s.LastWrite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(child.in, "go on\n"); err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if said := child.says(t); !strings.HasPrefix(said, "true true ") {
		t.Errorf("the late write: %s", said)
	}
	if after, err := s.LastWrite(t.Context()); err != nil || after != before {
		t.Errorf("the state went from %d to %d (%v)", before, after, err)
	}
}

// Many nodes that want the same lease have it one after the other, each for as long as it
// works.
func TestOneLeaderAtATime(t *testing.T) {
	storetest.PostgresOnly(t)
	place := storetest.Empty(t)
	const nodes, times = 4, 5
	var leading, turns atomic.Int32
	done := make(chan struct{}, nodes)
	for range nodes {
		s := storetest.OpenAt(t, place, nodeOptions("same name"))
		go func() {
			defer func() { done <- struct{}{} }()
			for range times {
				s.Lead(t.Context(), store.MailLease, nil, func(ctx context.Context) {
					if leading.Add(1) != 1 {
						t.Error("two lead at once")
					}
					if err := s.UpdateQuietly(ctx, func(*store.Tx) error { return nil }); err != nil {
						t.Error(err)
					}
					turns.Add(1)
					leading.Add(-1)
				})
			}
		}()
	}
	for range nodes {
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("%d turns in a minute", turns.Load())
		}
	}
	if turns.Load() != nodes*times {
		t.Errorf("%d turns, want %d", turns.Load(), nodes*times)
	}
}

// A command interrupts a server that leads and is between two runs, and no server that is
// working. The server leads again afterwards.
func TestCommandBetweenRuns(t *testing.T) {
	storetest.PostgresOnly(t)
	place := storetest.Empty(t)
	server, command := storetest.OpenAt(t, place, nodeOptions("server")), storetest.OpenAt(t, place, nodeOptions("command"))
	within(t, time.Minute, leads(t, server, store.CollectorLease))
	run, end, err := server.Lock(t.Context(), store.CollectorLease)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := command.Lock(t.Context(), store.CollectorLease); !errors.Is(err, store.ErrLocked) {
		t.Errorf("during a run of the server: %v", err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	mine, give, err := command.Lock(t.Context(), store.CollectorLease)
	if err != nil {
		t.Fatal(err)
	}
	if err := command.UpdateQuietly(mine, func(*store.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, _, err := server.Lock(t.Context(), store.CollectorLease); !errors.Is(err, store.ErrLocked) {
		t.Errorf("the server during the command: %v", err)
	}
	if err := server.UpdateQuietly(context.WithoutCancel(run), func(*store.Tx) error { return nil }); !errors.Is(err, store.ErrSuperseded) {
		t.Errorf("a late write of the server: %v", err)
	}
	if err := give(); err != nil {
		t.Fatal(err)
	}
	if holder(t, command, store.CollectorLease) == "command" {
		t.Error("the command still holds the lease")
	}
}

// If the connection is cut while a process takes a lease or gives it back, the same process
// takes the lease at once, and nobody else does while it has it.
func TestLeaseThroughACutNetwork(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	direct := storetest.Empty(t)
	place, cut := storetest.NewCut(t, direct)
	s, other := storetest.OpenAt(t, place, store.Options{Node: "same name"}), storetest.OpenAt(t, direct, store.Options{Node: "same name"})
	once := func() error {
		ctx, release, err := s.Lock(t.Context(), store.CollectorLease)
		if err != nil {
			return err
		}
		err = s.UpdateQuietly(ctx, func(*store.Tx) error { return nil })
		if _, _, taken := other.Lock(t.Context(), store.CollectorLease); !errors.Is(taken, store.ErrLocked) {
			t.Errorf("another process takes the lease: %v", taken)
		}
		if _, _, taken := s.Lock(t.Context(), store.CollectorLease); !errors.Is(taken, store.ErrLocked) {
			t.Errorf("the same process takes the lease twice: %v", taken)
		}
		return errors.Join(err, release())
	}
	storetest.Done(t, once())
	failed := 0
	cuts := cut.Each(storetest.Every(1, 1), false, func() {
		if err := once(); err != nil {
			failed++
		}
	}, func(at storetest.Break) {
		if err := once(); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	})
	if cuts < 16 || failed < cuts/2 {
		t.Errorf("%d cuts, %d failures", cuts, failed)
	}
}

// A leader hears what another node asks of it.
func TestLeaderIsAsked(t *testing.T) {
	storetest.PostgresOnly(t)
	place := storetest.Empty(t)
	leader, other := storetest.OpenAt(t, place, nodeOptions("a")), storetest.OpenAt(t, place, nodeOptions("b"))
	heard := make(chan struct{})
	began := make(chan struct{})
	go leader.Lead(t.Context(), store.CollectorLease, nil, func(ctx context.Context) {
		close(began)
		<-store.Requested(ctx)
		close(heard)
	})
	within(t, time.Minute, began)
	if err := other.Ask(t.Context(), store.CollectorLease); err != nil {
		t.Fatal(err)
	}
	within(t, time.Minute, heard)
}

// A server that cannot be reached ends the lead before the lease ends.
func TestLeadEndsWithTheServer(t *testing.T) {
	storetest.PostgresOnly(t)
	place, name := storetest.NewDatabase(t, "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
	s := storetest.OpenAt(t, place, nodeOptions("cut"))
	ended := make(chan error, 1)
	began := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.Lead(ctx, store.CollectorLease, nil, func(ctx context.Context) {
		close(began)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		cancel()
	})
	within(t, time.Minute, began)
	storetest.CutOff(t, name)
	select {
	case err := <-ended:
		if !errors.Is(err, store.ErrLeaseEnded) {
			t.Errorf("ended by %v", err)
		}
	case <-time.After(2 * leaseTime):
		t.Error("it still leads")
	}
}
