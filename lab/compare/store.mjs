import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../test/support/ports.mjs'
import { folder } from '../stand/folder.mjs'
import { start, until } from '../stand/processes.mjs'

/** A Redis that can be stopped, and started again empty or with an older copy, at the same address. Nothing is kept on disk. */
export async function startStore() {
  const port = await freePort()
  const own = folder('hv-compare-redis')
  const [dump, copy] = ['dump.rdb', 'copy.rdb'].map((name) => join(own.path, name))
  const settings = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction']
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', own.path, ...settings]
  let server
  async function begin() {
    server = start('redis-server', args)
    await until(() => /Ready to accept/.test(server.said()), 'redis-server', 10_000)
  }
  async function asked(...command) {
    const client = new Redis({ port, lazyConnect: true })
    await client.connect()
    await client.call(...command)
    client.disconnect()
  }
  await begin()
  return {
    url: `redis://127.0.0.1:${port}/0`,
    cpu: () => server.cpu(),
    stop: () => server.stop(),
    /** Starts it with nothing in it. */
    async startEmpty() {
      rmSync(dump, { force: true })
      await begin()
    },
    empty: () => asked('FLUSHALL'),
    /** Keeps a copy of what is in it now. */
    async copy() {
      await asked('SAVE')
      copyFileSync(dump, copy)
    },
    /** Goes back to the copy, as after a restore from a backup. */
    async restore() {
      await server.stop()
      if (existsSync(copy)) copyFileSync(copy, dump)
      await begin()
    },
    async end() {
      await server.stop()
      own.remove()
    },
  }
}

/** Copies the files of a peer whose store is a file. */
export function fileStore({ folder: path }) {
  const [file, copy] = ['tokensList.json', 'copy.json'].map((name) => join(path, name))
  return {
    copy: async () => void (existsSync(file) && copyFileSync(file, copy)),
    restore: () => void (existsSync(copy) && copyFileSync(copy, file)),
  }
}
