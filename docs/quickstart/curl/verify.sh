# SIGNATURE: the value of Service-Signature. body.json: the raw body, unchanged.
# t is one number of at most 15 digits, otherwise empty: $(( )) runs commands that it finds in a value.
t=$(printf '%s' ",$SIGNATURE," | sed -nE '/,t=.*,t=/d; s/.*,t=([1-9][0-9]{0,14}),.*/\1/p')
age=$(($(date +%s) - ${t:-0}))
expected=$({ printf '%s.' "$t"; cat body.json; } |
  openssl dgst -sha256 -r -hmac "$WEBHOOK_SECRET" | cut -d ' ' -f 1)
if [ "${age#-}" -le 300 ] && [ -n "$WEBHOOK_SECRET" ] && [ -n "$expected" ] &&
  printf '%s' "$SIGNATURE" | tr ',' '\n' | grep -qx "v1=$expected"
then echo genuine
else echo refused
fi
