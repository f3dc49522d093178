#!/bin/sh
# Starts one of the two programs of the image: with `gate` as the first word hv-gate, otherwise hv.
# The flags are those of the units. For the service, semi-spaces of 64 MiB: with the default of 16 MiB the young objects of
# many pending requests are copied too often, which takes 15 % of the processor time of a verification. The minimum keeps that
# size while the service is idle: V8 would shrink it to 1 MiB. Old objects are collected when their number has tripled, not
# after each idle period. Costs and savings: docs/operate/operations.md, "Sizing"; docs/design/performance.md, "Flags of Node.js".
set -e
if [ "$1" = gate ]; then
  shift
  # Its files: hv-gate.yaml, and by default the key file and the secret.
  cd /etc/hv-gate
  exec node --no-maglev --no-parallel-scavenge /app/node_modules/@human-verification/gate/dist/main.js "$@"
fi
# As PID 1 a shell ignores signals that it does not name: an early end of the container would wait for its time-out.
trap 'exit 0' TERM INT
# On a platform that gives a volume and variables alone, a key and a first site, once. Its secret is printed once.
if [ "$1" = serve ] && [ -n "$SITE_HOSTNAME" ]; then
  [ -e "$HV_KEYRING" ] || node /app/dist/main.js keygen
  if [ ! -e "$HV_CONFIG" ]; then
    node /app/dist/main.js site add --hostname "$SITE_HOSTNAME"
    [ -z "$SITE_PROXIES" ] || echo "trusted_proxies: [$SITE_PROXIES]" >>"$HV_CONFIG"
  fi
fi
exec node --min-semi-space-size=64 --max-semi-space-size=64 --heap-growing-percent=200 --no-memory-reducer --no-maglev /app/dist/main.js "$@"
