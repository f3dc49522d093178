import type { RequestListener } from 'node:http'
import express, { type RequestHandler } from 'express'
import { describe, expect, test } from '@jest/globals'
import { requireHuman } from '../../../packages/client/src/express.ts'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import { demoSite } from '../../../src/demo/site.ts'
import type { Site } from '../../../src/domain/site.ts'
import { findForm, NoForm } from '../../../src/doctor/attack-form.ts'
import { site, testService } from '../../support/app.ts'
import { hv } from '../../support/hv.ts'
import { serve } from '../../support/serve.ts'

const policy = (change: Partial<Site> = {}) =>
  site({ sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1'], ...change }, DEMO_SECRET)
const service = await testService({ siteList: [policy()] })

const addressOf = async (handler: RequestListener): Promise<string> => `${(await serve(handler)).url}/`

const page = (base = service.base, sitekey = DEMO_SITEKEY) => `<form method="post" action="/go">
  <div class="box svc-captcha" data-sitekey='${sitekey}' data-action="sign-up" data-api-base="${base}/"></div></form>`

/** A page with a form, and its handler. */
function form(html: string, ...handlers: RequestHandler[]): Promise<string> {
  const app = express()
  app.get('/', (_req, res) => void res.send(html))
  app.post('/go', express.urlencoded(), ...handlers)
  return addressOf(app)
}
const refuse: RequestHandler = (_req, res) => void res.status(422).end()
const guarded = (base = service.base): Promise<string> => {
  const guard = requireHuman({ url: base, secret: DEMO_SECRET, action: 'sign-up', hostnames: ['127.0.0.1'] })
  return form(page(base), guard as never, (_req, res) => void res.send('done'))
}

async function hvDoctor(...args: string[]) {
  const { code, out, err } = await hv(['doctor', ...args])
  return { code, said: out + err }
}

describe('hv doctor --form', () => {
  test.each([
    ['the demonstration site', () => addressOf(demoSite(service.base, { of: () => undefined }))],
    ['a handler written with the middleware', () => guarded()],
  ])('%s fails closed each time', async (_what, address) => {
    const { code, said } = await hvDoctor('--form', await address(), '--field', 'name=Ada')
    expect([code, said]).toEqual([0, expect.stringContaining('nothing to fix')])
  })

  test('a site that lists its actions refuses a token of another one itself, which counts as refused', async () => {
    const strict = await testService({ siteList: [policy({ actions: ['sign-up'] })] })
    const { code, said } = await hvDoctor('--form', await guarded(strict.base))
    expect(said).toMatch(/good\s+a token of another action\s+refused by the service: action-not-allowed/)
    expect([code, said]).toEqual([0, expect.stringContaining('nothing to fix')])
  })

  test('a page on a hostname that is not the site’s is named, with what to add', async () => {
    const address = await form(page(), refuse)
    const { code, said } = await hvDoctor('--form', address.replace('127.0.0.1', 'localhost'))
    expect(said).toContain('the service gave no token: hostname-not-allowed (localhost)')
    expect(said).toContain('→ add localhost to the hostnames of the site')
    expect(code).toBe(1)
  })

  test('words of the other side stay on their line and never reach the terminal as an escape', async () => {
    const liar = await addressOf((_req, res) => {
      res.writeHead(400, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ 'error-codes': ['\u001b[2J\n  refused    everything\u202e'] }))
    })
    const { said } = await hvDoctor('--form', await form(page(liar.slice(0, -1)), refuse))
    expect(said).toContain(String.raw`\u001b[2J\u000a  refused    everything\u202e`)
    expect([...said].filter((char) => '\u001b\u202e'.includes(char))).toEqual([])
  })

  test('a handler that only looks whether there is a token is found open, and told what to do', async () => {
    const naive: RequestHandler = (req, res) => {
      const { 'svc-response': token } = req.body as Record<string, unknown>
      res.status(token ? 200 : 422).send(token ? 'done' : 'no')
    }
    const { code, said } = await hvDoctor('--form', await form(page(), naive), '--json')
    const findings = JSON.parse(said) as { check: string; outcome: string; advice: string }[]
    const open = findings.filter(({ outcome }) => outcome === 'fix')
    expect(Object.fromEntries(open.map(({ check, advice }) => [check, advice]))).toEqual({
      rubbish: expect.any(String),
      'a token of a program': expect.stringContaining('score_threshold'),
      'a spent token': expect.any(String),
      'a token of another action': expect.stringContaining('send the action'),
      'the field twice': expect.any(String),
    })
    expect(code).toBe(1)
  })

  test('what could not be tried is no pass', async () => {
    const { code, said } = await hvDoctor('--form', await form(page(service.base, 'hv_site_nobodys0'), refuse))
    expect(said).toMatch(/fix\s+a spent token\s+not tried, the service gave no token: invalid-input-sitekey/)
    expect(code).toBe(1)
  })

  test.each([
    ['there is no address', 2, 'expected either --url or --form', []],
    ['a field has no name', 2, 'Expected NAME=VALUE', ['--form', 'http://127.0.0.1:1/', '--field', 'x']],
    ['nobody answers', 1, 'cannot be fetched', ['--form', 'http://127.0.0.1:1/']],
  ])('says what is wrong when %s', async (_when, code, says, args) => {
    expect(await hvDoctor(...args)).toEqual({ code, said: expect.stringContaining(says) })
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
