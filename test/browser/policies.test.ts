import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { ACCEPTED, begin, form, inChromium, on } from './stage.ts'

/** docs/widget/csp.md: every policy in it is set on a real page, whole and without each of its directives. */
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
    directives: text!.trim().split(/\s*[;\n]+\s*/),
  }),
)

inChromium(() => begin())

async function open({ name, rung }: Policy, directives: readonly string[]): Promise<string> {
  const base = rung === 'worker' ? on.customer.url : on.service.base
  const script = await (await fetch(`${on.service.base}/assets/captcha.js?v=1`)).text()
  const sri = `sha384-${createHash('sha384').update(script).digest('base64')}`
  const attributes = name.includes('integrity') ? `integrity="${sri}" crossorigin="anonymous"` : ''
  const nonce = directives.some((one) => one.includes('nonce-')) ? 'nonce="r4nd0m"' : ''
  on.customer.script = `<script src="${base}/assets/captcha.js?v=1" ${attributes} ${nonce} defer></script>`
  on.customer.headers = {
    'content-security-policy': directives.join('; ').replaceAll(SERVICE, base),
  }
  await on.open(form(base, 'data-retry-interval="100"'))
  await on.fill()
  return base
}

const rungTaken = (): Rung => {
  if (on.workers.some((url) => url.includes('/assets/captcha.js'))) return 'worker'
  return on.workers.length > 0 ? 'blob' : 'page'
}

/** Console messages about policies, except about the page's own empty icon. */
const policySaid = (): string =>
  on.said
    .filter((line) => /polic|Trusted|svc-captcha:/i.test(line) && !line.includes("'data:,'"))
    .join('\n')

test('the page has a policy for every rung', () => {
  expect(policies.map(({ rung }) => rung)).toEqual(
    expect.arrayContaining(['worker', 'blob', 'page']),
  )
  expect(policies.length).toBeGreaterThanOrEqual(8)
})

test.each(policies)(
  '$name: the work is done ($rung) and the form accepted; nothing is refused',
  async (policy) => {
    await open(policy, policy.directives)
    await on.until('ready')
    expect(rungTaken()).toBe(policy.rung)
    // The challenge. Four workers ask for one file four times, of the cache; under its own address the customer counts what arrives.
    const asked =
      policy.rung === 'worker'
        ? on.customer.passedOn
        : on.requests.map((one) => new URL(one.url()).pathname)
    const ours = asked.filter(
      (path) => /^\/(api|assets)\//.test(path) && !path.includes('/captcha.js'),
    )
    expect(ours).toEqual(['/api/v1/challenge'])
    expect(await on.sent()).toEqual(ACCEPTED)
    // A rung that is refused on the way down is said; the widget's own looks never are.
    const said = policySaid()
    expect(said).not.toMatch(/style-src|font-src|img-src|wasm|unsafe-eval/)
    const isFirstChoice = policy.rung === 'worker' || policy.rung === 'blob'
    expect(isFirstChoice ? said : '').toBe('')
  },
)

/** Each policy with each directive that a rung needs. */
const NEEDED = policies.flatMap((policy) =>
  policy.directives
    .filter((one) => /^(connect-src|worker-src|trusted-types svc)/.test(one))
    .map((left) => ({ name: policy.name, left, policy })),
)

test.each(NEEDED)(
  '$name: left out, "$left" is named in the console; another rung works, if any',
  async ({ left, policy }) => {
    const fewer = policy.directives.filter((one) => one !== left)
    // Left out, every name would be allowed.
    if (left.startsWith('trusted-types')) fewer.push("trusted-types 'none'")
    const base = await open(policy, fewer)
    const wanted = left.replace(SERVICE, base).replace("'self'", base)
    const isLast = left.startsWith('connect-src')
    await on.until(isLast ? 'failed' : 'ready')
    const refused = expect.objectContaining({
      code: 205,
      directives: expect.arrayContaining([wanted]),
    })
    expect(await on.events()).toEqual(isLast ? [refused] : [])
    expect(isLast || rungTaken() !== policy.rung).toBe(true)
    expect(on.said.join('\n')).toContain(`lacks "${wanted}"`)
  },
)
