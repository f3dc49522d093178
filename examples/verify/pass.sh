#!/bin/sh
# Makes a pass: you vouch for one visitor, who then needs no score. With openssl. Protocol: README.md beside this file.
set -u
refuse() { echo options && exit 1; }

[ -n "${HV_SECRET-}" ] || refuse
printf %s "${HV_ACTION-}" | LC_ALL=C grep -Eqx '[A-Za-z0-9_/.-]{1,64}' || refuse
printf %s "${HV_HOSTNAME-}" | LC_ALL=C grep -Eqx '[A-Za-z0-9_.-]{1,253}' || refuse
minutes=${HV_MINUTES:-30}
printf %s "$minutes" | LC_ALL=C grep -Eqx '[1-9][0-9]{0,3}' && [ "$minutes" -le 1440 ] || refuse

# Keys travel by pipes and the shell's own printf, never as an argument, which everybody on the machine could read.
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
sha256() { openssl dgst -sha256 -r | cut -c1-64; }
bytes() { # hexadecimal, a number that each byte is combined with by exclusive or
  rest=$1
  while [ -n "$rest" ]; do
    last=${rest#??}
    printf "\\$(printf %03o $((0x${rest%"$last"} ^ $2)))"
    rest=$last
  done
}
hmac() { # key in hexadecimal, at most 64 bytes; the message on standard input (RFC 2104)
  key=$1
  while [ ${#key} -lt 128 ]; do key=${key}00; done
  inner=$({ bytes "$key" 54 && cat; } | sha256)
  { bytes "$key" 92 && bytes "$inner" 0; } | sha256
}

# HKDF-SHA-256 (RFC 5869) of the secret's hash, without a salt.
hash=$(printf %s "$HV_SECRET" | sha256)
prk=$(bytes "$hash" 0 | hmac 00)
key=$(printf 'human-verification/1/pass\001' | hmac "$prk")

now=${HV_NOW:-$(date +%s)}
jti=${HV_ID:-$(openssl rand 16 | base64url)}
hostname=$(printf %s "$HV_HOSTNAME" | tr '[:upper:]' '[:lower:]')
claims=$(printf '{"act":"%s","hst":"%s","iat":%d,"exp":%d,"jti":"%s"}' "$HV_ACTION" "$hostname" "$now" $((now + minutes * 60)) "$jti")
signed=$(printf %s '{"alg":"HS256","typ":"hv-pass+jwt"}' | base64url).$(printf %s "$claims" | base64url)
signature=$(printf %s "$signed" | hmac "$key")
echo "$signed.$(bytes "$signature" 0 | base64url)"
