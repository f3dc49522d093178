/** The servers of docs/start/guide.md and the forms of examples/verify in real frameworks, against the real service: people pass, everything else is refused. */
import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { realService } from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'
import { ensurePrograms, findProgram, needProgram } from '../../support/programs.mjs'
import { compile } from '../drop-in/third-party.ts'
import { ATTEMPTS, race, type Target } from './attack.ts'
import {
  GUIDE,
  installFrameworks,
  newFolder,
  ROOT,
  run,
  type Running,
  start,
  write,
} from './projects.ts'

const NEXT = join(import.meta.dirname, 'node_modules/next/dist/bin/next')
const SETTINGS = `url: process.env.HV_URL, secret: process.env.HV_SECRET, hostnames: ['shop.example.com']`
/** What another gate of the same server lets through; its form has a file, and the token in a field of another name. */
const CONTACT = `{ ${SETTINGS}, action: 'contact-form', field: 'proof' }`
/** And one for calls of `svcCaptcha.fetch`. */
const CALL = `{ ${SETTINGS}, action: 'call', from: 'header' }`

/** A tab of the guide. `from` is the folder of its blocks, `change` adds a form with a file, `typed` is its block in TypeScript. */
interface Tab {
  readonly name: string
  readonly from?: string
  readonly args?: readonly string[]
  readonly change?: (text: string) => string
  readonly typed?: string
  /** Of a server in another language, which stands on a recipe of examples/verify. */
  readonly program?: 'flask' | 'php' | 'python'
  /** What pip installed for it. */
  readonly wheel?: 'django' | 'fastapi'
}

const express = (text: string): string =>
  text.replace(
    'app.listen',
    `const { default: multer } = await import('multer')
app.post('/contact', multer().single('picture'), requireHuman(${CONTACT}), (req, res) =>
  res.json({ score: req.human.score, bytes: req.file.size }))
app.post('/call', requireHuman(${CALL}), (req, res) => res.json(req.human.action))
app.listen`,
  )
const fastify = (multipart: string) => (text: string) =>
  text.replace(
    'await app.listen',
    `await app.register(async (inner) => {
  await inner.register((await import('${multipart}')).default, { attachFieldsToBody: 'keyValues' })
  inner.post('/contact', { preHandler: requireHuman(${CONTACT}) }, async ({ human, body }) =>
    ({ score: human.score, bytes: body.picture.length }))
  inner.post('/call', { preHandler: requireHuman(${CALL}) }, async ({ human }) => JSON.stringify(human.action))
})
await app.listen`,
  )
const hono = (text: string): string =>
  text.replace(
    'serve({',
    `app.post('/contact', requireHuman(${CONTACT}), async (c) =>
  c.json({ score: c.get('human').score, bytes: (await c.req.parseBody()).picture.size }))
app.post('/call', requireHuman(${CALL}), (c) => c.json(c.get('human').action))
serve({`,
  )

/** A form of examples/verify. The guide has none of its files. */
const recipe = (
  name: string,
  program: NonNullable<Tab['program']>,
  args: readonly string[],
  wheel?: NonNullable<Tab['wheel']>,
): Tab => ({ name, from: 'examples/verify/', program, args, ...(wheel && { wheel }) })

ensurePrograms(['django', 'fastapi', 'flask', 'laravel', 'php', 'python', 'symfony'])
const ALL_TABS: readonly Tab[] = [
  { name: 'Express 5', change: express, typed: 'server.js' },
  { name: 'Express 4', change: (text) => express(text.replace(`'express'`, `'express-4'`)) },
  {
    name: 'Fastify 5',
    from: 'fastify/',
    change: fastify('@fastify/multipart'),
    typed: '[Fastify]',
  },
  {
    name: 'Fastify 4',
    from: 'fastify/',
    change: (text) =>
      fastify('fastify-multipart-4')(
        text
          .replace(`'fastify'`, `'fastify-4'`)
          .replace(`'@fastify/formbody'`, `'fastify-formbody-4'`),
      ),
  },
  { name: 'Hono', from: 'hono/', change: hono, typed: '[Hono]' },
  {
    name: 'Next.js',
    from: 'next/',
    args: [NEXT, 'start', '--hostname', '127.0.0.1'],
    typed: 'app/sign-up/route.js',
  },
  { name: 'PHP', from: 'php/', program: 'php', args: ['-S', '127.0.0.1:%PORT%', 'sign-up.php'] },
  recipe('Flask', 'flask', ['--app', 'form_flask', 'run', '--port', '%PORT%']),
  recipe('Django', 'python', ['serve_django.py'], 'django'),
  recipe('FastAPI', 'python', ['-m', 'uvicorn', 'form_fastapi:app', '--port', '%PORT%'], 'fastapi'),
  recipe('Laravel', 'php', ['-S', '127.0.0.1:%PORT%', 'serve-laravel.php']),
  recipe('Symfony', 'php', ['-S', '127.0.0.1:%PORT%', 'serve-symfony.php']),
]
const TABS = ALL_TABS.filter(({ wheel }) => wheel === undefined || findProgram(wheel) !== undefined)

