curl --fail-with-body --silent --show-error "$HCTL_URL/api/v1/webhooks/$WEBHOOK_ID/test" \
  --header "Authorization: Bearer $HCTL_TOKEN" \
  --header 'Content-Type: application/json' \
  --data '{ "event_type": "site.created" }'
