import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '../../support/close-later.ts'
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

/** The PEM files of an authority of our own, and of a server's certificate for 127.0.0.1 that it signed. */
export function certificates(days = 2) {
  const cwd = newFolder()
  const openssl = (command: string) => execFileSync(needProgram('openssl'), command.split(' '), { cwd, stdio: 'pipe' })
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  openssl(`req -x509 ${newKey} -days ${days} -subj /CN=hv-test-authority -keyout ca.key -out ca.pem`)
  openssl(`req ${newKey} -subj /CN=redis -keyout redis.key -out redis.csr`)
  writeFileSync(join(cwd, 'names'), 'subjectAltName=IP:127.0.0.1')
  openssl(
    `x509 -req -in redis.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -days ${days} -out redis.pem`,
  )
  return { ca: join(cwd, 'ca.pem'), cert: join(cwd, 'redis.pem'), key: join(cwd, 'redis.key') }
}
