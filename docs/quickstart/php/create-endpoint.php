<?php

declare(strict_types=1);

$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Authorization: Bearer ' . getenv('HCTL_TOKEN'),
        'Content-Type: application/json',
    ],
    'content' => json_encode(['url' => getenv('WEBHOOK_URL'), 'events' => ['*']]),
    'ignore_errors' => true, // The body of a refusal says what to do.
]]);
$body = (string) file_get_contents(getenv('HCTL_URL') . '/api/v1/webhooks', false, $context);
$created = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
if (!isset($created['secret'])) {
    fwrite(STDERR, "{$body}\n");
    exit(1);
}
echo "WEBHOOK_ID={$created['webhook']['id']}\n";
echo "WEBHOOK_SECRET={$created['secret']}\n"; // It is returned only once.
