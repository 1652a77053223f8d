package demo

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/web/signin"
)

// Users of the demo: its administrator, and a trader who sends orders to the simulated
// exchange.
const (
	UserName   = "demo"
	traderUser = "trader"
)

// Logins holds the credentials of the demo's users. It is empty outside a demo.
type Logins struct{ Admin, Trader *signin.Login }

// Enter creates the demo's users.
func Enter(ctx context.Context, service *access.Service) (logins Logins, err error) {
	if logins.Admin, err = login(ctx, service, UserName, access.Admin); err != nil {
		return Logins{}, err
	}
	logins.Trader, err = login(ctx, service, traderUser, access.Trader)
	return logins, err
}

// login creates a user with a new password at each start. The password is stored
// nowhere.
func login(ctx context.Context, service *access.Service, name string, role access.Role) (*signin.Login, error) {
	login := &signin.Login{User: name, Password: rand.Text()}
	by := access.Actor{Name: UserName, Via: access.ViaCommand}
	users, err := service.Users(ctx)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(users, func(u access.User) bool { return u.Name == name }) {
		err = service.SetPassword(ctx, by, name, store.AnyVersion, login.Password)
	} else {
		err = service.AddUser(ctx, by, access.NewUser{Name: name, Role: role, Password: login.Password})
	}
	if err != nil {
		return nil, fmt.Errorf("the user %s of the demo: %w", name, err)
	}
	return login, nil
}
