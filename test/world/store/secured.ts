import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLUSTER_ARGS, formCluster } from '../../support/cluster.ts'
import { needProgram } from '../../support/programs.mjs'
import { freePort } from '../../support/ports.mjs'
import { allOf, listening, orRemove, startRedis, type TestRedis } from '../../support/redis.ts'
import { startSentinels } from '../../support/sentinel.ts'

/** Real servers with users and TLS, as small as they can be, and the lines of docs/operate/redis.md that set them up. */

export const PASSWORD = 'pa55word-of-the-tests'

/** The arguments of a `--user` option, from the one line of this kind in docs/operate/redis.md. */
export function documentedUser(kind: 'acl' | 'acl-sentinel' | 'acl-cluster'): string[] {
  const docs = readFileSync(new URL('../../../docs/operate/redis.md', import.meta.url), 'utf8')
  const line = new RegExp(`^\`\`\`${kind}\nACL SETUSER (.*)\n\`\`\`$`, 'm').exec(docs)?.[1]
  if (line === undefined) throw new Error(`docs/operate/redis.md has no ${kind} line`)
  return line.replace('HV_PASSWORD', PASSWORD).split(' ')
}

export interface Certificates {
  /** The authority, as PEM files. */
  readonly ca: string
  readonly cert: string
  readonly key: string
  remove(): void
}

const openssl = (command: string): void => {
  execFileSync(needProgram('openssl'), command.split(' '), { stdio: 'pipe' })
}

/** An authority of our own, and a server's certificate for 127.0.0.1 that it signed. */
export function certificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'hv-tls-'))
  const at = (name: string): string => join(folder, name)
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  openssl(`req -x509 ${newKey} -days 2 -subj /CN=hv-test-authority -keyout ${at('ca.key')} -out ${at('ca.pem')}`)
  openssl(`req ${newKey} -subj /CN=redis -keyout ${at('redis.key')} -out ${at('redis.csr')}`)
  writeFileSync(at('names'), 'subjectAltName=IP:127.0.0.1')
  const signing = `-CA ${at('ca.pem')} -CAkey ${at('ca.key')} -CAcreateserial -extfile ${at('names')} -days 2`
  openssl(`x509 -req -in ${at('redis.csr')} ${signing} -out ${at('redis.pem')}`)
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  return { ca: at('ca.pem'), cert: at('redis.pem'), key: at('redis.key'), remove }
}

const tlsOptions = ({ ca, cert, key }: Certificates): [string, string][] => [
  ['tls-cert-file', cert],
  ['tls-key-file', key],
  ['tls-ca-cert-file', ca],
  ['tls-auth-clients', 'no'],
]
const asArgs = (options: [string, string][]): string[] => options.flatMap(([name, value]) => [`--${name}`, value])

export interface SecuredRedis extends TestRedis {
  /** Where it speaks TLS. */
  readonly tlsPort: number
  /** The users that are connected from outside this test. */
  users(): Promise<string[]>
}

/** With the documented user, on a plain port for the test's own commands and on one with TLS. */
export async function securedRedis(tls: Certificates, user: string[], args: string[] = []): Promise<SecuredRedis> {
  const tlsPort = await freePort()
  const options = asArgs([...tlsOptions(tls), ['tls-port', String(tlsPort)]])
  const redis = await startRedis({ args: [...options, '--user', ...user, ...args] })
  await orRemove(listening(tlsPort), () => redis.remove())
  return { ...redis, tlsPort, users: () => usersOf(redis) }
}

/** Who runs scripts there, and who only looks around. */
async function usersOf(redis: TestRedis): Promise<string[]> {
  const list = String(await redis.cli('CLIENT', 'LIST'))
  return [...list.matchAll(/ cmd=(\S+) user=(\S+)/g)]
    .filter(([, cmd]) => cmd !== 'client|list')
    .map(([, , user]) => user!)
}

/** A Sentinel that alone decides, that speaks TLS with the servers, and lets the documented user in. */
export async function securedSentinel(tls: Certificates, primary: SecuredRedis, user: string[]) {
  const port = await freePort()
  const lines = [
    'port 0',
    'dir .',
    'bind 127.0.0.1',
    `tls-port ${port}`,
    ...tlsOptions(tls).map(([name, value]) => `${name} ${value}`),
    'tls-replication yes',
    `user ${user.join(' ')}`,
    'sentinel monitor hv primary 0 1',
  ]
  const at = { host: '127.0.0.1', port: primary.tlsPort }
  const sentinels = await startSentinels({ primary: at, replicas: 0, places: [{}], file: lines.join('\n') })
  return { port, plainPort: Number(sentinels.nodes[0]!.split(':')[1]), remove: () => sentinels.stop() }
}

/** Primaries that share the slots evenly; no replicas. */
export async function securedCluster(tls: Certificates, size: number, user: string[]): Promise<SecuredRedis[]> {
  const args = [...CLUSTER_ARGS, '--tls-cluster', 'yes']
  const nodes = await allOf(Array.from({ length: size }, () => securedRedis(tls, user, args)))
  const remove = async (): Promise<void> => void (await Promise.all(nodes.map((node) => node.remove())))
  await orRemove(
    formCluster(nodes, ({ tlsPort }) => tlsPort),
    remove,
  )
  return nodes
}
