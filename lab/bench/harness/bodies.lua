-- Sends the lines of a file as bodies, one after the other; counts the answers that hold what is wanted.
local bodies, next_body, counters = {}, 0, {}

function setup(thread) table.insert(counters, thread) end

function init(args)
  for line in io.lines(args[1]) do bodies[#bodies + 1] = line end
  wrk.method = 'POST'
  wrk.headers['Content-Type'] = 'application/x-www-form-urlencoded'
  wanted_text, wanted = args[2] or '', 0
end

function request()
  next_body = next_body % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[next_body])
end

function response(status, headers, body)
  if wanted_text == '' or body:find(wanted_text, 1, true) then wanted = wanted + 1 end
end

function done(summary, latency)
  local wanted = 0
  for _, thread in ipairs(counters) do wanted = wanted + thread:get('wanted') end
  io.write(string.format('{"requests":%d,"perSecond":%.1f,"p50":%.3f,"p99":%.3f,"wanted":%d}\n',
    summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, wanted))
end
