curl --fail-with-body --silent --show-error "$HCTL_URL/api/v1/webhooks/$WEBHOOK_ID/deliveries" \
  --header "Authorization: Bearer $HCTL_TOKEN"