const filesOf = ({ from = '', change = (text) => text }: Tab) =>
  GUIDE.flatMap((block) =>
    block.kind === 'file' && block.name.startsWith(from)
      ? [
          {
            name: block.name.slice(from.length),
            text: change(block.text.replaceAll('localhost', 'shop.example.com')),
          },
        ]
      : [],
  )

/** Next.js has a file for each route; the contact form runs in the edge runtime, and a server action is in examples/next. */
async function buildNext(folder: string): Promise<void> {
  const root = JSON.stringify(ROOT)
  write(
    folder,
    'next.config.js',
    `export default { turbopack: { root: ${root} }, outputFileTracingRoot: ${root} }`,
  )
  write(folder, 'package.json', '{ "type": "module" }')
  cpSync(join(ROOT, 'examples/next/app'), join(folder, 'app'), { recursive: true })
  write(
    folder,
    'app/contact/route.js',
    `import { requireHuman } from '@human-verification/client/next'
    export const runtime = 'edge'
    export const POST = requireHuman(${CONTACT}, async (request) => Response.json(
      { score: request.human.score, bytes: (await request.formData()).get('picture').size }))`,
  )
  write(
    folder,
    'app/call/route.js',
    `import { requireHuman } from '@human-verification/client/next'
    export const POST = requireHuman(${CALL}, (request) => Response.json(request.human.action))`,
  )
  // Without url and secret, as on the machine that builds for a customer.
  await run(process.execPath, [NEXT, 'build'], folder)
}

const started = new Map<string, Running & { readonly folder: string }>()
let service: Awaited<ReturnType<typeof realService>>
beforeAll(async () => {
  installFrameworks()
  service = await realService()
  const startTab = async (tab: Tab): Promise<void> => {
    const folder = newFolder()
    for (const { name, text } of filesOf(tab)) write(folder, name, text)
    if (tab.program)
      for (const from of ['examples/verify', 'test/published/examples/drivers'])
        cpSync(join(ROOT, from), folder, { recursive: true })
    if (tab.name === 'Next.js') await buildNext(folder)
    const env = {
      HV_URL: service.base,
      HV_SECRET: SECRET,
      PYTHONDONTWRITEBYTECODE: '1',
      ...(tab.wheel && { PYTHONPATH: dirname(dirname(needProgram(tab.wheel))) }),
    }
    const program = tab.program && needProgram(tab.program)
    started.set(tab.name, {
      folder,
      ...(await start(folder, tab.args ?? ['server.js'], env, program)),
    })
  }
  await Promise.all(TABS.map(startTab))
}, 600_000)

const NEUTRAL = 'We could not process your request. Please try again.'
const WELCOME = [200, expect.stringMatching(/^Welcome, ada(?:%40|@)example\.com$/)]
/** The others take one of several fields of a name, and read no JSON. */
const FORM_OF_ONE = ATTEMPTS.filter(({ how }) => !how.startsWith('with the field twice'))

