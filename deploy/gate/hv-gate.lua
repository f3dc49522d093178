-- Asks hv-gate about a request, and answers the visitor with what it says. For HAProxy 2.6 or later.
-- Lets a request in only on an answer of the gate that has its header; an error in this file lets nobody in.
-- HV_GATE names one gate, or several with spaces between: a gate that is restarted refuses connections.
local GATES = {}
for gate in (os.getenv("HV_GATE") or "http://127.0.0.1:8090"):gmatch("%S+") do GATES[#GATES + 1] = gate end
-- The one that answered last is asked first: HAProxy tries a connection that is refused for a second and more.
local first = 1

-- The headers that the gate gets, by exact name. A list of what to leave out, or of prefixes, would let a visitor
-- decide how many headers the client of HAProxy sends: it has room for 101, and more end HAProxy 2.6.
local ASKED = {
  "accept", "accept-language", "access-control-request-method", "cookie", "hx-boosted", "origin",
  "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "upgrade", "upgrade-insecure-requests", "x-forwarded-for", "x-forwarded-proto",
  -- What rules commonly look at. Add the header of a rule of your own here.
  "authorization", "content-type", "git-protocol", "referer", "user-agent",
  -- Agents sign their requests. Add the other headers that a signature of yours covers.
  "signature", "signature-agent", "signature-input",
  -- Programs may take the method or the path from these.
  "x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url",
}
-- A browser may send its cookies in several lines by HTTP/2. The gate reads them as one.
local COOKIE_LINES = 50
-- The headers of the gate's answer that the visitor gets.
local ANSWERED = {
  "content-type", "cache-control", "vary", "hv-required", "hx-refresh", "x-robots-tag", "content-security-policy",
  "x-content-type-options", "referrer-policy",
}

-- Returns the value of a header that the visitor sent. Lines of one header count together.
local function value_of(values, separator)
  local lines = {}
  for i = 0, math.min(#values, COOKIE_LINES) do lines[#lines + 1] = values[i] end
  return table.concat(lines, separator)
end

-- Returns the answer of the gate, or nil where there is none.
local function ask(txn)
  local sent = txn.http:req_get_headers()
  local headers = {
    ["x-forwarded-uri"] = { txn.f:pathq() },
    ["x-forwarded-method"] = { txn.f:method() },
    ["x-forwarded-host"] = { sent["host"] and sent["host"][0] or "" },
  }
  for _, name in ipairs(ASKED) do
    if sent[name] then headers[name] = { value_of(sent[name], name == "cookie" and "; " or ", ") } end
  end
  local answer
  local begin = first
  for i = 0, #GATES - 1 do
    local at = (begin - 1 + i) % #GATES + 1
    answer = core.httpclient():get{ url = GATES[at] .. "/check/forward", headers = headers, timeout = 500 }
    if answer and answer.status > 0 and answer.status < 500 then
      first = at
      return answer
    end
  end
  return answer
end

-- Ends a request with the gate's refusal, or with 503 where the gate gave none that it marked.
local function refuse(txn, answer)
  local reply = txn:reply{ status = answer and answer.status >= 400 and answer.status or 503 }
  for _, name in ipairs(ANSWERED) do
    local values = answer and answer.headers and answer.headers[name]
    if values then reply:add_header(name, values[0]) end
  end
  if answer and answer.body then reply:set_body(answer.body) end
  txn:done(reply)
end

core.register_action("hv_gate", { "http-req" }, function(txn)
  local asked, answer = pcall(ask, txn)
  if not asked then
    core.Alert("hv-gate: " .. tostring(answer))
    answer = nil
  end
  local lets_in = answer and answer.status == 204 and answer.headers
  local clearance = lets_in and lets_in["x-hv-clearance"]
  local guest = lets_in and lets_in["x-hv-guest"]
  if clearance and guest then
    txn.http:req_set_header("x-hv-clearance", clearance[0])
    txn.http:req_set_header("x-hv-guest", guest[0])
    txn:set_var("txn.hv_let_in", true)
  else
    refuse(txn, answer)
  end
end)
