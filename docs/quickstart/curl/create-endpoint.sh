# Prints the endpoint with its signing secret, which is shown only once.
curl --fail-with-body --silent --show-error "$HCTL_URL/api/v1/webhooks" \
  --header "Authorization: Bearer $HCTL_TOKEN" \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: quickstart-$(date +%s)" \
  --data "{ \"url\": \"$WEBHOOK_URL\", \"events\": [\"*\"] }"
