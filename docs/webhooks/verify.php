<?php

declare(strict_types=1);

const WEBHOOK_TOLERANCE_SECONDS = 300;

/**
 * Reports whether a delivery is genuine.
 *
 * @param string $body the raw body, as received
 * @param string $header the value of Service-Signature, '' if there is none
 * @param list<string> $secrets usually one, with its whsec_; any of them may match
 * @param int|null $now the receiver's clock in Unix seconds; time() by default
 */
function verify_webhook(string $body, string $header, array $secrets, ?int $now = null): bool
{
    $fields = ['t' => [], 'v1' => []];
    foreach (explode(',', $header) as $item) {
        [$name, $value] = explode('=', $item, 2) + [1 => ''];
        $fields[$name][] = $value;
    }
    [$t, $signatures] = [$fields['t'][0] ?? '', $fields['v1']];
    if (count($fields['t']) !== 1 || preg_match('/\A[0-9]{1,15}\z/', $t) !== 1) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $t) > WEBHOOK_TOLERANCE_SECONDS) {
        return false;
    }
    foreach ($secrets as $secret) {
        if ($secret === '') {
            continue; // An unset variable would be a secret that everybody knows.
        }
        $expected = hash_hmac('sha256', "$t.$body", $secret);
        foreach ($signatures as $signature) {
            if (hash_equals($expected, $signature)) {
                return true;
            }
        }
    }
    return false;
}
