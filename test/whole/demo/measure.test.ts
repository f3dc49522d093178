/** The page that measures a browser: real service, the page's own address for all requests. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { decisionMemory } from '../../../src/demo/decisions.ts'
import { measureConfig } from '../../../src/demo/measure-config.ts'
import { measureSite } from '../../../src/demo/measure-site.ts'
import { checkConfig } from '../../../src/config/load.ts'
import { type Listening, listen } from '../../../src/http/server/listen.ts'
import { jsonLog } from '../../../src/ops/log/log.ts'
import { Writable } from 'node:stream'
import { SITEKEY, testService, type TestService } from '../../support/app.ts'
import { PERSON, token } from '../../support/visitor.ts'

let service: TestService
let measuring: Listening
beforeAll(async () => {
  const decisions = decisionMemory()
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      decisions.add(line)
      done()
    },
  })
  service = await testService({ log: jsonLog('info', lines) })
  const app = measureSite({
    serviceUrl: service.base,
    sitekey: SITEKEY,
    action: 'sign-up',
    decisions,
    wordsFor: (rule) => `words for <${rule}>`,
  })
  measuring = await listen(app, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await measuring.stop(0)
  await service.stop(0)
})
const send = async (fields: Record<string, string>) => {
  const res = await fetch(measuring.url, { method: 'POST', body: new URLSearchParams(fields) })
  return { status: res.status, text: await res.text() }
}

test('the form asks the page’s own address for everything', async () => {
  const html = await (await fetch(measuring.url)).text()
  expect(html).toContain(`data-sitekey="${SITEKEY}" data-action="sign-up"`)
  expect(html).toContain('data-api-base="/"')
  expect(html).toContain('src="/assets/captcha.js?v=1"')
  expect(html).not.toContain(service.base)
})

test('a visit through the page is scored, and taken apart', async () => {
  const response = await token({ ...service.ask, base: measuring.url, signals: PERSON })
  const { status, text } = await send({ 'svc-response': response })
  expect(status).toBe(200)
  expect(text).toMatch(/Measured: 0\.\d\d/)
  expect(text).toContain('words for &#60;trusted-input&#62;')
  expect(text).toContain(`&#34;moves&#34;: ${PERSON.input.moves}`)
})

test('a form without a token of this service says so', async () => {
  expect(await send({})).toMatchObject({ status: 422, text: expect.stringContaining('No token') })
  expect(await send({ 'svc-response': 'x' })).toMatchObject({ status: 422 })
})

test('its configuration is sound, has the released policy, and names the hosts that were given', () => {
  const config = checkConfig(measureConfig({ sitekey: 'hv_site_measured', hostnames: ['192.168.1.5'] }), 'x', {})
  expect(config.sites).toMatchObject([{ hostnames: ['localhost', '127.0.0.1', '192.168.1.5'], rules: [] }])
  expect(config.redis).toBeUndefined()
})
