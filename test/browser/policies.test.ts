import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { ACCEPTED, begin, form, inChromium, on } from './stage.ts'

/** docs/widget/csp.md, taken by its word: every policy on it is set on a real page, whole and with each directive left out. */
const page = readFileSync(new URL('../../docs/widget/csp.md', import.meta.url), 'utf8')
const SERVICE = 'https://verify.example.com'

type Rung = 'worker' | 'blob' | 'page'

interface Policy {
  readonly name: string
  readonly rung: Rung
  readonly directives: readonly string[]
}

const policies: Policy[] = [...page.matchAll(/^## (.+)$[^]*?^```csp (\w+)\n([^]*?)^```$/gm)].map(
  ([, name, rung, text]) => ({
    name: name!,
    rung: rung as Rung,
    directives: text!
      .split(/[;\n]+/)
      .map((one) => one.trim())
      .filter(Boolean),
  }),
)

inChromium(() => begin())

/** Sets a policy on the page, and opens it. */
async function open({ name, rung }: Policy, directives: readonly string[]): Promise<string> {
  const base = rung === 'worker' ? on.customer.url : on.service.base
  const script = await (await fetch(`${on.service.base}/assets/captcha.js?v=1`)).text()
  const sri = `sha384-${createHash('sha384').update(script).digest('base64')}`
  const attributes = name.includes('integrity') ? `integrity="${sri}" crossorigin="anonymous"` : ''
  const nonce = directives.some((one) => one.includes('nonce-')) ? 'nonce="r4nd0m"' : ''
  on.customer.page = form(base, 'data-retry-interval="100"')
  on.customer.script = `<script src="${base}/assets/captcha.js?v=1" ${attributes} ${nonce} defer></script>`
  on.customer.headers = { 'content-security-policy': directives.join('; ').replaceAll(SERVICE, base) }
  await on.page.addInitScript(() => {
    const errors: unknown[] = []
    Object.assign(window, { errors })
    document.addEventListener('svc-captcha:error', (event) => errors.push((event as CustomEvent).detail))
  })
  await on.page.goto(on.customer.url)
  await on.page.getByLabel('Email').fill('a@example.com')
  return base
}

const rungTaken = (): Rung => {
  if (on.workers.some((url) => url.includes('/assets/captcha.js'))) return 'worker'
  return on.workers.length > 0 ? 'blob' : 'page'
}

/** What the console says of policies; the empty icon is the page's own. */
const policySaid = (): string =>
  on.said.filter((line) => /polic|Trusted|svc-captcha:/i.test(line) && !line.includes("'data:,'")).join('\n')

test('the page names a policy for every rung', () => {
  expect(new Set(policies.map(({ rung }) => rung))).toEqual(new Set(['worker', 'blob', 'page']))
  expect(policies.length).toBeGreaterThanOrEqual(8)
})

test.each(policies)('$name: the work is done ($rung) and the form accepted; nothing is refused', async (policy) => {
  await open(policy, policy.directives)
  await on.until('ready')
  expect(rungTaken()).toBe(policy.rung)
  // The challenge. Four workers ask for one file four times, of the cache; under its own address the customer counts what arrives.
  const asked = policy.rung === 'worker' ? on.customer.passedOn : on.requests.map((one) => new URL(one.url()).pathname)
  const ours = asked.filter((path) => /^\/(api|assets)\//.test(path) && !path.includes('/captcha.js'))
  expect(ours).toEqual(['/api/v1/challenge'])
  expect(await on.sent()).toEqual(ACCEPTED)
  // A rung that is refused on the way down is said; the widget's own looks never are.
  const said = policySaid()
  expect(said).not.toMatch(/style-src|font-src|img-src|wasm|unsafe-eval/)
  const isFirstChoice = policy.rung === 'worker' || policy.rung === 'blob'
  expect(isFirstChoice ? said : '').toBe('')
})

/** A policy, and the directive that is left out of it. */
const without = (pattern: RegExp): { name: string; left: string; policy: Policy }[] =>
  policies.flatMap((policy) =>
    policy.directives.filter((one) => pattern.test(one)).map((left) => ({ name: policy.name, left, policy })),
  )

/** @returns the directive as the widget has to name it. */
async function openWithout(left: string, policy: Policy): Promise<string> {
  const fewer = policy.directives.filter((one) => one !== left)
  // Left out, every name would be allowed.
  if (left.startsWith('trusted-types')) fewer.push("trusted-types 'none'")
  const base = await open(policy, fewer)
  return left.replace(SERVICE, base).replace("'self'", base)
}

test.each(without(/^connect-src/))(
  '$name: left out, "$left" is named in :error and console',
  async ({ left, policy }) => {
    const wanted = await openWithout(left, policy)
    await on.until('failed')
    expect(await on.page.evaluate('errors')).toEqual([
      expect.objectContaining({ code: 205, directives: expect.arrayContaining([wanted]) }),
    ])
    expect(on.said.join('\n')).toContain(`lacks "${wanted}"`)
  },
)

test.each(without(/^(worker-src|trusted-types svc)/))(
  '$name: left out, "$left" is named in the console, and another rung does the work',
  async ({ left, policy }) => {
    const wanted = await openWithout(left, policy)
    await on.until('ready')
    expect(rungTaken()).not.toBe(policy.rung)
    expect(on.said.join('\n')).toContain(`lacks "${wanted}"`)
    expect(await on.page.evaluate('errors')).toEqual([])
  },
)
