package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"rebatedesk/access"
	"rebatedesk/web"
)

// demoUser is the administrator of the demo.
const demoUser = "demo"

// demoLogin gives the demo its user, under another password at each start: it
// is printed and kept nowhere.
func demoLogin(ctx context.Context, service *access.Service) (*web.Login, error) {
	login := &web.Login{User: demoUser, Password: rand.Text()}
	by := access.Actor{Name: demoUser, Via: access.ViaCommand}
	users, err := service.Users(ctx)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(users, func(u access.User) bool { return u.Name == demoUser }) {
		err = service.SetPassword(ctx, by, demoUser, login.Password)
	} else {
		err = service.AddUser(ctx, by, access.NewUser{Name: demoUser, Role: access.Admin, Password: login.Password})
	}
	if err != nil {
		return nil, fmt.Errorf("the user of the demo: %w", err)
	}
	return login, nil
}
