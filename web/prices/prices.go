// Package prices has the handlers of the page on which prices are imported for days without a collected
// one.
package prices

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/pricing"
	"rebatedesk/store"
	stored "rebatedesk/store/prices"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/prices"
)

// Area holds the handlers.
type Area struct {
	*handler.Base
	desk *reports.Service // writing; nil: it is off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }

// importsShown is how many imports the page lists.
const importsShown = 100

// done are the changes that the page can confirm after a redirect.
var done = map[string]string{
	"imported": "The prices are stored. Figures of their days use them from now on, and say so.",
	"undone":   "The import is undone.",
}

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	if s.desk == nil {
		return nil
	}
	return []route.Route{
		route.Private("/prices/import", access.MayEdit, s.Imports).
			Help("Import prices", "Which days have no price of their own, and how do I give them one from a file?", "price", "rate sample", "imported price", "valuation").
			Listed(navigation.Collection, "database", "prices rates import csv upload file usdt worth value converted").Called("Prices"),
		route.Page("/prices/import.csv", access.MayExport, s.File(s.imported, "prices.csv")).DescribeFile("The imported prices that are in force, as they can be imported.", route.NoParams),
		route.Page("/prices/lacking.csv", access.MayExport, s.File(s.lacking, "prices-lacking.csv")).
			DescribeFile("The days with commission that have no price of their own, as a price file whose prices are to be filled in.", route.NoParams),
		route.Post("/prices/import", access.MayEdit, s.Import),
		route.Post("/prices/import/preview", access.MayEdit, s.Preview).WithFile(),
		route.Post("/prices/import/:id/undo", access.MayEdit, s.Undo),
	}
}

// report asks which days have a price.
func (s *Area) report(c *fiber.Ctx) (pricing.Report, error) {
	q, err := s.QueryOf(c, nil, pricing.Accepted)
	if err != nil {
		return pricing.Report{}, err
	}
	report, err := reports.Ask(c.UserContext(), s.Whole, q, pricing.Make)
	if err != nil {
		return report, fmt.Errorf("days with a price: %w", err)
	}
	return report, nil
}

// Imports says which days have no price, and lists the imports.
func (s *Area) Imports(c *fiber.Ctx) error {
	report, err := s.report(c)
	if err != nil {
		return err
	}
	list, err := reports.PricesOf(s.desk).Imports(c.UserContext(), importsShown)
	if err != nil {
		return err
	}
	return s.Render(c, templates.Imports(s.Page(c, "Import prices", templates.Path), templates.View{
		Report: report, Token: s.Token(c), Imports: list, Done: done[c.Query("done")], Files: s.May(c, access.MayExport),
	}))
}

// Preview shows what a price file would change, or what is wrong with it.
func (s *Area) Preview(c *fiber.Ctx) error {
	uploaded := s.Uploaded(c)
	view := templates.PreviewView{Name: affiliate.OneLine(uploaded.Name), Token: s.Token(c)}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		if len(uploaded.Text) == 0 {
			f.Alert = "No file was chosen, or it is empty: choose a price file."
			return "", nil
		}
		return "", handler.AtPreview(s.Base, c, func(ctx context.Context) error {
			file, err := stored.ParseFile(ctx, uploaded.Text)
			if err != nil {
				return err
			}
			if view.Changes, err = reports.PricesOf(s.desk).Compare(ctx, file); err != nil {
				return err
			}
			view.Words = reports.PriceWords(view.Changes, file)
			view.Draft, err = reports.PeopleOf(s.desk).SaveDraft(ctx, s.Reader(c), view.Name, uploaded.Text)
			return err
		})
	}, func(f *handler.Sent) error {
		view.Problem, view.Faults = f.Alert, f.Mistakes
		return s.Render(c, templates.Preview(s.Page(c, "Preview of a price file", templates.Path), view))
	})
}

// Import stores a price file that was shown as a preview.
func (s *Area) Import(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		// The place comes first: a draft is taken once.
		return handler.Confirming(templates.Path, "imported"), handler.AtPreview(s.Base, c, func(ctx context.Context) error {
			draft, err := reports.PeopleOf(s.desk).TakeDraft(ctx, f.Fields.Get("draft"), s.Reader(c))
			if rule, ok := errors.AsType[*store.RuleError](err); ok {
				return handler.NewProblem(fiber.StatusConflict, rule.Problem)
			}
			if err != nil {
				return err
			}
			file, err := stored.ParseFile(ctx, draft.Content)
			if err != nil {
				return err
			}
			if _, _, err := reports.PricesOf(s.desk).Import(ctx, file, draft.Name, f.By); err != nil {
				return fmt.Errorf("import prices: %w", err)
			}
			return nil
		})
	}, nil)
}

// Undo undoes an import of prices.
func (s *Area) Undo(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		_, err := reports.PricesOf(s.desk).Undo(c.UserContext(), f.ID, f.By)
		return handler.Confirming(templates.Path, "undone"), err
	}, nil)
}

func (s *Area) imported(c *fiber.Ctx) ([]stored.Price, error) {
	return reports.PricesOf(s.desk).All(c.UserContext())
}

func (s *Area) lacking(c *fiber.Ctx) ([]stored.Price, error) {
	report, err := s.report(c)
	return report.Lacking, err
}

// File answers with a list of prices as a price file.
func (s *Area) File(list func(*fiber.Ctx) ([]stored.Price, error), name string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		prices, err := list(c)
		if err != nil {
			return err
		}
		var file bytes.Buffer
		if err := stored.WriteFile(&file, prices); err != nil {
			return fmt.Errorf("price file: %w", err)
		}
		if c.Method() != fiber.MethodHead {
			if err := s.Record(c, "export", name, ""); err != nil {
				return err
			}
		}
		c.Set(fiber.HeaderContentType, export.CSV.ContentType())
		c.Set(fiber.HeaderContentDisposition, handler.ContentDisposition(name))
		return c.Send(file.Bytes())
	}
}
