package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"golang.org/x/oauth2"
)

func main() {
	service, ctx := os.Getenv("HCTL_URL"), context.Background()
	config := oauth2.Config{ClientID: "my tool", Endpoint: oauth2.Endpoint{
		DeviceAuthURL: service + "/oauth/device_authorization",
		TokenURL:      service + "/oauth/token",
		AuthStyle:     oauth2.AuthStyleInParams,
	}}
	codes, err := config.DeviceAuth(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Open %s and check that it shows %s\n", codes.VerificationURI, codes.UserCode)
	token, err := config.DeviceAccessToken(ctx, codes)
	if err != nil {
		log.Fatal(err)
	}
	me, err := config.Client(ctx, token).Get(service + "/api/v1/auth/me")
	if err != nil {
		log.Fatal(err)
	}
	defer me.Body.Close()
	io.Copy(os.Stdout, me.Body)
}
