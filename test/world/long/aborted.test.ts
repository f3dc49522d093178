/** Visitors who hang up: 100,000 requests that are aborted at any moment leave nothing behind. */
import { expect, test } from '@jest/globals'
import { eventually } from '../../support/ledger-contract.ts'
import { ORIGIN, SECRET, SITEKEY, sleep, startService } from '../../support/process.ts'
import { bytesOf, open } from '../../support/raw.ts'
import { BROWSER, token } from '../../support/visitor.ts'

const MEGABYTE = 1_048_576
const AT_ONCE = 50
/** At SIGUSR2 the service collects its garbage and reports its heap. */
const PROBE = `process.on('SIGUSR2', () => {
  gc()
  gc()
  console.error(JSON.stringify(process.memoryUsage()))
})`
const nodeArgs = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(PROBE)}`]
const service = await startService({ nodeArgs })

/** In bytes. `outside`: resident, and no part of V8's heap, whose young generation grows and shrinks when V8 likes. */
async function memory(): Promise<{
  readonly used: number
  readonly rss: number
  readonly outside: number
}> {
  const said = service.complaints().length
  service.signal('SIGUSR2')
  const { rss, heapTotal, heapUsed, external } = await eventually(
    () => JSON.parse(service.complaints().slice(said)) as NodeJS.MemoryUsage,
  )
  return { used: heapUsed + external, rss, outside: rss - heapTotal }
}

function request(operation: string, fields: Record<string, string>): Buffer {
  const headers = {
    ...BROWSER,
    origin: ORIGIN,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const body = new URLSearchParams(fields).toString()
  return bytesOf({ path: `/api/v1/${operation}`, headers: Object.entries(headers), body })
}

const REQUESTS = [
  request('challenge', { sitekey: SITEKEY, action: 'sign-up' }),
  request('solve', { challenge: 'none', solution: 'none', signals: 'x'.repeat(4000) }),
  request('siteverify', { secret: SECRET, response: 'none' }),
]

/** Sends a part of a request, or all of it, and resets the connection before an answer can be read. */
function abort(nth: number): Promise<void> {
  const bytes = REQUESTS[nth % REQUESTS.length]!
  const part = [bytes.length, bytes.length, bytes.length - 1, bytes.indexOf('\r\n\r\n') + 4, 40][
    nth % 5
  ]!
  return new Promise((resolve) => {
    const socket = open(service.url)
    socket.once('connect', () =>
      socket.write(bytes.subarray(0, part), () => socket.resetAndDestroy()),
    )
    socket.on('error', () => {})
    socket.once('close', () => resolve())
  })
}

async function abortMany(count: number): Promise<void> {
  let left = count
  const one = async (): Promise<void> => {
    while (left > 0) await abort(left--)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
}

test('100,000 aborted requests: ten seconds later memory is where it was', async () => {
  // What the process needs for so many connections at once is no leak, nor are the caches and limits it fills.
  await abortMany(5000)
  await sleep(10_000)
  const before = await memory()
  const marks: Awaited<ReturnType<typeof memory>>[] = []
  for (let round = 0; round < 10; round++) {
    await abortMany(10_000)
    marks.push(await memory())
  }
  await sleep(10_000)
  const after = await memory()
  await token(service.ask)
  expect(after.used - before.used).toBeLessThan(5 * MEGABYTE)
  expect(marks.at(-1)!.rss - marks[0]!.rss).toBeLessThan(20 * MEGABYTE)
  expect(after.outside - before.outside).toBeLessThan(20 * MEGABYTE)
}, 600_000)
