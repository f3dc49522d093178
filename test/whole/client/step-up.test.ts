/** A low score of a site with `step_up: ticket`: what siteverify answers, byte for byte, and what `requireHuman` makes of it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { requireHuman } from '../../../src/client/express.ts'
import type { StepUp } from '../../../src/domain/ticket.ts'
import { SECRET, site, testService, type TestService } from '../../support/app.ts'
import { token } from '../../support/visitor.ts'

/** Nobody reaches it. */
const STRICT = { scoreThreshold: 0.99 }
const services = new Map<StepUp, TestService>()
beforeAll(async () => {
  for (const stepUp of ['off', 'managed', 'ticket'] as const)
    services.set(stepUp, await testService({ siteList: [site({ ...STRICT, stepUp })] }))
})
afterAll(() => Promise.all([...services.values()].map((service) => service.stop(0))))

const bodyOf = async (stepUp: StepUp): Promise<string> => {
  const { base, ask } = services.get(stepUp)!
  const body = new URLSearchParams({ secret: SECRET, response: await token(ask), action: 'sign-up' })
  return (await fetch(`${base}/api/v1/siteverify`, { method: 'POST', body })).text()
}
const BEFORE = /^\{"success":false,"score":0\.\d\d,"score_threshold":0\.99,"error-codes":\["low-score"\]\}$/

test.each(['off', 'managed'] as const)(
  'siteverify of a site with %s answers byte for byte as before',
  async (stepUp) => {
    expect(await bodyOf(stepUp)).toMatch(BEFORE)
  },
)
test('siteverify of a site with ticket answers with one more field', async () => {
  const body = await bodyOf('ticket')
  expect(JSON.parse(body)).toHaveProperty('step_up')
  expect(body.replace(/"step_up":"[\w.-]+",/, '')).toMatch(BEFORE)
})

/** What a visitor gets whose form carried this body. */
async function answered(accept: string, fields: object, more: object = {}) {
  const { base, ask } = services.get('ticket')!
  const gate = requireHuman({
    url: base,
    secret: SECRET,
    action: 'sign-up',
    hostnames: ['shop.example.com'],
    ...more,
  })
  const told = { status: 0, body: '', next: false }
  const res = {
    statusCode: 0,
    setHeader() {},
    end(body: string) {
      Object.assign(told, { status: res.statusCode, body })
    },
  }
  const req = { headers: { accept }, body: { ...fields, 'svc-response': await token(ask) } }
  await gate(req, res, () => (told.next = true))
  return told
}

describe('requireHuman hands the ticket on', () => {
  test('as a page that keeps the form’s fields and shows the widget with it', async () => {
    const fields = { email: 'a@example.com', note: '"<b>&', tag: ['x', 'y'] }
    const { status, body, next } = await answered('text/html', fields)
    expect([status, next]).toEqual([422, false])
    expect(body).toContain('<input type="hidden" name="email" value="a@example.com">')
    expect(body).toContain('<input type="hidden" name="note" value="&#34;&#60;b&#62;&#38;">')
    expect(body.match(/name="tag" value="[xy]"/g)).toHaveLength(2)
    expect(body).not.toContain('<input type="hidden" name="svc-response"')
    expect(body).toMatch(
      /data-sitekey="hv_site_testshop" data-action="sign-up" .*data-step-up="[\w-]+\.[\w-]+\.[\w-]+"/,
    )
    expect(body).toContain('Please confirm that you are a person'.toLowerCase())
  })
  test('with words and an address of the customer’s', async () => {
    const more = { stepUpMessage: 'Noch ein Schritt <3', publicUrl: 'https://verify.example.com' }
    const { body } = await answered('text/html', {}, more)
    expect(body).toContain('Noch ein Schritt &#60;3')
    expect(body).toContain('src="https://verify.example.com/assets/captcha.js"')
  })
  test('as a member of the JSON', async () => {
    const { status, body } = await answered('application/json', { email: 'a@example.com' })
    expect(status).toBe(422)
    expect(JSON.parse(body)).toEqual({
      error: expect.any(String),
      step_up: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    })
  })
  test('not as a page where that would lose what the visitor wrote', async () => {
    const { body } = await answered('text/html', { upload: { name: 'cv.pdf' } })
    expect(body).not.toContain('data-step-up')
    expect(body).toContain('Please try again')
  })
})
