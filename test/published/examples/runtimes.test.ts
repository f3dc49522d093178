/** `verify()` and the wrapper for `Request` in the runtimes that packages/client/README.md and docs/start/guide.md name. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { realService } from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'
import { installFrameworks, newFolder, ROOT, type Running, start, write } from './projects.ts'

const PACKAGES = join(import.meta.dirname, 'node_modules')
const CLIENT = join(ROOT, 'packages/client/dist/esm')

/** `env` says where settings are. @returns a handler of `POST`, by the wrapper, and one of `PUT`, by `verify()`. */
const handlerOf = (env: string) => `import { verify } from '${CLIENT}/verify.js'
import { requireHuman } from '${CLIENT}/next.js'
const settings = (env) =>
  ({ url: env.HV_URL, secret: env.HV_SECRET, action: 'sign-up', hostnames: ['shop.example.com'] })
const handle = async (request, env) => {
  if (request.method === 'POST')
    return requireHuman(settings(env), ({ human }) => Response.json(human.action))(request)
  const response = await request.text()
  const { accepted } = await verify({ ...settings(env), response })
  return Response.json(accepted ? 'sign-up' : 'refused', { status: accepted ? 200 : 422 })
}
${env}`

/** Runs a Worker as Cloudflare does, with workerd. */
const worker = (date: string) => `import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
const { outputFiles: [{ text: script }] } = await build({
  stdin: {
    contents: ${JSON.stringify(handlerOf('export default { fetch: handle }'))},
    resolveDir: '.',
  },
  bundle: true, format: 'esm', platform: 'neutral', write: false,
})
const { HV_URL, HV_SECRET, PORT } = process.env
const worker = new Miniflare({
  modules: true, script, compatibilityDate: '${date}', bindings: { HV_URL, HV_SECRET },
  host: '127.0.0.1', port: Number(PORT),
})
process.on('SIGTERM', () => worker.dispose().then(() => process.exit()))
await worker.ready`

/** Finds the program of a package that is built for this machine: its script of npm, which copies it, does not run. */
function binary(scope: string, path: string): string {
  const [name = ''] = readdirSync(join(PACKAGES, scope))
  return join(PACKAGES, scope, name, path)
}

const RUNTIMES: Readonly<Record<string, (folder: string) => Promise<Running>>> = {
  'a Worker of 2023-05-18, whose fetch throws at the option cache': (folder) =>
    run(folder, worker('2023-05-18'), ['server.mjs']),
  'a Worker of 2024-11-11': (folder) => run(folder, worker('2024-11-11'), ['server.mjs']),
  Deno: (folder) => {
    const serve =
      "Deno.serve({ port: Number(Deno.env.get('PORT')), hostname: '127.0.0.1' }, (request) => handle(request, Deno.env.toObject()))"
    const args = ['run', '--quiet', '--allow-all', '--no-config', 'server.mjs']
    return run(folder, handlerOf(serve), args, binary('@deno', 'deno'))
  },
  Bun: (folder) => {
    const serve =
      "Bun.serve({ port: Number(process.env.PORT), hostname: '127.0.0.1', fetch: (request) => handle(request, process.env) })"
    return run(folder, handlerOf(serve), ['server.mjs'], binary('@oven', 'bin/bun'))
  },
}

beforeAll(installFrameworks, 300_000)
const service = await realService()

function run(folder: string, text: string, args: readonly string[], program?: string) {
  write(folder, 'server.mjs', text)
  return start(folder, args, { HV_URL: service.base, HV_SECRET: SECRET }, program)
}

test.each(Object.keys(RUNTIMES))(
  '%s accepts a token once, by each way',
  async (name) => {
    const runtime = await RUNTIMES[name]!(newFolder())
    const asked = async (method: string, body: BodyInit) => {
      const { status } = await fetch(runtime.url, { method, body })
      return status
    }
    const [one, other] = [await service.tokenOf({}), await service.tokenOf({})]
    const form = new URLSearchParams({ 'svc-response': one })
    expect([await asked('POST', form), await asked('POST', form)]).toEqual([200, 422])
    expect([await asked('PUT', other), await asked('PUT', other)]).toEqual([200, 422])
    await runtime.end()
  },
  60_000,
)
