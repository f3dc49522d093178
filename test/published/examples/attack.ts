/** Attacks on a protected form. Each must be refused, and the operation not run. */
import { BROWSER } from '../../support/visitor.ts'

export interface Target {
  /** Where the form is posted to. */
  readonly url: string
  /** The field that carries the token. */
  readonly field: string
  /** A fresh token of a person: for this form's action, or for what is named. */
  readonly token: (change?: { action?: string; bot?: boolean; site?: 'other' }) => Promise<string>
}

export interface Attempt {
  readonly how: string
  /** Nothing but a refusal is right; the body is how the framework may name it. */
  readonly refusals: readonly number[]
  readonly send: (target: Target) => Promise<Response>
}

/** The handler's own refusal, and what a framework says to a body that it cannot read. */
const NEUTRAL = [422]
const UNREADABLE = [400, 413, 415, 422]

const form = ({ url }: Target, fields: readonly (readonly [string, string])[]): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields.map(([k, v]) => [k, v])), headers: BROWSER })

const json = ({ url }: Target, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { ...BROWSER, 'content-type': 'application/json' },
  })

const NAME = ['name', 'Ada'] as const

export const ATTEMPTS: readonly Attempt[] = [
  { how: 'without a token', refusals: NEUTRAL, send: (to) => form(to, [NAME]) },
  { how: 'without a body', refusals: UNREADABLE, send: ({ url }) => fetch(url, { method: 'POST' }) },
  { how: 'with an empty token', refusals: NEUTRAL, send: (to) => form(to, [NAME, [to.field, '']]) },
  { how: 'with rubbish', refusals: NEUTRAL, send: (to) => form(to, [NAME, [to.field, '<script>x</script>']]) },
  { how: 'with a token too long', refusals: NEUTRAL, send: (to) => form(to, [[to.field, 'x'.repeat(3000)]]) },
  {
    how: 'with one character of the token changed',
    refusals: NEUTRAL,
    send: async (to) =>
      form(to, [[to.field, (await to.token()).replace(/\.(.)/, (_, c) => (c === 'A' ? '.B' : '.A'))]]),
  },
  {
    how: 'with a spent token',
    refusals: NEUTRAL,
    async send(to) {
      const spent = await to.token()
      const first = await form(to, [[to.field, spent]])
      if (!first.ok) throw new Error(`a genuine submission was refused: ${first.status} ${await first.text()}`)
      return form(to, [[to.field, spent]])
    },
  },
  {
    how: 'with the token of another action',
    refusals: NEUTRAL,
    send: async (to) => form(to, [[to.field, await to.token({ action: 'log-in' })]]),
  },
  {
    how: 'with the token of another site',
    refusals: NEUTRAL,
    send: async (to) => form(to, [[to.field, await to.token({ site: 'other' })]]),
  },
  {
    how: 'with the token of a driver',
    refusals: NEUTRAL,
    send: async (to) => form(to, [[to.field, await to.token({ bot: true })]]),
  },
  {
    how: 'with the field twice, both genuine',
    refusals: NEUTRAL,
    send: async (to) =>
      form(to, [
        [to.field, await to.token()],
        [to.field, await to.token()],
      ]),
  },
  {
    how: 'with the field twice, rubbish first',
    refusals: NEUTRAL,
    send: async (to) =>
      form(to, [
        [to.field, 'x'],
        [to.field, await to.token()],
      ]),
  },
  {
    how: 'with the field twice, empty last',
    refusals: NEUTRAL,
    send: async (to) =>
      form(to, [
        [to.field, await to.token()],
        [to.field, ''],
      ]),
  },
  {
    how: 'with brackets behind the field',
    refusals: NEUTRAL,
    send: async (to) =>
      form(to, [
        [`${to.field}[]`, await to.token()],
        [`${to.field}[a]`, await to.token()],
      ]),
  },
  {
    how: 'with the field in capitals',
    refusals: NEUTRAL,
    send: async (to) => form(to, [[to.field.toUpperCase(), await to.token()]]),
  },
  {
    how: 'with the token in the address',
    refusals: NEUTRAL,
    send: async (to) => form({ ...to, url: `${to.url}?${to.field}=${await to.token()}` }, [NAME]),
  },
  {
    how: 'with a verdict of its own',
    refusals: NEUTRAL,
    send: (to) => json(to, { human: { accepted: true, score: 1 }, accepted: true, success: true }),
  },
  { how: 'with a list in JSON', refusals: NEUTRAL, send: async (to) => json(to, { [to.field]: [await to.token()] }) },
  {
    how: 'with an object in JSON',
    refusals: NEUTRAL,
    send: async (to) => json(to, { [to.field]: { value: await to.token() } }),
  },
  { how: 'with null in JSON', refusals: NEUTRAL, send: (to) => json(to, { [to.field]: null }) },
  { how: 'with true in JSON', refusals: NEUTRAL, send: (to) => json(to, { [to.field]: true }) },
  {
    how: 'with the token in a list of objects',
    refusals: NEUTRAL,
    send: async (to) => json(to, [{ [to.field]: await to.token() }]),
  },
  {
    how: 'with the token in a prototype',
    // Fastify refuses such a body by itself.
    refusals: UNREADABLE,
    send: async (to) => json(to, `{"__proto__":{"${to.field}":"${await to.token()}"}}`),
  },
  { how: 'with JSON that breaks off', refusals: UNREADABLE, send: async (to) => json(to, `{"${to.field}":"x`) },
  {
    how: 'with a form that says it is plain text',
    refusals: UNREADABLE,
    send: async ({ url, field, token }) =>
      fetch(url, { method: 'POST', body: `${field}=${await token()}`, headers: { 'content-type': 'text/plain' } }),
  },
  {
    how: 'with the token as an uploaded file',
    refusals: UNREADABLE,
    async send({ url, field, token }) {
      const body = new FormData()
      body.append(field, new File([await token()], 'token.txt'))
      return fetch(url, { method: 'POST', body })
    },
  },
  {
    how: 'with a multipart body that breaks off',
    refusals: UNREADABLE,
    send: ({ url, field }) =>
      fetch(url, {
        method: 'POST',
        body: `--b\r\ncontent-disposition: form-data; name="${field}"\r\n\r\nx`,
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      }),
  },
]

/** Submits one token many times at once. @returns how often the operation ran; 1 is right. */
export async function race(to: Target, times: number): Promise<number> {
  const response = await to.token()
  const all = await Promise.all(Array.from({ length: times }, () => form(to, [[to.field, response]])))
  return all.filter((each) => each.ok).length
}
