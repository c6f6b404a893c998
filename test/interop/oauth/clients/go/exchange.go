package main

import (
	"context"
	"errors"
	"net/url"
	"os"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

func exchange(identityToken string) (*oauth2.Token, error) {
	config := clientcredentials.Config{
		ClientID: "ci",
		TokenURL: endpoint.TokenURL,
		EndpointParams: url.Values{
			"grant_type":         {"urn:ietf:params:oauth:grant-type:token-exchange"},
			"subject_token":      {identityToken},
			"subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"},
		},
	}
	return config.Token(context.Background())
}

func exchangeTokens() {
	token, err := exchange(os.Getenv("IDENTITY_TOKEN"))
	check(err)
	before, name := me(token.AccessToken)
	revoke(token.AccessToken)
	after, _ := me(token.AccessToken)
	_, err = exchange(os.Getenv("WRONG_TOKEN"))
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		panic(err)
	}
	show(map[string]any{
		"statuses": []int{before, after},
		"name":     name,
		"scope":    token.Extra("scope"),
		"refused":  refused.ErrorCode,
	})
}
