package signin

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/signin"
)

// keptField is the field with the sealed form that waits for the proof.
const keptField = "kept"

// Fresh lets a form through if its sender recently proved their presence. Otherwise it
// answers with a request for that proof and the route is not reached; the page holds
// the sealed form, which then continues as it was sent. The page links back to the page
// of the form.
func (s *Area) Fresh(c *fiber.Ctx, back string) (through bool, err error) {
	who, fields := s.Who(c), s.Form(c)
	waited := fields.Has(keptField)
	if waited {
		kept, err := s.keptForm(c, fields.Get(keptField))
		if err != nil {
			return false, err
		}
		c.Locals(handler.FormKey, kept)
	}
	if proved, err := s.Access.SteppedUp(c.UserContext(), who.Principal, handler.StepUpWithin); proved || err != nil {
		return proved, err
	}
	if !waited {
		c.Status(http.StatusForbidden)
		return false, s.askProof(c, "", back)
	}
	proof, wrong := fields.Get("password"), "The password is wrong."
	if who.HasTOTP {
		proof, wrong = strings.TrimSpace(fields.Get("totp")), handler.WrongCode
	}
	err = s.Access.Prove(c.UserContext(), who.Principal, proof)
	if alert, ok := handler.ExplainRefusal(c, err, wrong); ok {
		return false, s.askProof(c, alert, back)
	}
	return err == nil, err
}

// keptForm opens a waiting form, which only this session can have sent to this address.
func (s *Area) keptForm(c *fiber.Ctx, text string) (url.Values, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		sealed, err = s.Access.Kept(s.Who(c).Principal, c.Path(), sealed)
	}
	if err != nil {
		return nil, handler.NewProblem(fiber.StatusForbidden, "The form was refused and nothing was changed: what it holds is not of this session. Open the page again and send it once more.")
	}
	return url.ParseQuery(string(sealed))
}

// askProof requests the code, or the password if the user has no authenticator.
func (s *Area) askProof(c *fiber.Ctx, alert, back string) error {
	who, fields := s.Who(c), url.Values{}
	for name, value := range s.Form(c) {
		if name != "token" {
			fields[name] = value
		}
	}
	sealed := s.Access.Keep(who.Principal, c.Path(), []byte(fields.Encode()))
	return s.RenderSecret(c, templates.Proof(s.Page(c, "Confirm it is you", back), templates.ProofView{
		Alert: alert, Code: who.HasTOTP, Action: c.Path(), Back: back, Token: s.Token(c), User: who.User, Demo: s.Demo,
		Kept: base64.RawURLEncoding.EncodeToString(sealed),
	}))
}
