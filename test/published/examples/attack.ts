/** Attacks on a protected form. Each must be refused, and the operation not run. */
import { BROWSER } from '../../support/visitor.ts'

export interface Target {
  readonly url: string
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

/** The handler's own refusal, and a framework's answer to a body that it cannot read. */
const NEUTRAL = [422]
const UNREADABLE = [400, 413, 415, 422]

type Fields = readonly (readonly [string, string])[]

const postForm = (url: string, fields: Fields): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields.map(([k, v]) => [k, v])),
    headers: BROWSER,
  })

/** A form of these fields, a genuine token and the name of its field given. */
const form = (how: string, fields: (field: string, token: string) => Fields): Attempt => ({
  how,
  refusals: NEUTRAL,
  send: async (to) => postForm(to.url, fields(to.field, await to.token())),
})
/** A form with the token of another visit. */
const tokenOf = (how: string, change: Parameters<Target['token']>[0]): Attempt => ({
  how,
  refusals: NEUTRAL,
  send: async (to) => postForm(to.url, [[to.field, await to.token(change)]]),
})
const json = (
  how: string,
  body: (field: string, token: string) => unknown,
  refusals = NEUTRAL,
): Attempt => ({
  how,
  refusals,
  async send(to) {
    const value = body(to.field, await to.token())
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return fetch(to.url, {
      method: 'POST',
      body: text,
      headers: { ...BROWSER, 'content-type': 'application/json' },
    })
  },
})
/** A body of another type, with a genuine token. */
const other = (how: string, init: (field: string, token: string) => RequestInit): Attempt => ({
  how,
  refusals: UNREADABLE,
  send: async ({ url, field, token }) =>
    fetch(url, { method: 'POST', ...init(field, await token()) }),
})

export const ATTEMPTS: readonly Attempt[] = [
  form('without a token', () => [['name', 'Ada']]),
  form('with an empty token', (field) => [[field, '']]),
  form('with rubbish', (field) => [[field, '<script>x</script>']]),
  form('with a token too long', (field) => [[field, 'x'.repeat(3000)]]),
  form('with one character of the token changed', (field, token) => [
    [field, token.replace(/\.(.)/, (_, c) => (c === 'A' ? '.B' : '.A'))],
  ]),
  {
    how: 'with a spent token',
    refusals: NEUTRAL,
    async send(to) {
      const spent = await to.token()
      const first = await postForm(to.url, [[to.field, spent]])
      if (!first.ok)
        throw new Error(`a genuine submission was refused: ${first.status} ${await first.text()}`)
      return postForm(to.url, [[to.field, spent]])
    },
  },
  tokenOf('with the token of another action', { action: 'log-in' }),
  tokenOf('with the token of another site', { site: 'other' }),
  tokenOf('with the token of a driver', { bot: true }),
  {
    how: 'with the field twice, both genuine',
    refusals: NEUTRAL,
    send: async (to) => {
      const [one, two] = [await to.token(), await to.token()]
      return postForm(to.url, [
        [to.field, one],
        [to.field, two],
      ])
    },
  },
  form('with the field twice, rubbish first', (field, token) => [
    [field, 'x'],
    [field, token],
  ]),
  form('with the field twice, empty last', (field, token) => [
    [field, token],
    [field, ''],
  ]),
  form('with brackets behind the field', (field, token) => [
    [`${field}[]`, token],
    [`${field}[a]`, token],
  ]),
  form('with the field in capitals', (field, token) => [[field.toUpperCase(), token]]),
  {
    how: 'with the token in the address',
    refusals: NEUTRAL,
    send: async ({ url, field, token }) =>
      postForm(`${url}?${field}=${await token()}`, [['name', 'Ada']]),
  },
  json('with a verdict of its own', () => ({
    human: { accepted: true, score: 1 },
    accepted: true,
    success: true,
  })),
  json('with a list in JSON', (field, token) => ({ [field]: [token] })),
  json('with an object in JSON', (field, token) => ({ [field]: { value: token } })),
  json('with null in JSON', (field) => ({ [field]: null })),
  json('with true in JSON', (field) => ({ [field]: true })),
  json('with the token in a list of objects', (field, token) => [{ [field]: token }]),
  // Fastify refuses such a body by itself.
  json(
    'with the token in a prototype',
    (field, token) => `{"__proto__":{"${field}":"${token}"}}`,
    UNREADABLE,
  ),
  json('with JSON that breaks off', (field) => `{"${field}":"x`, UNREADABLE),
  other('without a body', () => ({})),
  other('with a form that says it is plain text', (field, token) => ({
    body: `${field}=${token}`,
    headers: { 'content-type': 'text/plain' },
  })),
  other('with the token as an uploaded file', (field, token) => {
    const body = new FormData()
    body.append(field, new File([token], 'token.txt'))
    return { body }
  }),
  other('with a multipart body that breaks off', (field) => ({
    body: `--b\r\ncontent-disposition: form-data; name="${field}"\r\n\r\nx`,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  })),
]

/** Submits one token many times at once. @returns how often the operation ran; 1 is right. */
export async function race(to: Target, times: number): Promise<number> {
  const response = await to.token()
  const all = await Promise.all(
    Array.from({ length: times }, () => postForm(to.url, [[to.field, response]])),
  )
  return all.filter((each) => each.ok).length
}
