// Makes the calls of the suite with a client that oapi-codegen has generated, in the package hosting.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"github.com/oapi-codegen/nullable"

	"example.com/client/hosting"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("HOSTING_TOKEN"))
	return nil
}

func clientOf(variable string) *hosting.ClientWithResponses {
	return must(hosting.NewClientWithResponses(
		os.Getenv(variable)+"/api/v1", hosting.WithRequestEditorFn(authorize)))
}

func valueOf[T any](value nullable.Nullable[T]) any {
	if value.IsNull() || !value.IsSpecified() {
		return nil
	}
	return value.MustGet()
}

func main() {
	ctx := context.Background()
	client, later := clientOf("HOSTING_URL"), clientOf("HOSTING_LATER_URL")
	url, retry, one := os.Getenv("HOSTING_WEBHOOK_URL"), "a retry", 1
	none := &hosting.WebhooksCreateParams{}

	me := must(client.AuthMeWithResponse(ctx, nil)).JSON200
	accounts := must(me.Accounts.AsAuthMeResultAccounts0())
	create := func() *hosting.WebhooksCreateResponse {
		return must(client.WebhooksCreateWithResponse(ctx,
			&hosting.WebhooksCreateParams{IdempotencyKey: &retry},
			hosting.WebhooksCreateBody{
				Url: url, Events: []string{"site.*"},
				Description: nullable.NewNullableWithValue("first"),
			}))
	}
	created, replayed := create(), create()
	must(client.WebhooksCreateWithResponse(ctx, none,
		hosting.WebhooksCreateBody{Url: url, Events: []string{"*"}}))
	page := must(client.WebhooksListWithResponse(ctx, &hosting.WebhooksListParams{Limit: &one})).JSON200
	cursor := page.NextCursor.MustGet()
	next := must(client.WebhooksListWithResponse(ctx,
		&hosting.WebhooksListParams{Limit: &one, Cursor: &cursor})).JSON200
	id, disabled := created.JSON201.Webhook.Id, false
	absent := must(client.WebhooksUpdateWithResponse(ctx, id, nil,
		hosting.WebhooksUpdateBody{Enabled: &disabled})).JSON200.Webhook
	removed := must(client.WebhooksUpdateWithResponse(ctx, id, nil,
		hosting.WebhooksUpdateBody{Description: nullable.NewNullNullable[string]()})).JSON200.Webhook
	key := must(client.ApiKeysCreateWithResponse(ctx, nil,
		hosting.ApiKeysCreateBody{Name: "CI", Scopes: []string{"webhooks:read"}})).JSON201
	dead := hosting.WebhookDeliveriesListParamsStatus("dead")
	deliveries := must(client.WebhookDeliveriesListWithResponse(ctx,
		&hosting.WebhookDeliveriesListParams{Status: &dead})).JSON200
	bad := hosting.WebhooksCreateBody{Url: "ftp://example.com", Events: []string{"*"}}
	refused := must(client.WebhooksCreateWithResponse(ctx, none, bad))
	var pointer any
	if errors := refused.ApplicationproblemJSON422.Errors; errors != nil {
		pointer = (*errors)[0].Pointer
	}
	laterKeys := must(later.ApiKeysListWithResponse(ctx, nil)).JSON200
	laterWebhook := must(later.WebhooksGetWithResponse(ctx, id, nil)).JSON200
	laterRefused := must(later.WebhooksCreateWithResponse(ctx, none, bad))

	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"accounts":        accounts,
		"url":             created.JSON201.Webhook.Url,
		"disabled_reason": valueOf(page.Items[0].DisabledReason),
		"replayed": []any{
			replayed.JSON201.Webhook.Id == id,
			valueOf(replayed.JSON201.Secret),
			replayed.HTTPResponse.Header.Get("Idempotency-Replayed"),
		},
		"next":    next.Items[0].Id == id,
		"absent":  []any{valueOf(absent.Description), absent.Enabled},
		"removed": valueOf(removed.Description),
		"key":     key.Key.Name,
		"dead":    len(deliveries.Items),
		"problem": []any{refused.StatusCode(), refused.ApplicationproblemJSON422.Code, pointer},
		"later": []any{
			laterKeys.Items[0].Kind,
			laterWebhook.Webhook.Health.State,
			laterRefused.ApplicationproblemJSON422.Code,
		},
	}))
}
