<?php

declare(strict_types=1);

require __DIR__ . '/verify_webhook.php';

const BODY_BYTES_MAX = 1_048_576;

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    exit();
}
$body = (string) file_get_contents('php://input', length: BODY_BYTES_MAX + 1);
if (strlen($body) > BODY_BYTES_MAX) {
    http_response_code(413);
    exit();
}
$signature = $_SERVER['HTTP_SERVICE_SIGNATURE'] ?? '';
if (!verify_webhook($body, $signature, [(string) getenv('WEBHOOK_SECRET')])) {
    http_response_code(400);
    exit();
}
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
error_log("{$event['type']} {$event['id']}"); // Store the event here, and work afterwards.
http_response_code(204);
