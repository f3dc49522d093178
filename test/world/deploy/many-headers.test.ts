/** Every proxy as its sample has it: behind 1,100 header lines of a visitor's own the service still knows whose they are. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listen, type Listening } from '../../../src/http/listen.ts'
import { startHaproxy } from '../../support/haproxy.ts'
import { startNginx } from '../../support/nginx.ts'
import { freePort } from '../../support/ports.mjs'
import { findProgram } from '../../support/programs.mjs'
import { sleep } from '../../support/process.ts'
import { bytesOf, type RawRequest, receive } from '../../support/raw.ts'
import { listening } from '../../support/redis.ts'
import { ROOT } from './root.ts'

interface Proxy {
  readonly url: string
  stop(): Promise<void>
}

let instance: Listening
beforeAll(async () => {
  instance = await listen((req, res) => res.end(req.headers['x-forwarded-for']), { host: '127.0.0.1', port: 0 })
})
afterAll(() => instance.stop(0))

/** deploy/caddy/Caddyfile without TLS. */
async function startCaddy(program: string, urls: readonly string[]): Promise<Proxy> {
  const [port, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'hv-caddy-'))]
  const sample = readFileSync(join(ROOT, 'deploy/caddy/Caddyfile'), 'utf8')
    .replace('verify.example.com {', `http://:${port} {`)
    .replace('127.0.0.1:8080', urls.map((url) => new URL(url).host).join(' '))
  writeFileSync(join(folder, 'Caddyfile'), `{\nadmin off\n}\n${sample}`)
  const child = spawn(program, ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], {
    stdio: 'ignore',
    env: { HOME: folder },
  })
  const exited = once(child, 'exit')
  await listening(port)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}

const VISITOR = '127.0.0.9'
/** @returns the status, and what the service was told about the visitor's address. */
async function ask(url: string, headers: RawRequest['headers'] = []): Promise<readonly [number, string]> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: VISITOR })
  socket.write(bytesOf({ method: 'GET', path: '/', headers }))
  const [answer] = await receive(socket)
  return [answer!.status, answer!.body.toString()]
}

// .ci/run installs it; npm test does not, since it runs nothing behind it.
const caddy = findProgram('caddy')
test.each<[string, (urls: readonly string[]) => Promise<Proxy>, number]>([
  ['haproxy', startHaproxy, 400],
  ['nginx', startNginx, 400],
  ...(caddy === undefined
    ? []
    : ([['Caddy', (urls: readonly string[]) => startCaddy(caddy, urls), 200]] as [string, never, number][])),
])('%s refuses 1,100 header lines, or passes them with the address of who sent them', async (_name, start, status) => {
  const proxy = await start([instance.url])
  try {
    // A proxy finds its instance well first.
    while ((await ask(proxy.url))[0] !== 200) await sleep(50)
    expect(await ask(proxy.url)).toEqual([200, VISITOR])
    const many = Array.from({ length: 1100 }, (_, i) => [`a${i % 9}`, '1'] as const)
    const [got, address] = await ask(proxy.url, many)
    expect([got, got === 200 ? address : 'refused']).toEqual([status, status === 200 ? VISITOR : 'refused'])
  } finally {
    await proxy.stop()
  }
})
