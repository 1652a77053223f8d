package statements

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	stored "rebatedesk/store/statements"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/statements"
	"rebatedesk/web/templates/ui"
)

// payeeOf returns the UID in the address.
func payeeOf(c *fiber.Ctx) (affiliate.UID, error) {
	text, err := url.PathUnescape(c.Params("uid"))
	if err != nil {
		text = ""
	}
	uid, err := uidIn(text)
	if err != nil {
		return "", handler.NewProblem(fiber.StatusNotFound, "No sub-affiliate can have this UID: a UID is up to 32 digits or letters, such as 6424873609.")
	}
	return uid, nil
}

// Payee shows to whom the statements of a sub-affiliate are addressed, and the statements.
func (s *Area) Payee(c *fiber.Ctx) error {
	values, err := parameters(c, "done")
	if err != nil {
		return err
	}
	return s.showPayee(c, nil, done[values.Get("done")])
}

func (s *Area) showPayee(c *fiber.Ctx, form *ui.Form, done string) error {
	uid, err := payeeOf(c)
	if err != nil {
		return err
	}
	v := templates.PayeeView{UID: uid, Token: s.token(c), Done: done}
	if form != nil {
		v.Form = *form
	} else {
		payee, err := s.Whole.Payee(c.UserContext(), uid)
		if err != nil {
			return wrapped("payee", err)
		}
		v.Form.Values = map[string]string{"name": payee.Name, "address": payee.Address, "email": payee.Email, "payment": payee.Payment}
	}
	if v.List, err = s.Whole.Statements(c.UserContext(), stored.Query{UID: uid}); err != nil {
		return wrapped("list of statements", err)
	}
	return s.Render(c, templates.PayeePage(s.Page(c, "Payee of sub-affiliate "+string(uid), "/statements"), v))
}

// SavePayee replaces the payee of a sub-affiliate.
func (s *Area) SavePayee(c *fiber.Ctx) error {
	uid, err := payeeOf(c)
	if err != nil {
		return err
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		payee := stored.Payee{Name: f.Text("name"), Address: f.Text("address"), Email: f.Text("email"), Payment: f.Text("payment")}
		if payee.Email != "" {
			address, err := mailer.ParseAddress(payee.Email)
			if err != nil {
				f.Fault("email", err.Error())
				return "", nil
			}
			payee.Email = address
		}
		return confirmed(templates.PayeePath(uid), "payee"), s.Whole.SavePayee(c.UserContext(), uid, payee, f.By)
	}, func(f *handler.Sent) error { return s.showPayee(c, &f.Form, "") })
}
