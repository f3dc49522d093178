/** Real proxies in front of some instances, which end with the tests of a file: the samples of deploy/, with our ports, and without TLS. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request as askHttp } from 'node:http'
import { request as askHttps } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeLater, newFolder } from './close-later.ts'
import { needProgram } from './programs.mjs'
import { freePort } from './ports.mjs'
import { listening } from './redis.ts'

export type Proxy = Awaited<ReturnType<typeof start>>

const sample = (file: string): string =>
  readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
const hosts = (urls: readonly string[]): string[] => urls.map((url) => new URL(url).host)

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
/** How each program is run; `text` is what a sample has, and stands in a file of a folder that is the program's own. */
const PROGRAMS = {
  nginx: {
    args: (file: string, folder: string) => [
      '-p',
      folder,
      '-e',
      join(folder, 'error.log'),
      '-c',
      file,
    ],
    whole: (text: string, folder: string) => {
      const paths = TEMPORARY.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')
      // Its workers must write below our folder.
      const user = process.getuid?.() === 0 ? 'user root;\n' : ''
      return `${user}daemon off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${text}\n}\n`
    },
  },
  caddy: {
    args: (file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
    whole: (text: string) => `{\nadmin off\n}\n${text}`,
  },
  haproxy: { args: (file: string) => ['-db', '-q', '-f', file], whole: (text: string) => text },
  traefik: { args: (file: string) => [`--configFile=${file}`], whole: (text: string) => text },
  envoy: {
    args: (file: string) => [
      '--config-path',
      file,
      '--use-dynamic-base-id',
      '--concurrency',
      '1',
      '--log-level',
      'off',
    ],
    whole: (text: string) => text,
  },
}

/** @param configuration made from a sample. */
export async function start(
  program: keyof typeof PROGRAMS,
  configuration: (port: number, folder: string) => string,
) {
  const { args, whole } = PROGRAMS[program]
  const port = await freePort()
  const folder = newFolder()
  // Traefik and Envoy read what a name says it is.
  const file = join(folder, 'proxy.yaml')
  writeFileSync(file, whole(configuration(port, folder), folder))
  const proxy = spawn(needProgram(program), args(file, folder), {
    stdio: 'ignore',
    env: { HOME: folder },
  })
  const exited = once(proxy, 'exit')
  const stop = async () => {
    // Killed at once, nginx would leave its worker process.
    proxy.kill(program === 'nginx' ? 'SIGTERM' : 'SIGKILL')
    await exited
  }
  await listening(port)
  return closeLater({ url: `http://127.0.0.1:${port}`, stop }, (it) => it.stop())
}

/** Files of a certificate and its key: with them a sample speaks TLS as it is written, and by it HTTP/2. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

const files = (text: string, { cert, key }: Certificate): string =>
  text
    .replaceAll('/etc/ssl/verify.example.com.pem', cert)
    .replaceAll('/etc/ssl/verify.example.com.key', key)

/**
 * Asks each instance for its health, and asks another one when a connection is refused: then nothing has been sent yet, so
 * nothing is done twice.
 *
 * @param limited as in the sample; false: one address may send what all visitors of a test send.
 * @param further lines of the `backend` section: `http-reuse always`.
 * @param change of the sample.
 */
export const startHaproxy = (
  urls: readonly string[],
  further: readonly string[] = [],
  { limited = false, change = (text: string) => text } = {},
) =>
  start('haproxy', (port) => {
    const servers = hosts(urls).map((host, i) => `server instance${i} ${host}`)
    const text = change(sample('haproxy/haproxy.cfg'))
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace(
        /^ *server-template .*$/m,
        [...further, ...servers].map((line) => `    ${line}`).join('\n'),
      )
    return limited ? text : text.replace(/(sc0_\w+ gt) \d+/g, '$1 1000000')
  })

/**
 * @param limited as in the sample; false: one address may send what all visitors of a test send, and bodies pass as they
 * come, so that it is our framing that is tried and not a copy of nginx's.
 */
export const startNginx = (
  urls: readonly string[],
  { limited = false, tls }: { readonly limited?: boolean; readonly tls?: Certificate } = {},
) =>
  start('nginx', (port) => {
    const servers = hosts(urls).map((host) => `server ${host} max_conns=1000 max_fails=0;`)
    const served = sample('nginx/human-verification.conf')
      .replace('listen 443 ', `listen 127.0.0.1:${port} `)
      .replace('server 127.0.0.1:8080 max_conns=1000 max_fails=0;', servers.join('\n    '))
    const text = tls
      ? files(served, tls)
      : served.replace(' ssl http2;', ';').replace(/^ *ssl_.*$/gm, '')
    if (limited) return text
    return text
      .replace(/^ *limit_(conn|req) .*$/gm, '')
      .replace(
        'proxy_http_version 1.1;',
        'proxy_http_version 1.1;\n        proxy_request_buffering off;',
      )
  })

export const startCaddy = (urls: readonly string[], tls?: Certificate) =>
  start('caddy', (port) =>
    sample('caddy/Caddyfile')
      .replace(
        'verify.example.com {',
        tls ? `https://127.0.0.1:${port} {\n\ttls ${tls.cert} ${tls.key}` : `http://:${port} {`,
      )
      .replace('127.0.0.1:8080', hosts(urls).join(' ')),
  )

/** Serves any name, as the other samples here. */
export async function startTraefik(urls: readonly string[], tls?: Certificate) {
  const proxy = await start('traefik', (port, folder) => {
    const text = sample('traefik/human-verification.yaml')
      .replaceAll('Host(`verify.example.com`)', 'PathPrefix(`/`)')
      .replace(/^( *- url: ).*$/m, (_, row: string) => urls.map((url) => row + url).join('\n'))
    const pair = tls && { certFile: tls.cert, keyFile: tls.key }
    const store = `tls: {stores: {default: {defaultCertificate: ${JSON.stringify(pair)}}}}\n`
    const file = join(folder, 'dynamic.yaml')
    writeFileSync(file, tls ? text + store : text.replaceAll(/^ *tls: {}\n/gm, ''))
    return `entryPoints: {web: {address: "127.0.0.1:${port}"}}
providers: {file: {filename: ${file}}}
log: {level: PANIC}
global: {checkNewVersion: false}
`
  })
  // It listens before it has read its routers, and speaks no TLS until then.
  while (!(await isRouted(proxy.url, tls))) await sleep(20)
  return proxy
}

const isRouted = (url: string, tls: Certificate | undefined) =>
  new Promise<boolean>((resolve) => {
    const { port } = new URL(url)
    const how = { host: '127.0.0.1', port, path: '/', agent: false, rejectUnauthorized: false }
    const asked = (tls ? askHttps : askHttp)(how, (answer) => {
      answer.resume()
      resolve(answer.statusCode !== 404)
    })
    asked.on('error', () => resolve(false)).end()
  })

export const startEnvoy = (urls: readonly string[], tls?: Certificate) =>
  start('envoy', (port) => {
    const endpoint = (url: string) => `port_value: ${new URL(url).port}}`
    const text = sample('envoy/human-verification.yaml')
      .replace('address: 0.0.0.0, port_value: 8443', `address: 127.0.0.1, port_value: ${port}`)
      .replace(/^.*port_value: 8080}.*$/m, (row) =>
        urls.map((url) => row.replace('port_value: 8080}', endpoint(url))).join('\n'),
      )
    return tls
      ? files(text, tls)
      : text.replace(/- transport_socket:\n(?: {12}.*\n)+ +filters:/, '- filters:')
  })

/** The Caddy of the compose file, which finds its instances by a name; here `localhost`, with one instance. */
export const startComposeCaddy = ([url]: readonly string[]) =>
  start('caddy', (port) =>
    sample('compose/Caddyfile')
      .replace('{$HV_HOSTNAME:localhost} {', `http://:${port} {`)
      .replace(/^\{\$HV_DASHBOARD_HOSTNAME[^]*/m, '')
      .replace('dynamic a verify 8080', `dynamic a localhost ${new URL(url!).port}`),
  )
