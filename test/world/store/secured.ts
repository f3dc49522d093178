import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needProgram } from '../../support/programs.mjs'

/** Of the documented users. */
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
