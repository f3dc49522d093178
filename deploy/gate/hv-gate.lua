-- Asks hv-gate about a request, and answers the visitor with what it says. For HAProxy 2.6 or later.
local GATE = os.getenv("HV_GATE") or "http://127.0.0.1:8090"
-- Not for the gate: what belongs to the connection, and what a visitor may have forged.
local OWN = { ["connection"] = true, ["content-length"] = true, ["transfer-encoding"] = true, ["expect"] = true, ["host"] = true,
  ["x-forwarded-uri"] = true, ["x-forwarded-method"] = true, ["x-forwarded-host"] = true, ["upgrade"] = true }
local COPIED = { "content-type", "cache-control", "vary", "hv-required", "x-robots-tag", "content-security-policy",
  "x-content-type-options", "referrer-policy" }

core.register_action("hv_gate", { "http-req" }, function(txn)
  local headers = {}
  local sent = txn.http:req_get_headers()
  for name, values in pairs(sent) do
    if not OWN[name] then
      headers[name] = {}
      for i = 0, #values do headers[name][i + 1] = values[i] end
    end
  end
  headers["x-forwarded-uri"] = { txn.f:pathq() }
  headers["x-forwarded-method"] = { txn.f:method() }
  headers["x-forwarded-host"] = { sent["host"] and sent["host"][0] or "" }

  local r = core.httpclient():get{ url = GATE .. "/check/forward", headers = headers, timeout = 500 }
  if r and r.status >= 200 and r.status < 300 then
    txn.http:req_set_header("x-hv-clearance", r.headers["x-hv-clearance"][0])
    return
  end
  local reply = txn:reply{ status = (r and r.status > 0) and r.status or 503 }
  for _, name in ipairs(COPIED) do
    if r and r.headers and r.headers[name] then reply:add_header(name, r.headers[name][0]) end
  end
  if r and r.body then reply:set_body(r.body) end
  txn:done(reply)
end)
