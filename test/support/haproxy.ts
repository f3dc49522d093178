import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needProgram } from './install.ts'
import { freePort, listening } from './redis.ts'

/** A real haproxy in front of some instances, as an operator would set it up. */
export interface Haproxy {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Takes turns, asks each instance for its health, and asks another one when a connection is refused: then nothing has
 * been sent yet, so nothing is done twice.
 *
 * @param urls of the instances.
 */
export async function startHaproxy(urls: readonly string[]): Promise<Haproxy> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'hv-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(port, urls))
  const proxy = spawn(needProgram('haproxy'), ['-db', '-q', '-f', file], { stdio: 'ignore' })
  const exited = once(proxy, 'exit')
  await listening(port)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      proxy.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const configuration = (port: number, urls: readonly string[]): string => `
global
  maxconn 4096
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 15s
  timeout http-request 5s
  option forwardfor
  option redispatch
  retries 3
  retry-on conn-failure
frontend visitors
  bind 127.0.0.1:${port}
  default_backend instances
backend instances
  balance roundrobin
  option httpchk GET /health
  http-check expect status 200
  default-server check inter 250ms fall 2 rise 1
${urls.map((url, i) => `  server instance${i} ${new URL(url).host}`).join('\n')}
`
