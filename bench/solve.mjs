/**
 * What does one solve cost at the default level? Real challenges, really solved; each body is sent again and again, and
 * is answered again each time by the same path: open, ledger, check of the work, score, mint. Issue 8: at most 350 µs.
 *
 *     npm run bench -- solve [--quick]
 */
import { join } from 'node:path'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { median } from './harness/rounds.mjs'
import { generationOf, ORIGIN, setUp, SITEKEY, startService } from './harness/service.mjs'
import { compared, MINE, OTHER, sideBySide, startTarget } from './harness/side-by-side.mjs'

const { honestWork } = await import(join(ROOT, 'dist/doctor/obtain-token.js'))
const quick = process.argv.includes('--quick')
const size = quick ? { count: 3, seconds: 2 } : { count: 7, seconds: 3 }
const BASE = 'bare Express + SET NX'
const SOLVED = quick ? 16 : 64
/** As the widget of a person with mouse and keys would say it. */
const SIGNALS = JSON.stringify({
  v: 1,
  automation: { webdriver: 0, headless: 0, artefacts: 0, altered: 0, console: 0 },
  input: { trusted: 120, moves: 80, coalesced: 61, presses: 3, keys: 30, keyHold: 85 },
  page: { visible: 1, focused: 1, firstTouch: 2300, filling: 9100 },
  environment: { languages: 2, cores: 8, touchPoints: 0, platformAgrees: 1, workerAgrees: 1, windowed: 1 },
  work: { ms: 240, workers: 4 },
})
const headers = {
  Origin: ORIGIN,
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  'Accept-Language': 'en-US,en;q=0.9',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
}

const redis = await startRedis(OTHER)
const set = setUp({ redis })
const service = await startService(set, { core: MINE })
await generationOf(redis)
const solved = []
for (let i = 0; i < SOLVED; i++) {
  const fields = new URLSearchParams({ sitekey: SITEKEY, action: 'sign-up' })
  const res = await fetch(`${service.url}/api/v1/challenge`, { method: 'POST', body: fields, headers })
  const { challenge, work } = await res.json()
  solved.push(String(new URLSearchParams({ challenge, solution: honestWork(challenge, work), signals: SIGNALS })))
}
const bodies = async () => solved
const reference = await startTarget('reference', { env: { REDIS: redis.url } })
const contenders = [
  { ...service, path: '/api/v1/solve', bodies, headers, wanted: '"token":"', name: 'this service' },
  { ...reference, path: '/api/v1/siteverify', bodies, headers, wanted: '', name: BASE },
]
let results
try {
  await sideBySide(contenders, { connections: 64, count: 3, seconds: size.seconds })
  results = await sideBySide(contenders, { connections: 64, ...size })
} finally {
  for (const each of contenders) await each.stop()
  await redis.stop()
  set.remove()
}
writeResult(
  'solve',
  `# What one solve costs

${inWords('npm run bench -- solve', machine())}
64 connections, ${size.count} rounds of ${size.seconds} s, each after a second that does not count, in turns; medians. Default level, ${SOLVED} challenges solved beforehand.

${compared(results, BASE)}
`,
  { microsPerRequest: Math.round(median(results.get('this service').map(({ micros }) => micros))) },
  quick,
)
