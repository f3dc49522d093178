/** The client library of the package, as it is built, on the runtimes that are not Node.js: the same table of cases. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe } from '@jest/globals'
import { transformFileSync } from '@swc/core'
import { rollup } from 'rollup'
import type { Client } from '../../../packages/client/test/cases.ts'
import { freePort } from '../../support/ports.mjs'
import { listening } from '../../support/redis.ts'
import { ask } from './languages.ts'
import { ROOT, run } from './projects.ts'
import { tryTable } from './table.ts'

const RUNTIMES = join(import.meta.dirname, 'runtimes')
const BUILT = join(ROOT, 'build/examples-runtimes')

/** The runtimes themselves, from their packages; their own installers would look elsewhere, so they are not run. */
function program(...path: string[]): string {
  if (!existsSync(join(RUNTIMES, 'node_modules'))) {
    process.stdout.write(
      'test:examples installs Bun, Deno and workerd: npm ci --prefix test/published/examples/runtimes\n',
    )
    run('npm', ['ci', '--prefix', RUNTIMES, '--ignore-scripts', '--no-audit', '--no-fund'], RUNTIMES)
  }
  return join(RUNTIMES, 'node_modules', ...path)
}

/** `packages/client/dist/esm/verify.js` and what it imports, as one file: what a bundler of a customer makes of it. */
async function bundle(): Promise<void> {
  mkdirSync(BUILT, { recursive: true })
  const built = await rollup({ input: join(ROOT, 'packages/client/dist/esm/verify.js') })
  await built.write({ file: join(BUILT, 'client.mjs'), format: 'es' })
  await built.close()
}

/** The handler of `examples/verify/verify.ts`, under another runtime. */
async function processOf(command: string, ...args: string[]): Promise<Client> {
  await bundle()
  const { code } = transformFileSync(join(ROOT, 'examples/verify/verify.ts'), {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  })
  const handler = join(BUILT, 'verify.mjs')
  writeFileSync(
    handler,
    `import process from 'node:process'\n${code.replace('@human-verification/client', './client.mjs')}`,
  )
  return (call) => ask(command, [...args, handler], call)
}

describe('Bun', () => {
  tryTable(() => processOf(program('@oven/bun-linux-x64/bin/bun')))
})

describe('Deno', () => {
  tryTable(() => processOf(program('@deno/linux-x64-glibc/deno'), 'run', '--no-config', '--allow-all'))
})

/** The edge: workerd, which Cloudflare Workers are made of. It knows no files, no processes and no environment. */
describe('workerd', () => {
  let workerd: ChildProcess | undefined
  afterAll(() => void workerd?.kill('SIGKILL'))

  tryTable(async () => {
    await bundle()
    const port = await freePort()
    writeFileSync(join(BUILT, 'worker.mjs'), WORKER)
    writeFileSync(join(BUILT, 'config.capnp'), configOf(port))
    const command = program('@cloudflare/workerd-linux-64/bin/workerd')
    workerd = spawn(command, ['serve', join(BUILT, 'config.capnp')], { stdio: 'inherit' })
    await Promise.race([listening(port), once(workerd, 'exit').then(() => Promise.reject(new Error('workerd ended')))])
    return async (call) => {
      const res = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(call) })
      return res.text()
    }
  })
})

const WORKER = `
import { verify } from './client.mjs'

const number = (value, unit = 1) => (value === null || value === undefined ? undefined : Number(value) * unit)

export default {
  async fetch(request) {
    const call = await request.json()
    try {
      const visitor = await verify({
        ...call,
        url: call.url ?? undefined,
        threshold: number(call.threshold),
        timeout: number(call.timeout, 1000),
      })
      return new Response(visitor.accepted ? 'accepted' : visitor.rule)
    } catch (error) {
      return new Response(error instanceof TypeError ? 'options' : String(error))
    }
  },
}
`

const configOf = (port: number): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .worker), (name = "internet", network = (allow = ["public", "private"])) ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ],
);
const worker :Workerd.Worker = (
  modules = [
    (name = "worker.mjs", esModule = embed "worker.mjs"),
    (name = "client.mjs", esModule = embed "client.mjs"),
  ],
  compatibilityDate = "2025-01-01",
);
`