describe.each(TABS)('$name', (tab) => {
  const { name, program, typed } = tab
  const server = () => started.get(name)!
  const signUp = (): Target => ({
    url: `${server().url}/sign-up`,
    field: 'svc-response',
    token: (change = {}) => service.tokenOf({ action: 'sign-up', ...change }),
  })
  const fields = async () => ({ email: 'ada@example.com', 'svc-response': await signUp().token() })
  const post = async (
    body: RequestInit['body'],
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const res = await fetch(signUp().url, { method: 'POST', body: body!, headers })
    return [res.status, await res.text()]
  }

  test('a person passes with a form', async () => {
    expect(await post(new URLSearchParams(await fields()))).toEqual(WELCOME)
  })

  test.each(program ? FORM_OF_ONE : ATTEMPTS)('refused $how', async ({ send, refusals }) => {
    const res = await send(signUp())
    const text = await res.text()
    expect(refusals).toContain(res.status)
    // Which rule failed is for the log: an attacker learns nothing.
    expect(text).not.toMatch(
      /Welcome|score|rule|timeout-or-duplicate|action-mismatch|invalid-input|hv_secret/,
    )
    expect(res.status !== 422 || text.includes(NEUTRAL)).toBe(true)
  })

  test('of ten concurrent submissions of one token, one passes', async () => {
    expect(await race(signUp(), 10)).toBe(1)
  })

  if (program) return

  test('a person passes with JSON', async () => {
    expect(
      await post(JSON.stringify(await fields()), { 'content-type': 'application/json' }),
    ).toEqual(WELCOME)
  })

  test('a form with a file and a field of another name passes once, and the handler knows the verdict', async () => {
    const send = async (token: string) => {
      const body = new FormData()
      body.set('proof', token)
      body.set('picture', new Blob(['12345'], { type: 'image/png' }), 'a.png')
      return fetch(`${server().url}/contact`, { method: 'POST', body })
    }
    const token = await signUp().token({ action: 'contact-form' })
    const first = await send(token)
    expect([first.status, await first.json()]).toEqual([
      200,
      { score: expect.any(Number), bytes: 5 },
    ])
    for (const refused of [token, '', await signUp().token()])
      expect((await send(refused)).status).toBe(422)
  })

  test('a call passes with a token in its header, once; with one in a field it is refused in JSON', async () => {
    const token = await signUp().token({ action: 'call' })
    const call = async (headers: Record<string, string>) => {
      const body = new URLSearchParams({ 'svc-response': token })
      const res = await fetch(`${server().url}/call`, {
        method: 'POST',
        headers: { accept: 'text/html', ...headers },
        body,
      })
      return [res.status, await res.json()]
    }
    const refused = [422, { error: NEUTRAL }]
    expect(await call({})).toEqual(refused)
    expect(await call({ 'svc-response': token })).toEqual([200, 'call'])
    expect(await call({ 'svc-response': token })).toEqual(refused)
  })

  const JSON_TYPE = 'application/json; charset=utf-8'
  test.each([
    {
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      type: 'text/html; charset=utf-8',
      when: 'a browser asks',
    },
    { accept: 'application/json', type: JSON_TYPE, when: 'a program asks for JSON' },
    { accept: '*/*', type: JSON_TYPE, when: 'the client accepts anything' },
    {
      accept: 'text/html;q=0.1, application/json',
      type: JSON_TYPE,
      when: 'the client prefers JSON',
    },
    { accept: 'text/html;q=0', type: JSON_TYPE, when: 'the client refuses HTML' },
  ])('the refusal is $type when $when, and is not cached', async ({ accept, type }) => {
    const res = await fetch(signUp().url, {
      method: 'POST',
      body: new URLSearchParams({ a: 'b' }),
      headers: { accept },
    })
    expect(res.status).toBe(422)
    expect(res.headers.get('content-type')?.toLowerCase()).toBe(type)
    expect(res.headers.get('cache-control')).toBe('no-store')
    expect(res.headers.get('vary')?.toLowerCase()).toContain('accept')
    const html = new RegExp(`^<!doctype html>[^]*<p>${NEUTRAL}</p>\\s*$`)
    expect(await res.text()).toMatch(
      type === JSON_TYPE ? new RegExp(`^\\{"error":"${NEUTRAL}"\\}$`) : html,
    )
  })

  if (name.startsWith('Express'))
    test('the log names the rule, and neither secret nor token', async () => {
      const token = await signUp().token({ action: 'log-in' })
      await post(new URLSearchParams({ 'svc-response': token }))
      expect(server().said()).toContain('refused by action: rejected: action-mismatch')
      expect(server().said()).not.toContain(SECRET)
      expect(server().said()).not.toContain(token)
    })

  if (typed)
    test('the guide is right by the types of the framework', () => {
      const text =
        GUIDE.find((block) => block.kind === 'typed' && block.label === typed)?.text ??
        filesOf({ ...tab, change: (each) => each })
          .find((each) => each.name === typed)!
          .text.replace('= requireHuman({', '= requireHuman<express.Request>({')
      const types = {
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
        skipLibCheck: true,
      }
      const said = (source: string) =>
        compile(server().folder, 'snippet.ts', source, {
          module: 'nodenext',
          lib: ['es2023', 'dom'],
          ...types,
        })
      expect(said(text)).toBe('')
      // The same compiler says so when it is not.
      expect(said(text.replace(/ +action: 'sign-up',\n/, ''))).toContain('action')
    })

  if (name === 'Next.js')
    test('a server action runs for a token of its action, once', async () => {
      /** As a browser without JavaScript sends the form: with the fields that Next.js put there. */
      async function send(token: string): Promise<string | null> {
        const page = await (await fetch(`${server().url}/feedback`)).text()
        const form = new FormData()
        for (const [, field, value = ''] of page.matchAll(
          /<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g,
        ))
          form.set(field!, value)
        expect([...form.keys()].length).toBeGreaterThan(0)
        form.set('svc-response', token)
        const answer = await fetch(`${server().url}/feedback`, {
          method: 'POST',
          body: form,
          redirect: 'manual',
        })
        return answer.headers.get('location')
      }
      const token = await service.tokenOf({ action: 'feedback' })
      expect(await send(token)).toContain('said=thanks')
      for (const refused of [token, '', await signUp().token()])
        expect(await send(refused)).toContain('said=no')
    })
})
