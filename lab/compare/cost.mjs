/** What a visit takes of the server: its processor and, with a shared store, Redis'. */
import { fieldsBy, setUpOf, startPeer } from './start.mjs'
import { startStore } from './store.mjs'

/** Visits at a time. */
const AT_ONCE = 8

async function visits(peer, server, count) {
  let left = count
  const lane = async () => {
    while (left-- > 0) {
      const accepted = await server.accepts(await fieldsBy(peer, server))
      if (!accepted) throw new Error(`${peer.name}: a visit was not accepted`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

/** Milliseconds of processor of a whole visit, both with the store that several processes share. */
export async function serverCost(peer, { warm, count }) {
  const store = await startStore()
  const server = await startPeer(peer, setUpOf('Redis', { redisUrl: store.url, isEasy: true }))
  try {
    await visits(peer, server, warm)
    const before = [server.cpu(), store.cpu()]
    await visits(peer, server, count)
    const [own, redis] = [server.cpu(), store.cpu()].map(
      (now, i) => ((now - before[i]) * 1000) / count,
    )
    return { count, ms: own, redisMs: redis }
  } finally {
    await server.stop()
    await store.end()
  }
}
