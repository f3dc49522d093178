/** Every fenced block of the guide, extracted and run. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { realService } from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'
import { launch } from '../../support/chromium.ts'
import { ensurePrograms, needProgram } from '../../support/programs.mjs'
import { freePort } from '../../support/ports.mjs'
import { listening } from '../../support/redis.ts'
import { ATTEMPTS, type Target } from './attack.ts'
import { type Block, blocksOf } from './page.ts'
import { folderOf, installProject, ROOT, run, type Running, start } from './projects.ts'

/** Inside a project, so that its packages are found; removed at the end. */
const folders: string[] = []
function folderIn(project: string): string {
  const folder = mkdtempSync(join(installProject(project), '.page-'))
  folders.push(folder)
  return folder
}
const children: ChildProcess[] = []
afterEach(() => {
  // A shell starts what it was told to as a child of its own: the whole group ends.
  for (const child of children.splice(0))
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid)
})
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

/** Compiles a block as a customer's compiler would: strict, against the framework's own types. */
function compile(folder: string, text: string): string {
  write(folder, 'snippet.ts', text)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  }
  write(folder, 'tsconfig.json', JSON.stringify({ compilerOptions, files: ['snippet.ts'] }))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout
}

const GUIDE = blocksOf('start/guide.md')
const NEXT = join(folderOf('next'), 'node_modules/next/dist/bin/next')
/** Flask and PHP take one of several fields of a name, and read no JSON. */
const FORM_OF_ONE = ATTEMPTS.filter(({ how }) => !how.startsWith('with the field twice'))

/** The tabs of the guide: `project` has the packages of a tab, `from` is the folder of its blocks, `typed` its block in TypeScript. */
const TABS: readonly {
  readonly tab: string
  readonly project?: string
  readonly from?: string
  readonly typed?: string
  readonly program?: 'flask' | 'php'
  readonly args?: readonly string[]
}[] = [
  { tab: 'Express', project: 'express', typed: 'server.js' },
  { tab: 'Fastify', project: 'fastify', from: 'fastify/', typed: '[Fastify]' },
  {
    tab: 'Next.js',
    project: 'next',
    from: 'next/',
    typed: 'app/sign-up/route.js',
    args: [NEXT, 'start', '--hostname', '127.0.0.1'],
  },
  { tab: 'Hono', project: 'hono', from: 'hono/', typed: '[Hono]' },
  { tab: 'Flask', from: 'flask/', program: 'flask', args: ['--app', 'app', 'run', '--port', '%PORT%'] },
  { tab: 'PHP', from: 'php/', program: 'php', args: ['-S', '127.0.0.1:%PORT%', 'sign-up.php'] },
]

describe.each(TABS)(
  'docs/start/guide.md, $tab',
  ({ tab, project, from = '', typed, program, args = ['server.js'] }) => {
    let service: Awaited<ReturnType<typeof realService>>
    let server: Running | undefined
    let folder: string
    const files = GUIDE.flatMap((block) =>
      block.kind === 'file' && block.name.startsWith(from)
        ? [{ name: block.name.slice(from.length), text: block.text.replaceAll(`localhost`, 'shop.example.com') }]
        : [],
    )
    beforeAll(async () => {
      if (program) ensurePrograms([program])
      service = await realService()
      folder = folderIn(project ?? 'express')
      for (const { name, text } of files) write(folder, name, text)
      if (program) cpSync(join(ROOT, 'examples/verify'), folder, { recursive: true })
      if (tab === 'Next.js') {
        const config = readFileSync(join(folderOf('next'), 'next.config.js'), 'utf8')
        write(folder, 'next.config.js', config.replaceAll(`'../..'`, `'../../..'`))
        cpSync(join(folderOf('next'), 'app/layout.jsx'), join(folder, 'app/layout.jsx'))
        cpSync(join(folderOf('next'), 'package.json'), join(folder, 'package.json'))
        run(process.execPath, [NEXT, 'build'], folder)
      }
      const env = { HV_URL: service.base, HV_SECRET: SECRET, PYTHONDONTWRITEBYTECODE: '1' }
      server = await start(folder, args, env, program && needProgram(program))
    }, 300_000)
    afterAll(async () => {
      await server?.stop()
      await service.stop()
    })
    const target = (): Target => ({
      url: `${server!.url}/sign-up`,
      field: 'svc-response',
      token: (change = {}) => service.tokenOf({ action: 'sign-up', ...change }),
    })
    const fields = async (): Promise<Record<string, string>> => ({
      email: 'ada@example.com',
      [target().field]: await target().token(),
    })
    const WELCOME = [200, expect.stringMatching(/^Welcome, ada(?:%40|@)example\.com$/)]

    test('a person passes with a form', async () => {
      const form = await fetch(target().url, { method: 'POST', body: new URLSearchParams(await fields()) })
      expect([form.status, await form.text()]).toEqual(WELCOME)
    })

    if (!program)
      test('a person passes with JSON', async () => {
        const headers = { 'content-type': 'application/json' }
        const json = await fetch(target().url, { method: 'POST', headers, body: JSON.stringify(await fields()) })
        expect([json.status, await json.text()]).toEqual(WELCOME)
      })

    test.each(program ? FORM_OF_ONE : ATTEMPTS)('what it shows refuses $how', async ({ send, refusals }) => {
      expect(refusals).toContain((await send(target())).status)
    })

    if (typed)
      test('what it shows is right by the types of the framework', () => {
        const text =
          GUIDE.find((block) => block.kind === 'typed' && block.label === typed)?.text ??
          files
            .find(({ name }) => name === typed)!
            .text.replace('= requireHuman({', '= requireHuman<express.Request>({')
        expect(compile(folder, text)).toBe('')
        // The same compiler says so when it is not.
        expect(compile(folder, text.replace(/ +action: 'sign-up',\n/, ''))).toContain('action')
      })
  },
)

