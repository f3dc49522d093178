import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../../test/support/ports.mjs'
import { start } from './process.mjs'

/** A Redis of this run only, as docs/operate/redis.md wants it: noeviction, no persistence. */
export async function startRedis(core) {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'hv-bench-redis-'))
  const settings = [
    '--port',
    port,
    '--save',
    '',
    '--appendonly',
    'no',
    '--maxmemory-policy',
    'noeviction',
    '--dir',
    folder,
  ]
  const server = await start('redis-server', settings.map(String), { core, ready: /Ready to accept/ })
  const client = new Redis({ port, lazyConnect: true })
  await client.connect()
  return {
    url: `redis://127.0.0.1:${port}/0`,
    client,
    cpu: server.cpu,
    async stop() {
      client.disconnect()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
