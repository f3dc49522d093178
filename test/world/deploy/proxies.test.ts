/** The samples for proxies and systemd: each program takes its file, and no visitor gets to say who it is. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { listen, type Listening } from '../../../src/http/listen.ts'
import { startHaproxy } from '../../support/haproxy.ts'
import { startNginx } from '../../support/nginx.ts'
import { freePort } from '../../support/ports.mjs'
import { findProgram, needProgram } from '../../support/programs.mjs'
import { sleep } from '../../support/process.ts'
import { bytesOf, type RawRequest, receive } from '../../support/raw.ts'
import { listening } from '../../support/redis.ts'
import { ROOT } from './root.ts'

interface Proxy {
  readonly url: string
  stop(): Promise<void>
}
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hv-deploy-'))
})
afterAll(() => rmSync(folder, { recursive: true }))
const sample = (file: string): string => readFileSync(join(ROOT, 'deploy', file), 'utf8')

/** deploy/caddy/Caddyfile without TLS. */
async function startCaddy(program: string, urls: readonly string[]): Promise<Proxy> {
  const port = await freePort()
  const text = sample('caddy/Caddyfile')
    .replace('verify.example.com {', `http://:${port} {`)
    .replace('127.0.0.1:8080', urls.map((url) => new URL(url).host).join(' '))
  writeFileSync(join(folder, 'Caddyfile'), `{\nadmin off\n}\n${text}`)
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
    },
  }
}

describe('every proxy, as its sample has it', () => {
  const VISITOR = '127.0.0.9'
  let instance: Listening
  beforeAll(async () => {
    instance = await listen((req, res) => res.end(req.headers['x-forwarded-for']), { host: '127.0.0.1', port: 0 })
  })
  afterAll(() => instance.stop(0))

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
  ])(
    '%s refuses 1,100 header lines, or passes them with the address of who sent them',
    async (_name, start, status) => {
      const proxy = await start([instance.url])
      try {
        // A proxy finds its instance well first.
        while ((await ask(proxy.url))[0] !== 200) await sleep(50)
        expect(await ask(proxy.url, [['X-Forwarded-For', '192.0.2.1']])).toEqual([200, VISITOR])
        const many = Array.from({ length: 1100 }, (_, i) => [`a${i % 9}`, '1'] as const)
        const [got, address] = await ask(proxy.url, many)
        expect([got, got === 200 ? address : 'refused']).toEqual([status, status === 200 ? VISITOR : 'refused'])
      } finally {
        await proxy.stop()
      }
    },
  )

  test.each([
    ['nginx/human-verification.conf', /proxy_set_header X-JA4 "";/],
    ['caddy/Caddyfile', /header_up -X-JA4/],
    ['haproxy/haproxy.cfg', /http-request del-header X-JA4/],
  ])('%s removes a fingerprint that a visitor brings', (file, wanted) => expect(sample(file)).toMatch(wanted))
})

describe('haproxy with the limits of its sample', () => {
  const seen: IncomingHttpHeaders[] = []
  const instance = createServer((req, res) => {
    if (req.url === '/seen') seen.push(req.headers)
    res.end('ok')
  })
  let proxy: Proxy
  const sockets: Socket[] = []
  beforeAll(async () => {
    await once(instance.listen(0, '127.0.0.1'), 'listening')
    proxy = await startHaproxy([`http://127.0.0.1:${(instance.address() as AddressInfo).port}`], [], { limited: true })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await proxy.stop()
    instance.close()
  })

  /** Asks once from an address of this machine. @returns the status; undefined: the connection was refused or closed. */
  async function askedFrom(localAddress: string, path: string, headers = {}): Promise<number | undefined> {
    const { hostname, port } = new URL(proxy.url)
    const asking = request({ host: hostname, port, path, localAddress, headers, agent: false }).end()
    return once(asking, 'response').then(
      ([res]) => (res as { resume(): { statusCode: number } }).resume().statusCode,
      () => undefined,
    )
  }

  test('256 connections of one address shut out that address only', async () => {
    const port = Number(new URL(proxy.url).port)
    for (let i = 0; i < 256; i++) {
      const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' }).on('error', () => {})
      sockets.push(socket)
      await once(socket, 'connect')
      socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(socket, 'data')
    }
    expect(await askedFrom('127.0.0.2', '/health')).toBe(undefined)
    expect(await askedFrom('127.0.0.3', '/health')).toBe(200)
  })

  test('what a visitor says of its address, its TLS and its request’s name is removed', async () => {
    const lies = { 'x-ja4': 't13d1517h2', forwarded: 'for=192.0.2.1', 'x-request-id': 'a-lie-for-the-log' }
    expect(await askedFrom('127.0.0.4', '/seen', { ...lies, 'x-forwarded-for': '192.0.2.1' })).toBe(200)
    expect(Object.keys(lies).filter((name) => seen[0]![name] !== undefined)).toEqual([])
    expect(seen[0]!['x-forwarded-for']).toBe('127.0.0.4')
  })

  test('an address that asks too often is refused, and its siteverify is not', async () => {
    let last: number | undefined
    for (let i = 0; i < 610; i++) last = await askedFrom('127.0.0.5', '/health')
    expect(last).toBe(429)
    expect(await askedFrom('127.0.0.5', '/api/v1/siteverify')).toBe(200)
    expect(await askedFrom('127.0.0.6', '/health')).toBe(200)
  })
})

describe('the program takes its file:', () => {
  const said = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: folder })
    return { status, said: `${stdout}${stderr}` }
  }

  test('nginx, with TLS', async () => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const files = ['-keyout', key, '-out', certificate, '-subj', '/CN=verify.example.com', '-days', '1']
    said(needProgram('openssl'), 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files)
    const fragment = sample('nginx/human-verification.conf')
      // nginx opens the port to try it: 443 may be in use here, or root's.
      .replace('listen 443 ', `listen ${await freePort()} `)
      .replace('/etc/ssl/verify.example.com.pem', certificate)
      .replace('/etc/ssl/verify.example.com.key', key)
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, `pid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${fragment}\n}\n`)
    const nginx = said(needProgram('nginx'), '-t', '-q', '-p', folder, '-e', join(folder, 'error.log'), '-c', file)
    expect(nginx).toEqual({ status: 0, said: '' })
  })

  const systemd = findProgram('systemdAnalyze')
  ;(systemd === undefined ? test.skip : test)('systemd, and finds little exposed', () => {
    const unit = join(ROOT, 'deploy/systemd/human-verification@.service')
    const analysed = said(systemd!, 'security', '--offline=true', '--threshold=20', unit)
    expect(analysed).toEqual({ status: 0, said: expect.stringContaining('OK') })
    // V8 calls pkey_alloc, which @system-service of systemd 252 lacks: without @pkey the filter kills the process.
    expect(readFileSync(unit, 'utf8')).toMatch(/^SystemCallFilter=@system-service @pkey$/m)
  })
})