/**
 * Runs a page from top to bottom. `told` is called after each command with what it printed.
 *
 * @returns what was otherwise than the page says; empty is right.
 */
async function follow(
  blocks: readonly Block[],
  folder: string,
  env: Readonly<Record<string, string>>,
  adapt: (text: string) => string,
  told: (command: string, output: string) => Promise<void> | void = () => {},
): Promise<string[]> {
  const otherwise: string[] = []
  let printed = ''
  for (const block of blocks) {
    const text = adapt(block.text)
    switch (block.kind) {
      case 'file':
        write(folder, block.name, text)
        break
      case 'output':
        if (printed.trim() !== text.trim()) otherwise.push(`printed "${printed}", not "${text}"`)
        break
      case 'typed': // by the frameworks, above
        break
      case 'command': {
        // What is not installed must fail, and never come from somewhere else.
        const all = {
          ...process.env,
          ...env,
          PYTHONDONTWRITEBYTECODE: '1',
          npm_config_offline: 'true',
          npm_config_loglevel: 'error',
        }
        if (block.background) {
          children.push(spawn('/bin/sh', ['-c', text], { cwd: folder, env: all, detached: true, stdio: 'inherit' }))
          printed = ''
        } else {
          // Not spawnSync: the service that a command asks may be in this process.
          const child = spawn('/bin/sh', ['-c', text], { cwd: folder, env: all, stdio: ['ignore', 'pipe', 'inherit'] })
          const [out, status] = await Promise.all([
            textOf(child.stdout),
            once(child, 'exit').then(([code]) => code as number),
          ])
          if (status !== block.exit) otherwise.push(`ended with ${status}: ${text}`)
          printed = out
        }
        await told(block.text, printed)
      }
    }
  }
  return otherwise
}

test('docs/start/guide.md, from an empty folder to a visitor in a browser who is welcome', async () => {
  const [servicePort, sitePort] = [await freePort(), await freePort()]
  const folder = folderIn('express')
  // The service, as `npm install` of its tarball puts it there.
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(join(ROOT, 'dist/main.js'), join(folder, 'node_modules/.bin/hv'))
  const learned = { SITEKEY: '', HV_SECRET: '' }
  const env = {
    HV_LISTEN: `127.0.0.1:${servicePort}`,
    HV_OPS_LISTEN: '127.0.0.1:0',
    PORT: String(sitePort),
    get HV_SECRET() {
      return learned.HV_SECRET
    },
  }
  const adapt = (text: string): string =>
    text
      .replaceAll(':8080', `:${servicePort}`)
      .replaceAll(':3000', `:${sitePort}`)
      .replace('"SITEKEY"', `"${learned.SITEKEY}"`)

  const otherwise = await follow(GUIDE, folder, env, adapt, async (command, output) => {
    if (command.includes('site add')) {
      learned.SITEKEY = /hv_site_\S+/.exec(output)![0]
      learned.HV_SECRET = /hv_secret_\S+/.exec(output)![0]
      // Playwright's browser is a driver's, and scores like one: this is the one thing that is not as in the guide.
      const config = join(folder, 'hv.yaml')
      writeFileSync(config, `${readFileSync(config, 'utf8')}    score_threshold: 0\n`)
    }
    if (command.includes('hv serve')) await listening(servicePort)
    if (command.includes('node server.js')) await listening(sitePort)
  })

  expect(otherwise).toEqual([])

  const browser = await launch()
  try {
    const page = await browser.newPage()
    await page.goto(`http://localhost:${sitePort}/`)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('Welcome, ada%40example.com').waitFor({ timeout: 20_000 })
    expect(page.url()).toBe(`http://localhost:${sitePort}/sign-up`)
  } finally {
    await browser.close()
  }
}, 120_000)
