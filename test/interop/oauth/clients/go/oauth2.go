package main

import (
	"context"
	"errors"

	"golang.org/x/oauth2"
)

var endpoint = oauth2.Endpoint{
	DeviceAuthURL: service + "/oauth/device_authorization",
	TokenURL:      service + "/oauth/token",
}

func fetchToken(scopes []string) (*oauth2.Token, error) {
	ctx := context.Background()
	config := oauth2.Config{ClientID: clientID, Scopes: scopes, Endpoint: endpoint}
	codes, err := config.DeviceAuth(ctx)
	check(err)
	showCode(codes.UserCode)
	return config.DeviceAccessToken(ctx, codes)
}

var oauth2Library = library{
	signIn: func(scopes []string) (string, string) {
		token, err := fetchToken(scopes)
		check(err)
		return token.AccessToken, token.Extra("scope").(string)
	},
	errorOf: func() string {
		_, err := fetchToken(nil)
		var refused *oauth2.RetrieveError
		if !errors.As(err, &refused) {
			panic(err)
		}
		return refused.ErrorCode
	},
}
