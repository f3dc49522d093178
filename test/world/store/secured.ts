import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, createServer, type SecureContext } from 'node:tls'
import { closeLater, newFolder } from '../../support/close-later.ts'
import { needProgram } from '../../support/programs.mjs'

export const PASSWORD = 'pa55word-of-the-tests'

/** The arguments of a `--user` option, from the one line of this kind in docs/operate/redis.md. */
export function documentedUser(kind: 'acl' | 'acl-sentinel' | 'acl-cluster'): string[] {
  const docs = readFileSync(new URL('../../../docs/operate/redis.md', import.meta.url), 'utf8')
  const line = new RegExp(`^\`\`\`${kind}\nACL SETUSER (.*)\n\`\`\`$`, 'm').exec(docs)?.[1]
  if (line === undefined) throw new Error(`docs/operate/redis.md has no ${kind} line`)
  return line.replace('HV_PASSWORD', PASSWORD).split(' ')
}

/** The PEM files of an authority of our own, and of two servers' certificates that it signed: for 127.0.0.1, and for localhost. */
export function certificates(days = 2) {
  const cwd = newFolder()
  const openssl = (command: string) =>
    execFileSync(needProgram('openssl'), command.split(' '), { cwd, stdio: 'pipe' })
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  openssl(
    `req -x509 ${newKey} -days ${days} -subj /CN=hv-test-authority -keyout ca.key -out ca.pem`,
  )
  openssl(`req ${newKey} -subj /CN=redis -keyout redis.key -out redis.csr`)
  const signed = (file: string, name: string): string => {
    writeFileSync(join(cwd, 'names'), `subjectAltName=${name}`)
    const by = '-CA ca.pem -CAkey ca.key -CAcreateserial -extfile names'
    openssl(`x509 -req -in redis.csr ${by} -days ${days} -out ${file}`)
    return join(cwd, file)
  }
  const [cert, named] = [signed('redis.pem', 'IP:127.0.0.1'), signed('named.pem', 'DNS:localhost')]
  return { ca: join(cwd, 'ca.pem'), cert, named, key: join(cwd, 'redis.key') }
}

/** Speaks TLS in front of a Redis, and has the certificate for localhost for those alone who ask for it by name (SNI). */
export async function byName(
  { cert, named, key }: ReturnType<typeof certificates>,
  to: number,
  port?: number,
) {
  const names: string[] = []
  const own = readFileSync(key)
  const context = createSecureContext({ key: own, cert: readFileSync(named) })
  const SNICallback = (name: string, then: (error: null, context: SecureContext) => void): void => {
    names.push(name)
    then(null, context)
  }
  const server = createServer({ key: own, cert: readFileSync(cert), SNICallback }, (socket) => {
    const redis = connect(to, '127.0.0.1')
    for (const [one, other] of [
      [socket, redis],
      [redis, socket],
    ] as const)
      one
        .on('error', () => {})
        .on('close', () => other.destroy())
        .pipe(other)
  })
  server.on('tlsClientError', () => {})
  await once(server.listen(port ?? 0, '127.0.0.1'), 'listening')
  closeLater(server, (it) => void it.close())
  return { names, port: (server.address() as AddressInfo).port }
}
