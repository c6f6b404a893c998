<?php

declare(strict_types=1);

$curl = curl_init(getenv('HCTL_URL') . '/api/v1/webhooks');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ' . getenv('HCTL_TOKEN'),
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => json_encode(['url' => getenv('WEBHOOK_URL'), 'events' => ['*']]),
]);
$body = (string) curl_exec($curl);
if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 201) {
    exit($body);
}
$created = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
echo "WEBHOOK_ID={$created['webhook']['id']}\n";
echo "WEBHOOK_SECRET={$created['secret']}\n"; // It is returned only once.
