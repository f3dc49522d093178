/** Peers for the comparison's own test: a form's token is a number, and what is recorded of it differs. */
import { setTimeout as pause } from 'node:timers/promises'

/** Keeps what is used in memory, or in Redis where there is one. */
const listOf = (redis) => {
  const used = new Set()
  return redis
    ? {
        has: async (id) => (await redis.exists(`used:${id}`)) === 1,
        add: (id) => redis.set(`used:${id}`, 1),
        addOnce: async (id) => (await redis.set(`used:${id}`, 1, 'NX')) === 'OK',
      }
    : {
        has: async (id) => used.has(id),
        add: async (id) => used.add(id),
        addOnce: async (id) => !used.has(id) && Boolean(used.add(id)),
      }
}

/** Each says whether a token counts. */
const RECORDERS = {
  careful: (list) => (id) => list.addOnce(id),
  /** Looks, and writes a little later. */
  hasty: (list) => async (id) => {
    if (await list.has(id)) return false
    await pause(300)
    await list.add(id)
    return true
  },
  forgetful: () => async () => true,
}

/** Makes the adapter of a file. */
export const peer = (file) => {
  const [, own] = /([a-z]+)\.mjs$/.exec(file)
  return {
    name: own,
    file,
    packages: [],
    stores: ['memory', 'Redis'],
    serve(app, { redis }) {
      const isNew = RECORDERS[own](listOf(redis))
      let last = 0
      app.post('/token', (_req, res) => void res.json({ token: `${process.pid}.${++last}` }))
      return ({ token }) => (token === undefined ? false : isNew(token))
    },
    work: async () => ({}),
    handIn: ({ ask }) => ask('POST', '/token', {}),
  }
}
