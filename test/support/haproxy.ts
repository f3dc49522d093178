import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needProgram } from './programs.mjs'
import { freePort } from './ports.mjs'
import { listening } from './redis.ts'

/** A real haproxy in front of some instances, as an operator would set it up. */
export interface Haproxy {
  readonly url: string
  stop(): Promise<void>
}

/**
 * deploy/haproxy/haproxy.cfg as it stands: asks each instance for its health, and asks another one when a connection is
 * refused: then nothing has been sent yet, so nothing is done twice.
 *
 * @param urls of the instances.
 * @param limited as in the sample; false: one address may send what all visitors of a test send.
 * @param further lines of the `backend` section: `http-reuse always`.
 */
export async function startHaproxy(
  urls: readonly string[],
  further: readonly string[] = [],
  { limited = false } = {},
): Promise<Haproxy> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'hv-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, limited ? configuration(port, urls, further) : unlimited(configuration(port, urls, further)))
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

/** The sample that operators start from, with our port and instances in the place of Docker's. */
const configuration = (port: number, urls: readonly string[], further: readonly string[]): string =>
  readFileSync(new URL('../../deploy/haproxy/haproxy.cfg', import.meta.url), 'utf8')
    // A test machine may allow too few open files for the sample's number.
    .replace('maxconn 20000', 'maxconn 4096')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(
      /^ *server-template .*$/m,
      [...further, ...urls.map((url, i) => `server instance${i} ${new URL(url).host}`)]
        .map((line) => `    ${line}`)
        .join('\n'),
    )

const unlimited = (text: string): string =>
  text
    .replace('sc0_conn_cur gt 256', 'sc0_conn_cur gt 1000000')
    .replace('sc0_http_req_rate gt 600', 'sc0_http_req_rate gt 1000000')
