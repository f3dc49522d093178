/** The service inside a program of its customer's: docs/start/library.md. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import express, { type RequestHandler } from 'express'
import { Counter, Registry } from 'prom-client'
import request from 'supertest'
import type { LogFields } from '../../../src/domain/observing.ts'
import type { ChallengeAnswer } from '../../../src/wire.ts'
import { closeLater, newFolder } from '../../support/close-later.ts'
import { embedded, LIBRARY_CONFIG, visitorOf } from '../../support/library.ts'
import { ORIGIN, SECRET, SITEKEY } from '../../support/process.ts'
import { ROOT } from '../../support/root.ts'
import { serve } from '../../support/serve.ts'
import { bytesOf, send } from '../../support/raw.ts'
import { BROWSER, token, work } from '../../support/visitor.ts'

const hv = await embedded()
/** Listens until the tests of the file have ended. @returns the address */
async function nodeServer(server: Server): Promise<string> {
  closeLater(server, (it) => void it.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const postTo = (base: string, operation: string, body: string | object) =>
  request(base)
    .post(`/api/v1/${operation}`)
    .set({ ...BROWSER, origin: ORIGIN })
    .type(typeof body === 'string' ? 'form' : 'json')
    .send(body)

const PARSERS: Readonly<Record<string, readonly RequestHandler[]>> = {
  'no parser': [],
  'express.json() and express.urlencoded()': [express.json(), express.urlencoded()],
  'express.urlencoded({ extended: true })': [
    express.json(),
    express.urlencoded({ extended: true }),
  ],
  'express.text()': [express.text({ type: () => true })],
  'express.raw()': [express.raw({ type: () => true })],
  '@fastify/middie, whose members hide those of Express': [
    (req, _res, next) => {
      const members = { ip: '127.0.0.1', ips: undefined, hostname: 'localhost', query: {} }
      for (const [name, value] of Object.entries(members))
        Object.defineProperty(req, name, { value, enumerable: true })
      next()
    },
  ],
  'body-parser 1, which leaves {} where it read nothing': [
    (req, _res, next) => {
      req.body = {}
      next()
    },
  ],
}

const behind = async (parsers: readonly RequestHandler[]): Promise<string> => {
  const host = express()
  for (const parser of parsers) host.use(parser)
  return `${(await serve(host.use('/hv', hv.app))).url}/hv`
}
const BASES = new Map<string, string>()
for (const [name, parsers] of Object.entries(PARSERS)) BASES.set(name, await behind(parsers))

describe.each([...BASES])('mounted below a path, behind %s', (_name, base) => {
  test('a visitor gets a token, by forms and by JSON, that siteverify accepts once', async () => {
    const response = await token(visitorOf(base))
    const ask = async () => {
      const fields = { secret: SECRET, response, action: 'sign-up' }
      const { body } = await postTo(base, 'siteverify', fields)
      return (body as { success: boolean }).success
    }
    expect([await ask(), await ask()]).toEqual([true, false])
  })

  test.each([
    ['no fields', 'sitekey=', 400, 'missing-input-sitekey'],
    ['a repeated field', `sitekey=${SITEKEY}&action=a&action=b`, 400, 'bad-request'],
    ['a field as a list', `sitekey=${SITEKEY}&action[]=a`, 400, 'bad-request'],
  ])('a form with %s is refused', async (_what, body, status, code) => {
    const answer = await postTo(base, 'challenge', body)
    const refusal = { success: false, 'error-codes': [code] }
    expect([answer.status, answer.body]).toEqual([status, refusal])
  })

  test('JSON that is no object is refused', async () => {
    expect((await postTo(base, 'challenge', [])).status).toBe(400)
  })
})

test('mounted at the root, the host answers its own routes without our headers', async () => {
  const host = express().use(hv.app)
  for (const path of ['/', '/api/v1/orders', '/assets/own.js', '/health/live'])
    host.get(path, (_req, res) => void res.send('own'))
  for (const path of ['/', '/api/v1/orders', '/assets/own.js', '/health/live']) {
    const { text, headers } = await request(host).get(path)
    expect([text, headers['content-security-policy']]).toEqual(['own', undefined])
    expect(headers['etag']).toBeDefined()
  }
  await request(host).get('/nowhere').expect('content-type', 'text/html; charset=utf-8')
  await request(host).get('/assets/captcha.js?v=1').expect(200)
})

test('a server of Node.js without a framework answers what is not ours with 404', async () => {
  const answer = { success: false, 'error-codes': ['not-found'] }
  await request(createServer((req, res) => hv.app(req, res)))
    .get('/nowhere')
    .expect(404, answer)
})

test('a path that nothing can read is refused', async () => {
  const server = await nodeServer(createServer((req, res) => hv.app(req, res)))
  const { status, body } = await send(server, bytesOf({ method: 'GET', path: 'http://[/' }))
  expect([status, JSON.parse(body.toString())]).toEqual([
    400,
    { success: false, 'error-codes': ['bad-request'] },
  ])
})

test('what goes on to the host goes on as it came', async () => {
  const shape = (message: object) => [Object.getPrototypeOf(message), Object.keys(message)]
  const shapes: unknown[] = []
  const server = createServer((req, res) => {
    shapes.push([shape(req), shape(res)])
    hv.app(req, res, () => {
      shapes.push([shape(req), shape(res)])
      res.end(JSON.stringify(res.getHeaders()))
    })
  })
  await request(server).get('/sign-up').expect('{}')
  expect(shapes[1]).toEqual(shapes[0])
})

describe('over HTTP/2', () => {
  /** Asks as a browser does, which names the length of a body, or as a program that does not know it. */
  async function ask(path: string, fields?: Readonly<Record<string, string>>, isAnnounced = true) {
    const session = connect(await nodeServer(createHttp2Server((req, res) => hv.app(req, res))))
    const body = fields && new URLSearchParams(fields).toString()
    const stream = session.request({
      ...BROWSER,
      origin: ORIGIN,
      ':path': path,
      ...(body !== undefined && {
        ':method': 'POST',
        'content-type': 'application/x-www-form-urlencoded',
        ...(isAnnounced && { 'content-length': body.length }),
      }),
    })
    stream.end(body)
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    const answer = await textOf(stream)
    session.close()
    return { status: headers[':status'], answer }
  }

  test('a visitor gets a token that siteverify accepts once', async () => {
    const asked = await ask('/api/v1/challenge', { sitekey: SITEKEY, action: 'sign-up' })
    const issued = JSON.parse(asked.answer) as ChallengeAnswer
    const { challenge } = issued
    const solution = work(challenge, issued.work)
    const solved = await ask('/api/v1/solve', { challenge, solution })
    const { token: response } = JSON.parse(solved.answer) as { token: string }
    const fields = { secret: SECRET, response, action: 'sign-up' }
    expect((await ask('/api/v1/siteverify', fields)).answer).toContain('"success":true')
    expect((await ask('/api/v1/siteverify', fields)).answer).toContain('timeout-or-duplicate')
  })

  test('a body is read, and bounded, although no header announces it', async () => {
    const asked = await ask('/api/v1/challenge', { sitekey: SITEKEY, action: 'sign-up' }, false)
    expect(asked).toMatchObject({ status: 200, answer: expect.stringContaining('"challenge":') })
    const long = await ask('/api/v1/solve', { challenge: 'a'.repeat(17_000) }, false)
    expect(long).toMatchObject({ status: 413, answer: expect.stringContaining('too-large') })
    expect(await ask('/api/v1/challenge', {}, false)).toMatchObject({ status: 400 })
  })

  test.each([
    ['/health', 200, '{"status":"ok"}'],
    ['/nowhere', 404, '{"success":false,"error-codes":["not-found"]}'],
    ['/api/v1/solve', 405, '{"success":false,"error-codes":["method-not-allowed"]}'],
  ])('%s is answered with %d', async (path, status, answer) => {
    expect(await ask(path)).toEqual({ status, answer })
  })

  test('the script is served', async () => {
    const { status, answer } = await ask('/assets/captcha.js?v=1')
    expect([status, answer.length > 10_000]).toEqual([200, true])
  })
})

test('the locals of the host stay its own', async () => {
  const host = express().use((_req, res, next) => {
    res.locals['notes'] = 'own'
    res.on('finish', () => expect(Object.keys(res.locals)).toEqual(['notes']))
    next()
  })
  await request(host.use('/hv', hv.app)).get('/hv/health').expect(200)
})

describe('verify', () => {
  const headers = { ...BROWSER, 'x-forwarded-for': '203.0.113.9' }
  const fresh = (): Promise<string> => token({ ...visitorOf(BASES.get('no parser')!), headers })

  test('answers as siteverify does, once', async () => {
    const response = await fresh()
    const accepted = {
      success: true,
      action: 'sign-up',
      hostname: 'shop.example.com',
      'error-codes': [],
    }
    expect(await hv.verify({ response, action: 'sign-up' })).toMatchObject(accepted)
    const again = await hv.verify({ response, action: 'sign-up' })
    expect(again).toEqual({ success: false, 'error-codes': ['timeout-or-duplicate'] })
  })

  test.each([
    ['another action', { action: 'log-in' }, 'action-mismatch'],
    ['another address', { remoteip: '203.0.113.7' }, 'remoteip-mismatch'],
    ['no token', { response: undefined }, 'missing-input-response'],
    ['a repeated field', { response: ['a', 'b'] }, 'bad-request'],
    ['what is no address', { remoteip: 'x' }, 'bad-request'],
    ['rubbish', { response: 'x' }, 'invalid-input-response'],
  ])('refuses %s', async (_name, change, code) => {
    const response = await fresh()
    const answer = await hv.verify({ response, action: 'sign-up', ...change })
    expect([answer.success, answer['error-codes']]).toEqual([false, [code]])
  })

  test.each([
    ['an action', { action: '' }],
    ['a site of the configuration', { site: 'hv_site_elsewhere' }],
  ])('throws without %s', async (_name, change) => {
    await expect(hv.verify({ response: 'x', action: 'sign-up', ...change })).rejects.toThrow(
      TypeError,
    )
  })

  test('asks for the site where there are several', async () => {
    const [one] = LIBRARY_CONFIG.sites
    const two = { ...one!, sitekey: 'hv_site_second00', secrets: [{ sha256: 'ab'.repeat(32) }] }
    const both = await embedded({ config: { ...LIBRARY_CONFIG, sites: [one, two] } })
    await expect(both.verify({ response: 'x', action: 'sign-up' })).rejects.toThrow('site')
    expect((await both.verify({ response: 'x', action: 'sign-up', site: SITEKEY })).success).toBe(
      false,
    )
  })

  test('is logged and counted as a verification, in the registry of the host', async () => {
    const lines: [string, LogFields | undefined][] = []
    const add = (message: string, fields?: LogFields): void => void lines.push([message, fields])
    const registry = new Registry()
    const own = await embedded({ log: { info: add, warn: add, error: add }, registry })
    await own.verify({ response: 'x', action: 'sign-up' })
    const fields = {
      sitekey: SITEKEY,
      code: 'invalid-input-response',
      status: 200,
      ms: expect.any(Number),
    }
    expect(lines).toContainEqual(['siteverify', expect.objectContaining(fields)])
    const metrics = await registry.metrics()
    expect(metrics).toContain(
      'hv_requests_total{operation="siteverify",code="invalid-input-response"} 1',
    )
    expect(metrics).not.toContain('process_cpu')
  })
})

describe('after close()', () => {
  test('verify() throws, the application answers 503, and nothing is ready', async () => {
    const own = await embedded()
    const { url: base } = await serve((req, res) => own.app(req, res))
    const response = await token(visitorOf(base))
    expect(own.ready).toBe(true)
    await own.close()
    expect(own.ready).toBe(false)
    await expect(own.verify({ response, action: 'sign-up' })).rejects.toThrow(
      'the service was closed: verify() was called after close()',
    )
    await postTo(base, 'siteverify', { secret: SECRET, response, action: 'sign-up' }).expect(503)
    await postTo(base, 'challenge', `sitekey=${SITEKEY}&action=sign-up`).expect(503)
    await request(base).get('/health').expect(503)
  })

  test('a registry of the program has its own metrics alone, and serves another service', async () => {
    const registry = new Registry()
    const orders = new Counter({ name: 'orders_total', help: 'Orders.', registers: [registry] })
    orders.inc()
    for (const time of ['first', 'second']) {
      const own = await embedded({ registry })
      expect([time, (await registry.metrics()).includes('hv_build_info')]).toEqual([time, true])
      const twice = embedded({ registry })
      await expect(twice).rejects.toThrow('hv_requests_total has already been registered')
      expect((await registry.metrics()).includes('hv_build_info')).toBe(true)
      await own.close()
      const left = await registry.getMetricsAsJSON()
      expect(left.map(({ name }) => name)).toEqual(['orders_total'])
    }
  })

  test('a start that failed leaves the registry as it was', async () => {
    const registry = new Registry()
    const config = { ...LIBRARY_CONFIG, keyring: join(newFolder(), 'keyring.json') }
    await expect(embedded({ config, registry })).rejects.toThrow('no such keyring')
    expect(await registry.getMetricsAsJSON()).toEqual([])
    await (await embedded({ registry })).close()
  })
})

describe('a program', () => {
  /** Runs a module that has `createService` and a configuration. */
  const program = (text: string, env: Readonly<Record<string, string>> = {}) => {
    const file = join(newFolder(), 'program.mjs')
    const lines = [
      `import { createService } from '${join(ROOT, 'dist/create-service.js')}'`,
      `const config = ${JSON.stringify(LIBRARY_CONFIG)}`,
      text,
    ]
    writeFileSync(file, lines.join('\n'))
    return promisify(execFile)(process.execPath, [file], {
      env: { PATH: process.env['PATH'], ...env },
    })
  }

  test('exits after close(), and can start again', async () => {
    const { stdout } = await program(`
      for (const time of [1, 2]) {
        const hv = await createService({ config })
        console.log(hv.ready, typeof hv.app)
        await hv.reload()
        await hv.close()
      }`)
    expect(stdout).toBe('true function\ntrue function\n')
  })

  const WORKER = `
    const { default: cluster } = await import('node:cluster')
    if (cluster.isPrimary) cluster.fork().on('exit', (code) => process.exit(code))
    else await createService({ config })`
  test.each([
    ['in a worker of node:cluster', WORKER, {}],
    [
      'in a function of a cloud',
      'await createService({ config })',
      { AWS_LAMBDA_FUNCTION_NAME: 'x' },
    ],
  ])('is refused without Redis %s', async (_name, text, env) => {
    await expect(program(text, env)).rejects.toThrow(
      'several processes need a shared ledger: set redis',
    )
  })

  test('learns what is wrong with its configuration', async () => {
    const wrong = program('await createService({ config: { ...config, sites: [] } })')
    await expect(wrong).rejects.toThrow('options.config: 1 error, nothing was started')
    const missing = program(`await createService({ config: '${join(ROOT, 'nowhere.yaml')}' })`)
    await expect(missing).rejects.toThrow('there is no such file')
  })
})
