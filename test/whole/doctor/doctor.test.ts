import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { requireHuman } from '../../../packages/client/src/express.ts'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import { demoSite } from '../../../src/demo/site.ts'
import { findForm, NoForm } from '../../../src/doctor/attack-form.ts'
import { site, testService, type TestService } from '../../support/app.ts'
import { hv } from '../../support/hv.ts'

let service: TestService
const servers: ReturnType<typeof createServer>[] = []
beforeAll(async () => {
  const policy = site({ sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1'] }, DEMO_SECRET)
  service = await testService({ siteList: [policy] })
})
afterAll(async () => {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
  await service.stop(0)
})

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const page = (sitekey = DEMO_SITEKEY) => `<form method="post" action="/go">
  <div class="box svc-captcha" data-sitekey='${sitekey}' data-action="sign-up" data-api-base="${service.base}/"></div></form>`

async function hvDoctor(...args: string[]) {
  const { code, out, err } = await hv(['doctor', ...args])
  return { code, said: out + err }
}

describe('hv doctor --form', () => {
  test('the demonstration site fails closed each time', async () => {
    const { code, said } = await hvDoctor(
      '--form',
      await serve(demoSite(service.base, { of: () => undefined })),
      '--field',
      'name=Ada',
    )
    expect(said).toContain('nothing to fix')
    expect(code).toBe(0)
  })

  test('a handler written with the middleware fails closed each time', async () => {
    const app = express()
    app.get('/', (_req, res) => void res.send(page()))
    const guard = requireHuman({ url: service.base, secret: DEMO_SECRET, action: 'sign-up', hostnames: ['127.0.0.1'] })
    app.post('/go', express.urlencoded(), guard as never, (_req, res) => void res.send('done'))
    const { code, said } = await hvDoctor('--form', await serve(app))
    expect(said).toContain('nothing to fix')
    expect(code).toBe(0)
  })

  test('a site that lists its actions refuses a token of another one itself, which counts as refused', async () => {
    const policy = site({ sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1'], actions: ['sign-up'] }, DEMO_SECRET)
    const strict = await testService({ siteList: [policy] })
    const app = express()
    app.get('/', (_req, res) => void res.send(page().replaceAll(service.base, strict.base)))
    const guard = requireHuman({ url: strict.base, secret: DEMO_SECRET, action: 'sign-up', hostnames: ['127.0.0.1'] })
    app.post('/go', express.urlencoded(), guard as never, (_req, res) => void res.send('done'))
    const { code, said } = await hvDoctor('--form', await serve(app))
    expect(said).toMatch(/good\s+a token of another action\s+refused by the service: action-not-allowed/)
    expect(said).toContain('nothing to fix')
    expect(code).toBe(0)
    await strict.stop(0)
  })

  test('a page on a hostname that is not the site’s is named, with what to add', async () => {
    const app = express()
    app.get('/', (_req, res) => void res.send(page()))
    app.post('/go', (_req, res) => void res.status(422).end())
    const { code, said } = await hvDoctor('--form', (await serve(app)).replace('127.0.0.1', 'localhost'))
    expect(said).toContain('the service gave no token: hostname-not-allowed (localhost)')
    expect(said).toContain('→ add localhost to the hostnames of the site')
    expect(code).toBe(1)
  })

  test('words of the other side stay on their line and never reach the terminal as an escape', async () => {
    const liar = await serve((_req, res) => {
      res.writeHead(400, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ 'error-codes': ['\u001b[2J\n  refused    everything\u202e'] }))
    })
    const app = express()
    app.get('/', (_req, res) => void res.send(page().replaceAll(service.base, liar.slice(0, -1))))
    app.post('/go', (_req, res) => void res.status(422).end())
    const { said } = await hvDoctor('--form', await serve(app))
    expect(said).toContain(String.raw`\u001b[2J\u000a  refused    everything\u202e`)
    expect([...said].filter((char) => '\u001b\u202e'.includes(char))).toEqual([])
  })

  test('a handler that only looks whether there is a token is found open, and told what to do', async () => {
    const app = express()
    app.get('/', (_req, res) => void res.send(page()))
    app.post('/go', express.urlencoded(), (req, res) => {
      const { 'svc-response': token } = req.body as Record<string, unknown>
      res.status(token ? 200 : 422).send(token ? 'done' : 'no')
    })
    const { code, said } = await hvDoctor('--form', await serve(app), '--json')
    const findings = JSON.parse(said) as { check: string; outcome: string; advice: string }[]
    expect(findings.filter(({ outcome }) => outcome === 'fix').map(({ check }) => check)).toEqual([
      'rubbish',
      'a token of a program',
      'a spent token',
      'a token of another action',
      'the field twice',
    ])
    expect(findings.find(({ check }) => check === 'a token of another action')?.advice).toContain('send the action')
    expect(findings.find(({ check }) => check === 'a token of a program')?.advice).toContain('score_threshold')
    expect(code).toBe(1)
  })

  test('what could not be tried is no pass', async () => {
    const app = express()
    app.get('/', (_req, res) => void res.send(page('hv_site_nobodys0')))
    app.post('/go', (_req, res) => void res.status(422).end())
    const { code, said } = await hvDoctor('--form', await serve(app))
    expect(said).toMatch(/fix\s+a spent token\s+not tried, the service gave no token: invalid-input-sitekey/)
    expect(code).toBe(1)
  })

  test.each([
    { when: 'there is no address', args: [], says: 'expected either --url or --form', code: 2 },
    {
      when: 'a field has no name',
      args: ['--form', 'http://127.0.0.1:1/', '--field', 'x'],
      says: 'Expected NAME=VALUE',
      code: 2,
    },
    { when: 'nobody answers', args: ['--form', 'http://127.0.0.1:1/'], says: 'cannot be fetched', code: 1 },
  ])('says what is wrong when $when', async ({ args, says, code }) => {
    const result = await hvDoctor(...args)
    expect(result.said).toContain(says)
    expect(result.code).toBe(code)
  })
})

test('the parts of a form are read, or named by hand', () => {
  const at = new URL('https://shop.example.com/sign-up?x=1')
  expect(findForm(at, page(), {})).toMatchObject({ sitekey: DEMO_SITEKEY, action: 'sign-up', field: 'svc-response' })
  expect(findForm(at, page(), {}).post.href).toBe('https://shop.example.com/go')
  expect(() => findForm(at, '<div id="app"></div>', {})).toThrow(NoForm)
  const named = { sitekey: 'hv_site_x', action: 'a', service: 'https://verify.example.com', post: '/api/sign-up' }
  const found = findForm(at, '<div id="app"></div>', named)
  expect([found.post.href, found.service.href]).toEqual([
    'https://shop.example.com/api/sign-up',
    'https://verify.example.com/',
  ])
})

test('a page that is hostile to the reader costs time in proportion to its length', () => {
  const at = new URL('https://shop.example.com/')
  for (const part of ['<a', '<form ', '<a class="', 'svc-captcha ', 'a', ' '])
    expect(() => findForm(at, `<p svc-captcha ${part.repeat(1_000_000 / part.length)}`, {})).toThrow(NoForm)
  for (const part of ['a', '<', 'a='])
    expect(() => findForm(at, `<p svc-captcha ${part.repeat(1_000_000 / part.length)}>`, {})).toThrow(NoForm)
}, 10_000)
