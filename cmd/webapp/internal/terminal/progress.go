// Package terminal draws the progress of long commands on a terminal.
package terminal

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"rebatedesk/collector"
	"rebatedesk/store/upkeep"
)

// progressEvery is the interval at which the bar is redrawn.
const progressEvery = 200 * time.Millisecond

// ShowProgress draws the progress of a collection on a terminal until stop is
// called. Anywhere else it draws nothing.
func ShowProgress(w io.Writer, progress func() collector.Progress) (stop func()) {
	return showBar(w, func(bar *progressbar.ProgressBar) { draw(bar, progress()) })
}

// ShowCopying is ShowProgress for a copy of a database.
func ShowCopying(w io.Writer, at *atomic.Pointer[upkeep.CopyProgress]) (stop func()) {
	return showBar(w, func(bar *progressbar.ProgressBar) {
		if p := at.Load(); p != nil && p.Of > 0 {
			bar.ChangeMax64(p.Of)
			bar.Describe(p.Table)
			_ = bar.Set64(p.Rows)
		}
	})
}

func showBar(w io.Writer, draw func(*progressbar.ProgressBar)) (stop func()) {
	if !isTerminal(w) {
		return func() {}
	}
	bar := progressbar.NewOptions(1,
		progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(30), progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false))
	done := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				_ = bar.Clear() // the terminal may be gone; nothing depends on it
				return
			case <-ticker.C:
				draw(bar)
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		drawing.Wait()
	})
}

// draw draws one state. Terminal errors cannot be reported.
func draw(bar *progressbar.ProgressBar, p collector.Progress) {
	if !p.Running || p.Wanted == 0 {
		return
	}
	text := fmt.Sprintf("%s %s %s to %s · %d records · %d requests", p.Account, p.Stream, p.Window.First, p.Window.Last, p.Records, p.Requests)
	if p.Remaining > 0 {
		text += fmt.Sprintf(" · %s left", p.Remaining.Round(time.Second))
	}
	bar.ChangeMax(p.Wanted)
	bar.Describe(text)
	_ = bar.Set(p.Done)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
