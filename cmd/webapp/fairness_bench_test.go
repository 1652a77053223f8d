package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/exchange/weex/simulator"
)

// BenchmarkFairness has these aims, while 64 connections with the cookie of one viewer
// request sorted and filtered pages without a pause:
//
//	another user's overview ≤ 3 × its time without other requests
//	memory 5 s afterwards   ≤ 1.5 × the memory before
//
// TestOneUserDoesNotHoldUpAnother of package web checks the order in which users get their
// turn, on any machine.

// flooders is the number of connections of the viewer who requests pages without a pause.
const flooders = 64

// BenchmarkFairness runs the server as a separate process over 20,000 records. Rounds with
// and without the flood alternate, so that other load on the machine affects both equally.
func BenchmarkFairness(b *testing.B) {
	d := newHarness(b, func(o *simulator.Options) { o.Days, o.Invitees, o.Records = 365, 1500, 20_000 })
	d.done([]string{"REBATEDESK_HISTORY=365d"}, "collect")
	const password = "seven lanterns uphill"
	for name, role := range map[string]string{"vera": "viewer", "mia": "manager"} {
		if status, said := d.typed(password, "user", "add", "--name", name, "--role", role, "--password-stdin"); status != statusDone {
			b.Fatal(said)
		}
	}
	s := serving(b, []string{"REBATEDESK_DB=" + d.db})
	vera, mia := signedInAt(b, s.url, "vera", password), signedInAt(b, s.url, "mia", password)
	for range 20 {
		answered(mia, s.url+"/")
	}
	const rounds, each = 4, 4 * time.Second
	for b.Loop() {
		var idle, flooded []time.Duration
		statuses := map[int]int{}
		before := residentMemory(b, s.Process.Pid)
		peak := before
		for range rounds {
			idle = append(idle, answersFor(b, mia, s.url+"/", each)...)
			until, over := context.WithCancel(b.Context())
			var flood sync.WaitGroup
			var mutex sync.Mutex
			for n := range flooders {
				flood.Go(func() {
					for i := n; until.Err() == nil; i += flooders {
						status := answered(vera, s.url+floodPage(i))
						mutex.Lock()
						statuses[status]++
						mutex.Unlock()
					}
				})
			}
			flooded = append(flooded, answersFor(b, mia, s.url+"/", each)...)
			peak = max(peak, residentMemory(b, s.Process.Pid))
			over()
			flood.Wait()
		}
		time.Sleep(5 * time.Second)
		after := residentMemory(b, s.Process.Pid)
		slices.Sort(idle)
		slices.Sort(flooded)
		b.ReportMetric(milliseconds(idle[len(idle)/2]), "idle-ms")
		b.ReportMetric(milliseconds(flooded[len(flooded)/2]), "flooded-ms")
		b.ReportMetric(milliseconds(flooded[len(flooded)-1]), "worst-ms")
		b.ReportMetric(float64(flooded[len(flooded)/2])/float64(idle[len(idle)/2]), "of-idle")
		b.ReportMetric(float64(before>>20), "before-MiB")
		b.ReportMetric(float64(peak>>20), "peak-MiB")
		b.ReportMetric(float64(after>>20), "after-MiB")
		b.Logf("the flood was answered with %v", statuses)
	}
	if took, err := s.terminated(); err != nil {
		b.Errorf("ended with %v after %v: %s", err, took, s.stderr)
	}
}

// floodPage returns one of many queries, nearly all of them new.
func floodPage(i int) string {
	return []string{
		fmt.Sprintf("/commissions?range=all&sort=-commission&page=%d", i%200+1),
		fmt.Sprintf("/commissions?range=all&sort=fee&q=%d", i%1000),
		fmt.Sprintf("/invitees?range=all&sort=-commission&q=%d", i%1000),
		fmt.Sprintf("/?range=all&compare=previous&q=%d", i%1000),
	}[i%4]
}

// signedInAt signs a user in as a browser does.
func signedInAt(b testing.TB, address, user, password string) *http.Client {
	b.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: flooders},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page, err := browser.Get(address + "/login")
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(page.Body)
	_ = page.Body.Close()
	token := tokenField.FindSubmatch(text)
	if err != nil || token == nil {
		b.Fatalf("no form of a sign-in: %v, %s", err, text)
	}
	answer, err := browser.PostForm(address+"/login", url.Values{"token": {string(token[1])}, "username": {user}, "password": {password}})
	if err != nil {
		b.Fatal(err)
	}
	_ = answer.Body.Close() // a redirect
	if answer.StatusCode != http.StatusSeeOther {
		b.Fatalf("signing in as %s: %s", user, answer.Status)
	}
	return browser
}

// answered reads a page to its end, compressed as browsers accept it, and returns its
// status, or 0 without an answer.
func answered(browser *http.Client, address string) int {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return 0
	}
	request.Header.Set("Accept-Encoding", "gzip")
	answer, err := browser.Do(request)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return 0
	}
	return answer.StatusCode
}

// answersFor opens a page repeatedly and returns the duration of each request.
func answersFor(b *testing.B, browser *http.Client, address string, long time.Duration) (took []time.Duration) {
	b.Helper()
	for until := time.Now().Add(long); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		began := time.Now()
		if status := answered(browser, address); status != http.StatusOK {
			b.Errorf("the overview was answered with %d", status)
		}
		took = append(took, time.Since(began))
	}
	return took
}

// residentMemory returns the resident memory of a process, in bytes.
func residentMemory(b *testing.B, pid int) int64 { return memoryOf(b, pid, "VmRSS:") }

// memoryOf returns a line of the memory that Linux reports for a process.
func memoryOf(b *testing.B, pid int, line string) int64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("this system does not tell the memory of a process")
	}
	_, mark, _ := strings.Cut(string(status), line)
	kib, err := strconv.ParseInt(strings.Fields(mark)[0], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib << 10
}
