-- Sends the lines of a file as bodies, one after the other; counts the answers that hold what is wanted.
local bodies, next_body, counters = {}, 0, {}

function setup(thread) table.insert(counters, thread) end

function init(args)
  for line in io.lines(args[1]) do bodies[#bodies + 1] = line end
  wrk.method = 'POST'
  wrk.headers['Content-Type'] = args[2]
  wanted_text, sent, wanted, other = args[3] or '', 0, 0, 0
  for i = 4, #args do
    local name, value = args[i]:match('^(.-): (.*)$')
    wrk.headers[name] = value
  end
end

function request()
  next_body = next_body % #bodies + 1
  sent = sent + 1
  return wrk.format(nil, nil, nil, bodies[next_body])
end

function response(status, headers, body)
  if wanted_text == '' or body:find(wanted_text, 1, true) then wanted = wanted + 1 end
  if status < 200 or status > 299 then other = other + 1 end
end

function done(summary, latency)
  local wanted, other = 0, 0
  for _, thread in ipairs(counters) do
    wanted, other = wanted + thread:get('wanted'), other + thread:get('other')
  end
  io.write(string.format('{"requests":%d,"perSecond":%.1f,"p50":%.3f,"p99":%.3f,"not2xx":%d,"wanted":%d,"broken":%d}\n',
    summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    other, wanted, summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
