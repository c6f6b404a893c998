package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/cli/oauth/api"
	"github.com/cli/oauth/device"
)

func waitForToken(scopes []string) (*api.AccessToken, error) {
	codes, err := device.RequestCode(http.DefaultClient, endpoint.DeviceAuthURL, clientID, scopes)
	check(err)
	showCode(codes.UserCode)
	options := device.WaitOptions{ClientID: clientID, DeviceCode: codes}
	return device.Wait(context.Background(), http.DefaultClient, endpoint.TokenURL, options)
}

var cliOauthLibrary = library{
	signIn: func(scopes []string) (string, string) {
		token, err := waitForToken(scopes)
		check(err)
		return token.Token, token.Scope
	},
	errorOf: func() string {
		_, err := waitForToken(nil)
		var refused *api.Error
		if !errors.As(err, &refused) {
			panic(err)
		}
		return refused.Code
	},
}
