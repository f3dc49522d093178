/** The samples of deploy/ as proxies in front of programs of this machine; only names, addresses and certificates are replaced. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/support/ports.mjs'
import { ensurePrograms, needProgram } from '../../test/support/programs.mjs'
import { folder } from './folder.mjs'
import { ROOT } from './machine.mjs'
import { start, until } from './processes.mjs'

const sample = (file) => readFileSync(join(ROOT, 'deploy', file), 'utf8')

/** In front of the service: `hosts` are addresses of its processes. */
const SERVICE = {
  nginx: (port, hosts) =>
    sample('nginx/human-verification.conf')
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
      .replaceAll(/^ *ssl_.*$/gm, '')
      .replace(
        /^ *server (127.0.0.1:8080) (.*)$/m,
        lines(hosts, (host) => `server ${host} $2`),
      ),
  Caddy: (port, hosts) =>
    sample('caddy/Caddyfile')
      .replace('verify.example.com {', `http://:${port} {`)
      .replace('127.0.0.1:8080', hosts.join(' ')),
  haproxy: (port, hosts) =>
    sample('haproxy/haproxy.cfg')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace(/^resolvers docker\n(?: .*\n)*/m, '')
      .replace(
        /^ *server-template .*$/m,
        lines(hosts, (host, i) => `server verify${i} ${host}`),
      ),
  Traefik: (_port, hosts) =>
    sample('traefik/human-verification.yaml')
      .replaceAll('verify.example.com', '127.0.0.1')
      .replaceAll(/^ *tls: {}\n/gm, '')
      .replace(/^( *- url: ).*$/m, (_, row) =>
        hosts.map((host) => `${row}http://${host}`).join('\n'),
      ),
  Envoy: (port, hosts) =>
    sample('envoy/human-verification.yaml')
      .replace('address: 0.0.0.0, port_value: 8443', `address: 127.0.0.1, port_value: ${port}`)
      .replace(/- transport_socket:\n(?: {12}.*\n)+ +filters:/, '- filters:')
      .replace(/^.*port_value: 8080}.*$/m, (row) =>
        hosts.map((host) => row.replace('8080', host.split(':')[1])).join('\n'),
      ),
}

