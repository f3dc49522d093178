import { connect, createServer } from 'node:net'
import { folder } from './folder.mjs'
import { listen, start, until } from './processes.mjs'

/** A real Redis of our own on a free port; nothing is kept on disk. */
export async function startRedis() {
  const probe = createServer()
  const port = await listen(probe)
  await new Promise((resolve) => probe.close(resolve))
  const own = folder('hv-evaluate-redis')
  const quiet = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--loglevel', 'warning']
  const server = start('redis-server', ['--port', String(port), '--dir', own.path, ...quiet])
  await until(() => answers(port), 'redis-server', 10_000)
  return {
    url: `redis://127.0.0.1:${port}/0`,
    async stop() {
      await server.stop()
      own.remove()
    },
  }
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(true))
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy())
  })
