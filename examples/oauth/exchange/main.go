package main

import (
	"context"
	"io"
	"log"
	"net/url"
	"os"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	service := os.Getenv("HCTL_URL")
	identityToken, err := os.ReadFile(os.Getenv("ID_TOKEN_FILE"))
	if err != nil {
		log.Fatal(err)
	}
	config := clientcredentials.Config{
		ClientID:  "my job",
		TokenURL:  service + "/oauth/token",
		AuthStyle: oauth2.AuthStyleInParams,
		EndpointParams: url.Values{
			"grant_type":         {"urn:ietf:params:oauth:grant-type:token-exchange"},
			"subject_token":      {string(identityToken)},
			"subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"},
		},
	}
	me, err := config.Client(context.Background()).Get(service + "/api/v1/auth/me")
	if err != nil {
		log.Fatal(err)
	}
	defer me.Body.Close()
	io.Copy(os.Stdout, me.Body)
}
