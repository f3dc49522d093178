/**
 * Published client libraries, unmodified, parse every answer of the shape that they expect. Those whose address is fixed are led
 * to the service as an operator would do it: by the hosts file, here one of a mount namespace.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Fault } from '../../src/domain/codes.ts'
import { seconds } from '../../src/domain/words.ts'
import { SECRET, site, testService } from '../support/app.ts'
import { closeLater, newFolder } from '../support/close-later.ts'
import { token } from '../support/visitor.ts'
import { installProducts, MODULES, PYTHON, startFront, trusting } from './front.ts'

const VENDORS = ['www.google.com', 'hcaptcha.com', 'challenges.cloudflare.com']
/** An address that only this file uses; its port has to be that of HTTPS. */
const ADDRESS = '127.0.0.77'

let nowMs = Date.now()
let isDown = false
let service: Awaited<ReturnType<typeof testService>>
let exec: readonly string[]
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  installProducts()
  service = await testService({ nowMs: () => nowMs, siteList: [site()] })
  const { ledger } = service.parts
  const consume = ledger.consume.bind(ledger)
  ledger.consume = async (...given) => {
    if (isDown) throw new Fault('database-unavailable', { retryAfter: seconds(17) })
    return consume(...given)
  }
  const names = [...VENDORS, 'localhost']
  const front = await startFront(service.base, { address: ADDRESS, port: 443, names })
  const hosts = join(newFolder(), 'hosts')
  writeFileSync(hosts, `${ADDRESS} ${VENDORS.join(' ')} localhost\n`)
  exec = ['--mount', 'sh', '-c', `mount --bind ${hosts} /etc/hosts && exec "$@"`, 'sh']
  env = {
    PATH: process.env['PATH'],
    HV_MODULES: MODULES,
    HV_ORIGIN: 'https://localhost',
    PYTHONPATH: PYTHON,
    ...trusting(front.cert),
  }
}, 300_000)

interface Client {
  /** As clients.mjs and clients.py call it. */
  readonly name: string
  readonly program: readonly [command: string, file: string]
  /** Whether its shape spells a used token as hCaptcha does. */
  readonly isHcaptcha?: true
  /** What it says instead of the codes that it is sent. */
  readonly says?: string
  /** What it says of an answer of another status than 200. */
  readonly of503?: RegExp
}
const node = { program: [process.execPath, 'clients.mjs'] } as const
const python = { program: ['python3', 'clients.py'] } as const
const CLIENTS: readonly Client[] = [
  { ...node, name: 'express-recaptcha v2' },
  { ...node, name: 'express-recaptcha v3' },
  { ...node, name: 'hcaptcha', isHcaptcha: true },
  { ...node, name: 'cf-turnstile' },
  { ...python, name: 'django-recaptcha', of503: /^threw: .*503/ },
  { ...python, name: 'pyturnstile', of503: /^threw: .*503/ },
  { ...python, name: 'flask-hcaptcha', isHcaptcha: true, says: 'refused' },
]

/** Starts a client's program, which runs until the tests of this file end. @returns how it is asked. */
function startClient({ name, program: [command, file] }: Client) {
  const args = [...exec, command, join(import.meta.dirname, file), name]
  const child = spawn('unshare', args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  closeLater(child, (it) => it.kill('SIGKILL'))
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  return async (response: string, secret = SECRET) => {
    child.stdin.write(`${JSON.stringify({ secret, response })}\n`)
    const { value, done } = await answers.next()
    if (done === true) throw new Error(`${name} ended`)
    return JSON.parse(value) as string
  }
}

describe.each(CLIENTS)('$name', (client) => {
  const { isHcaptcha, says, of503 } = client
  let ask: ReturnType<typeof startClient>
  beforeAll(() => {
    ask = startClient(client)
  })
  const used = isHcaptcha ? 'invalid-or-already-seen-response' : 'timeout-or-duplicate'

  test('accepts a token once, and reads that it was used, and that it expired', async () => {
    const [first, second] = [await token(service.ask), await token(service.ask)]
    expect([await ask(first), await ask(first)]).toEqual(['accepted', says ?? used])
    nowMs += 3_600_000
    expect(await ask(second)).toBe(says ?? used)
  })
  test('reads a wrong secret, rubbish, and a score that is too low', async () => {
    const genuine = await token(service.ask)
    expect(await ask(genuine, `${SECRET}x`)).toBe(says ?? 'invalid-input-secret')
    expect(await ask('rubbish')).toBe(says ?? 'invalid-input-response')
    const robot = await token({ ...service.ask, signals: {}, headers: {} })
    expect(await ask(robot)).toBe(says ?? 'low-score')
  })
  test('refuses while the service cannot judge', async () => {
    const genuine = await token(service.ask)
    isDown = true
    const said = await ask(genuine).finally(() => {
      isDown = false
    })
    expect(said).toMatch(of503 ?? RegExp(`^${says ?? 'database-unavailable'}$`))
  })
})
