/** Real proxies in front of some instances, which end with the tests of a file: the samples of deploy/, with our ports, and without TLS. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeLater, newFolder } from './close-later.ts'
import { needProgram, type ProgramName } from './programs.mjs'
import { freePort } from './ports.mjs'
import { listening } from './redis.ts'

export type Proxy = Awaited<ReturnType<typeof start>>

const sample = (file: string): string => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
const hosts = (urls: readonly string[]): string[] => urls.map((url) => new URL(url).host)

/** @param args of the program, with the file of its configuration and its folder. */
export async function start(
  program: ProgramName,
  args: (file: string, folder: string) => string[],
  configuration: (port: number, folder: string) => string,
) {
  const port = await freePort()
  const folder = newFolder()
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, configuration(port, folder))
  const proxy = spawn(needProgram(program), args(file, folder), { stdio: 'ignore', env: { HOME: folder } })
  const exited = once(proxy, 'exit')
  const stop = async () => {
    // Killed at once, nginx would leave its worker process.
    proxy.kill(program === 'nginx' ? 'SIGTERM' : 'SIGKILL')
    await exited
  }
  await listening(port)
  return closeLater({ url: `http://127.0.0.1:${port}`, stop }, (it) => it.stop())
}

/**
 * Asks each instance for its health, and asks another one when a connection is refused: then nothing has been sent yet, so
 * nothing is done twice.
 *
 * @param limited as in the sample; false: one address may send what all visitors of a test send.
 * @param further lines of the `backend` section: `http-reuse always`.
 */
export const startHaproxy = (urls: readonly string[], further: readonly string[] = [], { limited = false } = {}) =>
  start(
    'haproxy',
    (file) => ['-db', '-q', '-f', file],
    (port) => {
      const servers = hosts(urls).map((host, i) => `server instance${i} ${host}`)
      const text = sample('haproxy/haproxy.cfg')
        .replace('bind :8080', `bind 127.0.0.1:${port}`)
        .replace(/^ *server-template .*$/m, [...further, ...servers].map((line) => `    ${line}`).join('\n'))
      return limited ? text : text.replace(/(sc0_\w+ gt) \d+/g, '$1 1000000')
    },
  )

/** Without limits: one address sends what all visitors of a test send. */
export const startNginx = (urls: readonly string[]) =>
  start(
    'nginx',
    (file, folder) => ['-p', folder, '-e', join(folder, 'error.log'), '-c', file],
    (port, folder) => {
      const servers = hosts(urls).map((host) => `server ${host} max_conns=1000;`)
      const text = sample('nginx/human-verification.conf')
        .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
        .replace(/^ *(ssl_|limit_(conn|req) ).*$/gm, '')
        .replace('server 127.0.0.1:8080 max_conns=1000;', servers.join('\n    '))
        // Bodies pass as they come, so that it is our framing that is tried and not a copy of nginx's.
        .replace('proxy_http_version 1.1;', 'proxy_http_version 1.1;\n        proxy_request_buffering off;')
      const names = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const paths = names.map((name) => `${name}_temp_path ${folder}/${name};`)
      return `daemon off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${text}\n}\n`
    },
  )

export const startCaddy = (urls: readonly string[]) =>
  start(
    'caddy',
    (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    (port) => {
      const text = sample('caddy/Caddyfile')
        .replace('verify.example.com {', `http://:${port} {`)
        .replace('127.0.0.1:8080', hosts(urls).join(' '))
      return `{\nadmin off\n}\n${text}`
    },
  )
