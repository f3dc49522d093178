/** Programs that stand behind a gate and answer with what they read of a request. They end with the tests of a file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import express from 'express'
import { closeLater, newFolder } from '../../support/close-later.ts'
import { freePort } from '../../support/ports.mjs'
import { findProgram, needProgram } from '../../support/programs.mjs'
import { start } from '../../support/proxies.ts'
import { listening } from '../../support/redis.ts'
import { serve } from '../../support/serve.ts'

/** What a program read. Each of `paths` chooses a page in programs of its kind. */
export interface Read {
  readonly paths: readonly string[]
  /** Names of the parameters of the query, and of those of a form's body. */
  readonly query?: readonly string[]
  readonly form?: readonly string[]
  readonly method?: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

const FILES = ['secret/x', 'search', 'api/x', 'open/a', 'other', 'robots.txt', 'favicon.ico']
/** A folder in which each file holds its own path, as a program would show it. */
function site(): string {
  const folder = newFolder()
  for (const file of FILES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), JSON.stringify({ paths: [`/${file}`] }))
  }
  return folder
}

async function startNginx(): Promise<string> {
  const { url } = await start(
    'nginx',
    (port) => `server { listen 127.0.0.1:${port}; root ${site()}; }`,
  )
  return new URL(url).host
}

async function startExpress(): Promise<string> {
  const app = express()
  app.use(express.static(site()))
  const show: express.RequestHandler = (req, res) => {
    const lines = req.rawHeaders
    const headers = lines.flatMap((name, i) => (i % 2 === 0 ? [[name, lines[i + 1]!]] : []))
    const method = req.get('x-http-method-override') ?? req.method
    res.json({ paths: [req.path], query: Object.keys(req.query), method, headers })
  }
  // Express routes a decoded path, without regard to case.
  const route =
    (path: string): express.RequestHandler =>
    (_req, res) =>
      void res.json({ paths: [path] })
  app.all('/secret/{*rest}', route('/secret/'))
  app.all('/search{/*rest}', route('/search'))
  app.use(show)
  return new URL((await serve(app)).url).host
}

/** Starts a program on a free port. */
async function startProgram(
  command: string,
  args: (address: string) => readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const port = await freePort()
  const child = spawn(command, args(`127.0.0.1:${port}`), {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], ...env },
  })
  const exited = once(child, 'exit')
  closeLater(child, async (it) => {
    // Not SIGKILL: Hypercorn's worker is a process of its own, and would stay.
    it.kill('SIGTERM')
    await exited
  })
  await listening(port)
  return `127.0.0.1:${port}`
}

const source = (name: string): string => join(import.meta.dirname, 'readers', name)

const startPhp = (): Promise<string> =>
  startProgram(needProgram('php'), (address) => ['-S', address, '-t', site(), source('index.php')])

export const startHypercorn = (): Promise<string> =>
  startProgram(
    needProgram('python'),
    (address) => ['-m', 'hypercorn', '--bind', address, 'asgi:app'],
    {
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: `${dirname(dirname(needProgram('hypercorn')))}:${dirname(source('asgi.py'))}`,
    },
  )

/** Those that are installed. */
export const READERS: readonly (readonly [name: string, start: () => Promise<string>])[] = [
  ['files of nginx', startNginx],
  ['Express', startExpress],
  ...(findProgram('php') === undefined ? [] : [['PHP', startPhp] as const]),
  ...(findProgram('hypercorn') === undefined ? [] : [['Hypercorn', startHypercorn] as const]),
]
