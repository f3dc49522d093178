#!/bin/sh
# Verifies a response token by all seven validation rules, with curl and jq. Protocol: README.md.
# JSON is read by jq because sed and grep cannot: a text that contains "success":true is no success.
set -u
refuse() { echo "$1" && exit 1; }

# 1. The call itself. If anything is missing, no visitor is accepted.
case ${HV_URL-} in http://?* | https://?*) ;; *) refuse options ;; esac
[ -n "${HV_SECRET-}" ] && [ -n "${HV_ACTION-}" ] && [ -n "${HV_HOSTNAMES-}" ] || refuse options
export HV_THRESHOLD="${HV_THRESHOLD:-0}" HV_TIMEOUT="${HV_TIMEOUT:-3}"
jq -en '(env.HV_THRESHOLD | tonumber) as $t | (env.HV_TIMEOUT | tonumber) as $s
  | $t >= 0 and $t <= 1 and $s > 0 and $s <= 60' >/dev/null 2>&1 || refuse options

# 2. The form's field, on standard input.
response=$(cat)
[ -n "$response" ] && [ ${#response} -le 2048 ] || refuse response

# 3. Ask. The secret travels by environment and pipe, never as an argument, which any user of the
# machine could read.
# A random UUID, version 4.
HV_KEY=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n' |
  sed 's/^\(.\{8\}\)\(.\{4\}\).\(...\).\(...\)\(.*\)$/\1-\2-4\3-a\4-\5/')
export HV_KEY
question=$(printf %s "$response" | jq -Rs '{secret: env.HV_SECRET, response: .,
  action: env.HV_ACTION, remoteip: (env.HV_REMOTEIP // ""), idempotency_key: env.HV_KEY}')
ask() { # seconds
  printf %s "$question" |
    curl -q --silent --max-time "$1" --max-filesize 65536 \
      --header 'Content-Type: application/json' --data-binary @- --write-out '\n%{http_code}' \
      "${HV_URL%/}/api/v1/siteverify"
}
began=$(date +%s)
answer=$(ask "$HV_TIMEOUT") || {
  # Lost on the way, and not by the time-out (28): once more, in whole seconds that are left. The
  # key tells the service that it is the same question.
  [ $? -ne 28 ] || refuse transport
  HV_LEFT=$(jq -en --argjson spent $(($(date +%s) - began)) \
    '(env.HV_TIMEOUT | tonumber) - $spent | select(. > 0)') || refuse transport
  answer=$(ask "$HV_LEFT") || refuse transport
}
[ "${answer##*
}" = 200 ] || refuse status

# 4. Judge: the rules in their order, on exact values only.
rule=$(printf %s "${answer%
*}" | jq -rs '
  def share: type == "number" and . >= 0 and . <= 1;
  if length != 1 or (.[0] | type) != "object" then "shape" else .[0]
  | (."error-codes" | if type == "array" then . else [] end) as $codes
  | if .success != true then
      if $codes | index("timeout-or-duplicate") then "fresh"
      elif $codes | index("action-mismatch") then "action"
      elif $codes | index("low-score") then "score"
      else "success" end
    elif ."error-codes" != [] then "error-codes"
    elif .action != env.HV_ACTION then "action"
    elif (.hostname | type) != "string" then "hostname"
    elif (.hostname | ascii_downcase) as $h | env.HV_HOSTNAMES | ascii_downcase | split(",")
      | index($h) | not then "hostname"
    elif (.score | share | not) or (.score_threshold | share | not) then "score"
    elif .score < .score_threshold or .score < (env.HV_THRESHOLD | tonumber) then "score"
    elif (.challenge_ts | type) != "string" then "shape"
    elif .challenge_ts
      | test("\\A[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\\z") | not then "shape"
    else "accepted" end
  end' 2>/dev/null) || refuse shape
[ "$rule" = accepted ] || refuse "$rule"
echo accepted
