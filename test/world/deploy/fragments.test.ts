/** The fragments for proxies and systemd, tried by the programs they are for. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { findProgram, needProgram } from '../../support/programs.mjs'
import { freePort } from '../../support/ports.mjs'
import { ROOT } from './root.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hv-deploy-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const sample = (file: string): string => readFileSync(join(ROOT, 'deploy', file), 'utf8')
function run(program: string, args: readonly string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: folder })
  return { code: status, said: `${stdout}${stderr}` }
}

test('nginx takes its fragment', async () => {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=verify.example.com', '-days', '1']
  const made = run(needProgram('openssl'), [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ])
  expect(made.code).toBe(0)
  const fragment = sample('nginx/human-verification.conf')
    // nginx opens the port to try it: 443 may be in use here, or root's.
    .replace('listen 443 ', `listen ${await freePort()} `)
    .replace('/etc/ssl/verify.example.com.pem', certificate)
    .replace('/etc/ssl/verify.example.com.key', key)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `pid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${fragment}\n}\n`)
  expect(run(needProgram('nginx'), ['-t', '-q', '-p', folder, '-e', join(folder, 'error.log'), '-c', file])).toEqual({
    code: 0,
    said: '',
  })
})

test('haproxy takes its configuration', () => {
  // A machine may allow fewer open files than the sample asks for.
  writeFileSync(join(folder, 'haproxy.cfg'), sample('haproxy/haproxy.cfg').replace('maxconn 20000', 'maxconn 1000'))
  expect(run(needProgram('haproxy'), ['-c', '-q', '-f', join(folder, 'haproxy.cfg')]).code).toBe(0)
})

// .ci/run installs it; npm test does not, since it runs nothing behind it.
const caddy = findProgram('caddy')
;(caddy === undefined ? test.skip : test)('Caddy takes its file', () => {
  const { code, said } = run(caddy!, [
    'validate',
    '--adapter',
    'caddyfile',
    '--config',
    join(ROOT, 'deploy/caddy/Caddyfile'),
  ])
  expect([code, said.includes('Valid configuration')]).toEqual([0, true])
})

const systemd = findProgram('systemdAnalyze')
;(systemd === undefined ? test.skip : test)('systemd takes its unit, and finds little exposed', () => {
  const unit = join(ROOT, 'deploy/systemd/human-verification@.service')
  const { code, said } = run(systemd!, ['security', '--offline=true', '--threshold=20', unit])
  expect([code, said]).toEqual([0, expect.stringContaining('OK')])
})

// The unit never started where the processor has memory keys: V8 calls pkey_alloc, which @system-service does not have in
// systemd 252, so the filter killed `hv check` with SIGSYS.
test('the unit lets V8 have the memory keys that it asks for', () => {
  expect(sample('systemd/human-verification@.service')).toMatch(/^SystemCallFilter=@system-service @pkey$/m)
})

describe('every proxy', () => {
  test.each([
    ['nginx/human-verification.conf', /proxy_set_header X-Forwarded-For \$remote_addr;/],
    ['caddy/Caddyfile', /header_up X-Forwarded-For \{remote_host\}/],
    ['haproxy/haproxy.cfg', /http-request del-header X-Forwarded-For\n\s+option forwardfor/],
    ['nginx/human-verification.conf', /proxy_set_header X-JA4 "";/],
    ['caddy/Caddyfile', /header_up -X-JA4/],
    ['haproxy/haproxy.cfg', /http-request del-header X-JA4/],
    ['haproxy/haproxy.cfg', /http-request del-header X-Request-Id/],
  ])('%s replaces what a stranger says of itself (%s)', (file, wanted) => {
    expect(sample(file)).toMatch(wanted)
  })
})