/** In front of a site: `hosts` are addresses of its gates. */
const GATE = {
  nginx: (port, hosts, { site }) =>
    sample('gate/nginx.conf')
      .replaceAll(/listen 443 ssl http2/g, `listen 127.0.0.1:${port}`)
      .replaceAll(/^ *ssl_.*$/gm, '')
      .replace('server_name www.example.com;', 'server_name 127.0.0.1;')
      .replace(/^ *# (server) 127.0.0.1:8091 (.*)$/m, hosts[1] ? `$1 ${hosts[1]} $2` : '')
      .replace('127.0.0.1:8090', hosts[0])
      .replace('127.0.0.1:3000', site),
  Caddy: (port, hosts, { site }) =>
    sample('gate/Caddyfile')
      .replace('www.example.com {', `http://:${port} {`)
      .replaceAll('127.0.0.1:8090', hosts.join(' '))
      .replace('127.0.0.1:3000', site),
  haproxy(port, hosts, { site, path }) {
    const file = join(path, 'hv-gate.lua')
    writeFileSync(
      file,
      sample('gate/hv-gate.lua').replace(
        'http://127.0.0.1:8090',
        hosts.map((host) => `http://${host}`).join(' '),
      ),
    )
    return sample('gate/haproxy.cfg')
      .replace('/etc/haproxy/hv-gate.lua', file)
      .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
      .replace(/^ *# (server gate2) 127.0.0.1:8091$/m, hosts[1] ? `$1 ${hosts[1]}` : '')
      .replace('127.0.0.1:8090', hosts[0])
      .replace('127.0.0.1:3000', site)
  },
  Traefik(_port, hosts, { site, spare }) {
    const text = sample('gate/traefik.yaml')
      .replaceAll('www.example.com', '127.0.0.1')
      .replaceAll(/^ *tls: {}\n/gm, '')
      .replace('127.0.0.1:3000', site)
    const [one, other] = hosts
    if (other === undefined) return text.replaceAll('127.0.0.1:8090', one)
    return text
      .replace(/# (?=gates: {rule|- url)/g, '')
      .replaceAll('127.0.0.1:8089', `127.0.0.1:${spare}`)
      .replace('127.0.0.1:8090/check', `127.0.0.1:${spare}/check`)
      .replace('127.0.0.1:8090', one)
      .replace('127.0.0.1:8091', other)
  },
  Envoy(port, hosts, { site }) {
    const [one, other] = hosts.map((host) => host.split(':')[1])
    return sample('gate/envoy.yaml')
      .replace('address: 0.0.0.0, port_value: 8080', `address: 127.0.0.1, port_value: ${port}`)
      .replace(/# (- endpoint: .*)8091(.*)/, other === undefined ? '' : `$1${other}$2`)
      .replace('port_value: 8090', `port_value: ${one}`)
      .replace('port_value: 3000', `port_value: ${site.split(':')[1]}`)
  },
}
export const PROXIES = Object.keys(SERVICE)
/** Those whose sample for the gate names several of them. */
export const GATE_PROXIES = Object.keys(GATE)

const lines = (hosts, line) => hosts.map(line).join('\n    ')

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
const PROGRAMS = {
  nginx: {
    name: 'nginx',
    whole(text, path) {
      const paths = TEMPORARY.map((name) => `${name}_temp_path ${path}/${name};`).join('\n')
      const user = process.getuid() === 0 ? 'user root;\n' : ''
      return `${user}daemon off;\npid ${path}/nginx.pid;\nevents { worker_connections 4096; }\nhttp {\naccess_log off;\n${paths}\n${text}\n}\n`
    },
    args: (path, file) => ['-p', path, '-e', join(path, 'error.log'), '-c', file],
  },
  Caddy: {
    name: 'caddy',
    whole: (text) => `{\nadmin off\n}\n${text}`,
    args: (_path, file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  haproxy: {
    name: 'haproxy',
    whole: (text) => text,
    args: (_path, file) => ['-db', '-q', '-f', file],
  },
  Traefik: {
    name: 'traefik',
    whole(text, path, port) {
      const file = join(path, 'dynamic.yaml')
      writeFileSync(file, text)
      // The sample says how the entry point by which Traefik asks itself is written.
      const [own = ''] = /^ +# +gates: {rule/m.test(text)
        ? []
        : (/gates: {address.*/.exec(text) ?? [])
      return `entryPoints:\n  web: {address: "127.0.0.1:${port}"}\n  ${own}\nproviders: {file: {filename: ${file}}}\nglobal: {checkNewVersion: false}\n`
    },
    args: (_path, file) => [`--configFile=${file}`],
  },
  Envoy: {
    name: 'envoy',
    whole: (text) => text,
    args: (_path, file) => ['-c', file, '--use-dynamic-base-id', '--log-level', 'error'],
  },
}

async function startBy(samples, proxy, hosts, more = {}) {
  const own = folder('hv-proxy')
  mkdirSync(own.path, { recursive: true })
  const { name, whole, args } = PROGRAMS[proxy]
  const port = await freePort()
  // Traefik and Envoy read what a name says it is.
  const file = join(own.path, 'proxy.yaml')
  const text = samples[proxy](port, hosts, { ...more, path: own.path, spare: await freePort() })
  writeFileSync(file, whole(text, own.path, port))
  ensurePrograms([name])
  const program = start(needProgram(name), args(own.path, file), {
    env: { HOME: own.path, PATH: process.env.PATH },
  })
  const url = `http://127.0.0.1:${port}`
  const answers = () =>
    fetch(`${url}/health`).then(
      // Traefik answers 404 before it has read its routers.
      ({ status }) => status < 500 && status !== 404,
      () => false,
    )
  await until(answers, `${name}: ${program.said().slice(-500)}`, 20_000)
  return {
    url,
    said: program.said,
    async stop() {
      await program.stop()
      own.remove()
    },
  }
}

/** Starts the sample for the service. @param hosts of its processes. */
export const startProxy = (proxy, hosts) => startBy(SERVICE, proxy, hosts)
/** Starts the sample for a site behind the gate. @param hosts of the gates. */
export const startGateProxy = (proxy, hosts, site) => startBy(GATE, proxy, hosts, { site })
