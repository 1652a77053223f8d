package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/delivery/carrier"
	"rebatedesk/dispatch"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/reports"
	"rebatedesk/store/outbox"
)

// try makes one try to deliver a file, and records its result. failed is why the try
// failed; err is an error of the database, or [outbox.ErrLeaseLost].
func (s *Service) try(ctx context.Context, d outbox.Delivery, id int64) (done outbox.File, failed, err error) {
	done, err = outbox.TakeFile(ctx, s.store, id, s.now(), leaseFor)
	if err != nil {
		return done, nil, err
	}
	work, stop := s.keep(ctx, done)
	failed = dispatch.Try(s.log, "a scheduled delivery", func() error { return s.deliver(work, d, &done) })
	stop()
	interrupted := failed != nil && ctx.Err() != nil // which is no failure
	err = dispatch.Note(ctx, s.store, s.log.With("delivery", d.Name, "file", id), func(ctx context.Context) error {
		switch {
		case failed == nil:
			return outbox.EndFile(ctx, s.store, done)
		case interrupted:
			return outbox.RenewFile(ctx, s.store, done, s.now())
		}
		return outbox.FailFile(ctx, s.store, done, s.now(), dispatch.Pause, failed.Error())
	})
	switch {
	case failed == nil && err == nil:
		s.log.Info("a file was delivered", "delivery", d.Name, "file", done.File, "rows", done.Rows, "complete", done.Complete)
	case failed != nil && !interrupted:
		s.log.Warn("a file was not delivered", "delivery", d.Name, "try", done.Tries, "error", failed)
	}
	return done, failed, err
}

// keep renews the lease of a file until stop is called. The context ends when the lease is
// lost.
func (s *Service) keep(ctx context.Context, taken outbox.File) (work context.Context, stop func()) {
	work, cancel := context.WithTimeoutCause(ctx, tryWithin, errors.New("the destination takes the file too slowly"))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-work.Done():
				return
			case <-time.After(renewEvery):
				if err := outbox.RenewFile(work, s.store, taken, s.now().Add(leaseFor)); errors.Is(err, outbox.ErrLeaseLost) {
					cancel()
					return
				}
			}
		}
	}()
	return work, func() {
		cancel()
		<-ended
	}
}

// deliver makes the file and its manifest, and puts them at the destination: the file first, so
// that a manifest never names a file that is not there.
func (s *Service) deliver(ctx context.Context, d outbox.Delivery, taken *outbox.File) (err error) {
	to, err := carrier.ParseDestination(d.To)
	if err != nil {
		return err
	}
	made, err := s.makeFile(ctx, d, taken)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, made.Close()) }()
	crashpoint.Pass(crashpoint.FileMade)
	there, err := carrier.Open(ctx, to, s.settings)
	if err != nil {
		return err
	}
	defer func() {
		if closing := there.Close(); err == nil && closing != nil {
			err = closing
		}
	}()
	if err := there.Put(ctx, taken.File, made, taken.Bytes); err != nil {
		return slow(ctx, err)
	}
	crashpoint.Pass(crashpoint.FilePut)
	if err := there.Put(ctx, ManifestName(taken.File), bytes.NewReader(made.manifest), int64(len(made.manifest))); err != nil {
		return slow(ctx, fmt.Errorf("the manifest: %w", err))
	}
	crashpoint.Pass(crashpoint.FileManifestPut)
	return s.removeIncomplete(ctx, d, *taken, there)
}

// slow returns why a context ended instead of what came of it.
func slow(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); ctx.Err() != nil && cause != nil {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// ManifestName returns the name of the manifest of a file.
func ManifestName(file string) string { return file + ".manifest.json" }

// removeIncomplete removes the incomplete files that an earlier delivery of the same period left,
// once the complete one is there.
func (s *Service) removeIncomplete(ctx context.Context, d outbox.Delivery, sent outbox.File, there carrier.Carrier) error {
	if !sent.Complete {
		return nil
	}
	list, err := s.between(ctx, d, affiliate.Days{First: sent.Days.Last, Last: sent.Days.Last})
	if err != nil {
		return err
	}
	for _, one := range list {
		if one.State != outbox.Incomplete || one.File == sent.File {
			continue
		}
		for _, name := range []string{ManifestName(one.File), one.File} {
			if err := there.Remove(ctx, name); err != nil {
				// The complete file is there; a storage may allow writing only.
				s.log.Warn("an incomplete file could not be removed", "delivery", d.Name, "file", name, "error", err)
			}
		}
	}
	return nil
}

// madeFile is a finished file in the temporary folder, which a killed process leaves no name of.
type madeFile struct {
	*os.File
	manifest []byte
}

// makeFile makes a file as one state of the database, and fills in its facts. The
// state is stored before anything is sent.
func (s *Service) makeFile(ctx context.Context, d outbox.Delivery, taken *outbox.File) (made *madeFile, err error) {
	select {
	case s.making <- struct{}{}:
		defer func() { <-s.making }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	file, err := os.CreateTemp("", "rebatedesk-delivery-*")
	if err != nil {
		return nil, fmt.Errorf("making room for the file: %w; make room in the temporary folder, or set TMPDIR to another one", err)
	}
	made = &madeFile{File: file}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
			made = nil
		}
	}()
	if err := os.Remove(file.Name()); err != nil {
		return nil, err
	}
	manifest, err := s.write(ctx, d, taken, file)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = manifest.Write(&text)
	made.manifest = text.Bytes()
	return made, err
}

// facts fills in what the log keeps of a file.
func facts(taken *outbox.File, m reports.ExportManifest, sums []byte) {
	taken.Bytes, taken.Rows, taken.SHA256, taken.Sums = m.Bytes, m.Rows, m.SHA256, string(sums)
}
