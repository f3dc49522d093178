/** `hv demo --public`: one port, a secret of its own, limits, and nothing kept of those who come. */
import { once } from 'node:events'
import { beforeAll, expect, test } from '@jest/globals'
import request from 'supertest'
import { obtainToken } from '../../../src/doctor/visitor.ts'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import { hv, type Program, start } from '../../support/shipped.ts'

const ORIGIN = 'https://demo.example.com'
let program: Program
let url = ''
/** A stranger behind the proxy of the platform, from another address each time. */
let last = 0
const from = (): string => `198.51.100.${++last}`

beforeAll(async () => {
  program = start(hv('demo', '--public', ORIGIN, '--trusted-proxies', '127.0.0.1'), {
    HV_LISTEN: '127.0.0.1:0',
    HV_OPS_LISTEN: '127.0.0.1:0',
    // As the image sets it for hv serve.
    HV_KEYRING: '/nowhere/keyring.json',
  })
  ;[, url = ''] = await program.until(/listening at (http:\S+);/)
})

const send = (path: string, fields: object, address = from()) =>
  request(url).post(path).set('X-Forwarded-For', address).type('form').send(fields)

test('the page is of one origin, says how to try a script, and has no secret in it', async () => {
  const { text, headers } = await request(url).get('/').accept('html')
  expect(text).toContain(`<script src="${ORIGIN}/assets/captcha.js?v=1" defer>`)
  expect(text).toContain(`data-api-base="${ORIGIN}/"`)
  expect(text).toContain(`curl -s ${ORIGIN}/sign-up -d name=Ada`)
  expect(text).toContain('Playwright')
  expect(text).not.toContain('hv_secret_')
  expect(headers['content-security-policy']).toContain(`connect-src ${ORIGIN}`)
  expect((await request(url).get('/assets/captcha.js?v=1')).status).toBe(200)
  expect((await request(url).get('/health')).body).toEqual({ status: 'ok' })
})

test('a program reads why it is refused: without a token, with a score that is too low, with a token for the second time', async () => {
  const nothing = await send('/sign-up', { name: 'Ada' })
  expect([nothing.status, nothing.text]).toEqual([
    422,
    expect.stringContaining('refused by the rule'),
  ])
  const response = await obtainToken(new URL(url), {
    origin: ORIGIN,
    sitekey: DEMO_SITEKEY,
    action: 'sign-up',
  })
  const low = await send('/sign-up', { 'svc-response': response })
  expect(low.text).toMatch(
    /^refused by the rule "score".*\nscore [\d.]+\n( {2}[\w-]+ [−+]\d\.\d+\n)+$/,
  )
  const again = await send('/again', { 'svc-response': response })
  expect(again.text).toContain('timeout-or-duplicate')
})

test('a body that is too large is refused without a word of the program', async () => {
  const { status, text } = await send('/sign-up', { name: 'a'.repeat(60_000) })
  expect([status, text]).toEqual([413, 'This request could not be read.\n'])
})

test('a form without a body is refused as one without a token', async () => {
  const { status, text } = await request(url).post('/sign-up').set('X-Forwarded-For', from())
  expect([status, text]).toEqual([422, expect.stringContaining('refused by the rule')])
})

test('the published secret is worth nothing here', async () => {
  const { body } = await request(url)
    .post('/api/v1/siteverify')
    .type('form')
    .send({ secret: DEMO_SECRET, response: 'x', action: 'sign-up' })
  expect(body).toEqual({ success: false, 'error-codes': ['invalid-input-secret'] })
})

test('an address may send 30 forms a minute; others are not touched', async () => {
  const address = from()
  const statuses: number[] = []
  for (let i = 0; i < 32; i++) statuses.push((await send('/sign-up', {}, address)).status)
  expect(statuses).toEqual([...Array.from({ length: 30 }, () => 422), 429, 429])
  expect((await send('/sign-up', {})).status).toBe(422)
})

test('it says nothing of its visitors, and ends at a signal', async () => {
  program.child.kill('SIGTERM')
  expect(await once(program.child, 'exit')).toEqual([0, null])
  expect(program.said()).not.toMatch(/198\.51\.100|siteverify|hv_secret|Error/)
})
