/** The service, and the gate, inside a program that does not run from its `node_modules`: its files were traced, or are one bundle. docs/start/library.md */
import { cpSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { newFolder as newTemporary } from '../../support/close-later.ts'
import { ask, gateFiles, NAVIGATION } from '../../support/gate.ts'
import { CONFIG, keyringFile, SITEKEY, siteWith } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import {
  installFrameworks,
  installServer,
  LIBRARY,
  newFolder,
  ROOT,
  start,
  write,
} from './projects.ts'

const NAME = '@human-verification/server'
const load = createRequire(import.meta.url)
const { nodeFileTrace } = load('@vercel/nft') as {
  nodeFileTrace: (files: string[], options: object) => Promise<{ fileList: Set<string> }>
}
const { buildSync } = load('esbuild') as { buildSync: (options: object) => void }

beforeAll(() => {
  installFrameworks()
  installServer()
}, 300_000)

const redis = await startRedis()
const keyring = keyringFile()

/** Puts the Express recipe of library.md, and what it needs, into a folder below the packages. */
function program(): string {
  const folder = newFolder()
  const recipe = LIBRARY.find(
    (block) => block.kind === 'file' && block.name === 'express/server.js',
  )
  write(folder, 'server.js', recipe!.text)
  write(folder, 'package.json', '{ "name": "shop", "version": "9.9.9", "type": "module" }')
  writeConfig(folder)
  return folder
}

function writeConfig(folder: string): void {
  const site = siteWith('x'.repeat(40), { hostnames: ['localhost'] })
  const config = { ...CONFIG, redis: { url: redis.url }, keyring, sites: [site] }
  write(folder, 'hv.yaml', JSON.stringify(config))
}

/** Copies the files that a tracer lists, and nothing else. @returns the program's folder there. */
async function traced(folder: string, isCopied = (_file: string) => true): Promise<string> {
  // Node.js 20.19 takes the branch `module-sync` of a package, which the tracer follows by itself only on 22 (@vercel/nft 1.11.5).
  const options = { base: ROOT, conditions: ['node', 'module-sync'] }
  const { fileList } = await nodeFileTrace([join(folder, 'server.js')], options)
  const to = newTemporary()
  for (const file of [...fileList].filter(isCopied))
    cpSync(join(ROOT, file), join(to, file), { verbatimSymlinks: true, recursive: true })
  const copy = join(to, relative(ROOT, folder))
  writeConfig(copy)
  return copy
}

/** Makes the program one file. @returns the folder of that file. */
function bundled(folder: string, options: object): string {
  const outfile = join(folder, 'dist/server.mjs')
  const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`
  buildSync({
    entryPoints: [join(folder, 'server.js')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    banner: { js: banner },
    ...options,
  })
  return folder
}

async function expectVisits(folder: string, file: string): Promise<void> {
  const server = await start(folder, [file], {})
  const script = await fetch(`${server.url}/hv/assets/captcha.js`)
  const challenge = await fetch(`${server.url}/hv/api/v1/challenge`, {
    method: 'POST',
    headers: { origin: 'http://localhost' },
    body: new URLSearchParams({ sitekey: SITEKEY, action: 'sign-up' }),
  })
  expect([script.status, challenge.status]).toEqual([200, 200])
  expect(await server.end()).toBe(0)
}

test('a program whose files a tracer lists (Next.js, Nitro, Vercel) runs, with Redis', async () => {
  await expectVisits(await traced(program()), 'server.js')
}, 120_000)

test('a program whose tracer left our assets out ends with what to copy', async () => {
  const folder = await traced(program(), (file) => !file.includes('/dist/assets/'))
  await expect(start(folder, ['server.js'], {})).rejects.toThrow(
    `dist/assets is missing: copy the whole package, ${NAME}/dist/**, with the program`,
  )
}, 120_000)

test('a bundle without our package in it runs, with Redis', async () => {
  await expectVisits(bundled(program(), { external: [NAME] }), 'dist/server.mjs')
}, 120_000)

test('a bundle with our package in it ends with what to do', async () => {
  const folder = bundled(program(), {})
  await expect(start(folder, ['dist/server.mjs'], {})).rejects.toThrow(
    `${NAME} cannot run from a bundle, since it reads files of its own: mark it as external`,
  )
}, 120_000)

describe('the gate', () => {
  const GATE = '@human-verification/gate'
  function gateProgram(): string {
    const folder = newFolder()
    const text = `import { createServer } from 'node:http'
import { gate } from '${GATE}'
const { express } = gate({ config: process.env.GATE, isSecure: false })
createServer((req, res) => express(Object.assign(req, { ip: '127.0.0.1' }), res, () => res.end()))
  .listen(Number(process.env.PORT), '127.0.0.1')`
    write(folder, 'server.js', text)
    write(folder, 'package.json', '{ "name": "shop", "version": "9.9.9", "type": "module" }')
    return folder
  }
  const run = (folder: string, file: string) =>
    start(folder, [file], { GATE: gateFiles('http://127.0.0.1:9') })
  async function expectPage(folder: string, file: string): Promise<void> {
    const { url } = await run(folder, file)
    expect((await ask(url, '/', NAVIGATION)).body).toContain('/.hv/gate.js')
    expect((await ask(url, '/.hv/gate.js')).status).toBe(200)
  }
  const MISSING = `${GATE} reads files of its own, and `

  test('runs where a tracer lists its files', async () => {
    await expectPage(await traced(gateProgram()), 'server.js')
  }, 120_000)

  test('ends with what to copy where a tracer left its page out', async () => {
    const folder = await traced(gateProgram(), (file) => !file.includes('/gate/page'))
    await expect(run(folder, 'server.js')).rejects.toThrow(MISSING)
  }, 120_000)

  test('runs beside a bundle without it', async () => {
    await expectPage(bundled(gateProgram(), { external: [GATE] }), 'dist/server.mjs')
  }, 120_000)

  test('ends with what to do in a bundle with it', async () => {
    await expect(run(bundled(gateProgram(), {}), 'dist/server.mjs')).rejects.toThrow(MISSING)
  }, 120_000)
})
