package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/store/identity"
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

// favourites are the pairs that the new trader follows.
var favourites = []string{"BTCUSDT_SPBL", "ETHUSDT_SPBL", "SOLUSDT_SPBL"}

// Enter creates the demo's users, and the favourites of a trader who was not there yet.
func Enter(ctx context.Context, st *store.Store, service *access.Service) (logins Logins, err error) {
	users, err := service.Users(ctx)
	if err != nil {
		return Logins{}, err
	}
	if logins.Admin, err = login(ctx, service, users, UserName, access.Admin); err != nil {
		return Logins{}, err
	}
	if logins.Trader, err = login(ctx, service, users, traderUser, access.Trader); err != nil || isIn(users, traderUser) {
		return logins, err
	}
	for _, pair := range favourites {
		err = errors.Join(err, identity.SetFavourite(ctx, st, traderUser, pair, true))
	}
	return logins, err
}

func isIn(users []access.User, name string) bool {
	return slices.ContainsFunc(users, func(u access.User) bool { return u.Name == name })
}

// login creates a user with a new password at each start. The password is stored
// nowhere.
func login(ctx context.Context, service *access.Service, users []access.User, name string, role access.Role) (_ *signin.Login, err error) {
	login := &signin.Login{User: name, Password: rand.Text()}
	for strings.Contains(strings.ToLower(login.Password), name) { // such a password is refused
		login.Password = rand.Text()
	}
	by := access.Actor{Name: UserName, Via: access.ViaCommand}
	if isIn(users, name) {
		err = service.SetPassword(ctx, by, name, store.AnyVersion, login.Password)
	} else {
		err = service.AddUser(ctx, by, access.NewUser{Name: name, Role: role, Password: login.Password})
	}
	if err != nil {
		return nil, fmt.Errorf("the user %s of the demo: %w", name, err)
	}
	return login, nil
}
