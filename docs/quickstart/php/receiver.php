<?php

declare(strict_types=1);

require __DIR__ . '/verify_webhook.php';

$body = (string) file_get_contents('php://input');
$signature = $_SERVER['HTTP_SERVICE_SIGNATURE'] ?? '';
if (!verify_webhook($body, $signature, [(string) getenv('WEBHOOK_SECRET')])) {
    http_response_code(400);
    exit();
}
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
error_log("{$event['type']} {$event['id']}"); // Store the event here, and work afterwards.
http_response_code(204);
