import { Redis } from 'ioredis'
import { freePort } from '../../test/support/ports.mjs'
import { folder } from './folder.mjs'
import { start, until } from './processes.mjs'

/**
 * Starts a Redis of this run only, as docs/operate/redis.md wants it: noeviction; nothing is kept on disk. `core`: the only
 * one that it runs on.
 */
export async function startRedis(core) {
  const port = await freePort()
  const own = folder('hv-lab-redis')
  const settings = [
    '--save',
    '',
    '--appendonly',
    'no',
    '--maxmemory-policy',
    'noeviction',
    '--bind',
    '127.0.0.1',
  ]
  const server = start('redis-server', ['--port', String(port), '--dir', own.path, ...settings], {
    core,
  })
  await until(() => /Ready to accept/.test(server.said()), 'redis-server', 10_000)
  const client = new Redis({ port, lazyConnect: true })
  await client.connect()
  return {
    url: `redis://127.0.0.1:${port}/0`,
    client,
    cpu: server.cpu,
    async stop() {
      client.disconnect()
      await server.stop()
      own.remove()
    },
  }
}
