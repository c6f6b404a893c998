# SIGNATURE: the value of Service-Signature. body.json: the raw body, unchanged.
t=$(printf '%s' "$SIGNATURE" | tr ',' '\n' | sed -n 's/^t=//p')
age=$(($(date +%s) - t))
expected=$({ printf '%s.' "$t"; cat body.json; } |
  openssl dgst -sha256 -r -hmac "$WEBHOOK_SECRET" | cut -d ' ' -f 1)
if [ "${age#-}" -le 300 ] && printf '%s' "$SIGNATURE" | tr ',' '\n' | grep -qx "v1=$expected"
then echo genuine
else echo refused
fi
