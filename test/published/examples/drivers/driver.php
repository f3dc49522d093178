<?php
declare(strict_types=1);

require __DIR__ . '/../../../../examples/verify/verify.php';

while (($line = fgets(STDIN)) !== false) {
    $call = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    foreach (['threshold', 'timeout'] as $name) {
        $call[$name] = $call[$name] === 'NaN' ? NAN : (float) $call[$name];
    }
    echo verify(...$call), "\n";
}
