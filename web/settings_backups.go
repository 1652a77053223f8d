package web

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/web/templates"
)

func (s *settingsArea) backupList(c *fiber.Ctx) error {
	if s.Backups == nil {
		return fiber.ErrNotFound
	}
	state, err := s.Backups.State(c.UserContext())
	if err != nil {
		return err
	}
	return s.render(c, templates.Backups(templates.BackupsView{Settings: s.settingsPage(c, "Backups", "/settings/backups"),
		BackupState: state, Running: s.backingUp.Load() || state.Running()}))
}

// backUpNow begins a backup in the background, unless one that was begun here
// is still at work, and leads to its progress.
func (s *settingsArea) backUpNow(c *fiber.Ctx) error {
	if s.Backups == nil {
		return fiber.ErrNotFound
	}
	if err := s.record(c, "back up now", "", ""); err != nil {
		return err
	}
	if s.backingUp.CompareAndSwap(false, true) {
		s.Go(func() {
			defer s.backingUp.Store(false)
			if err := s.guarded("back up now", func() error { return s.Backups.Make(s.Life) }); err != nil {
				s.Log.Warn("backup asked for by a page failed", "error", err)
			}
		})
	}
	return c.Redirect("/settings/backups", fiber.StatusSeeOther)
}
