<?php

// Prints the result of verify.php for every vector, as JSON. Argument: the folder docs/webhooks.

declare(strict_types=1);

$folder = $argv[1];
require "$folder/verify.php";

$vectors = json_decode(file_get_contents("$folder/../generated/webhook-vectors.json"), true, flags: JSON_THROW_ON_ERROR);
$results = array_map(
    fn (array $each): bool => verify_webhook($each['body'], $each['header'], $each['secrets'], $each['now']),
    $vectors,
);
echo json_encode($results, JSON_THROW_ON_ERROR), "\n";
