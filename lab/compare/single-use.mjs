/** How often a token is accepted: sent again, at once, to another process, and after the store lost what it knew. */
import { until } from '../stand/processes.mjs'
import { fieldsBy, setUpOf, startPeer } from './start.mjs'
import { fileStore, startStore } from './store.mjs'

/** How often the same is sent at once. */
export const AT_ONCE = 20
/** Milliseconds after a fault in which a peer has to accept a new visitor again. */
const RECOVERY_MS = 30_000

const times = (count, make) => Promise.all(Array.from({ length: count }, make))
const solved = (peer, server, count) => times(count, () => fieldsBy(peer, server))
const trues = (list) => list.filter(Boolean).length

/** Sends each of some forms so many times, and says how many were accepted more than once. */
async function sentOften(forms, send) {
  const accepted = []
  for (const fields of forms) accepted.push(trues(await send(fields)))
  return {
    of: forms.length,
    never: accepted.filter((count) => count === 0).length,
    twice: accepted.filter((count) => count > 1).length,
    most: Math.max(...accepted),
  }
}

/** One after the other, at one process or at several. */
const inTurn =
  (...servers) =>
  async (fields) => {
    const answers = []
    for (const server of servers) answers.push(await server.accepts(fields))
    return answers
  }
/** All at once, spread over the processes. */
const atOnce =
  (...servers) =>
  (fields) =>
    times(AT_ONCE, (_, i) => servers[i % servers.length].accepts(fields))

/** One piece of work that is handed in many times at once: how many forms come out of it. */
async function handedInOften(peer, server, count) {
  const accepted = []
  for (let i = 0; i < count; i++) {
    const work = await peer.work(server)
    const all = await times(AT_ONCE, () => peer.handIn(server, work).catch(() => undefined))
    const forms = all.filter(Boolean)
    let passed = 0
    for (const fields of forms) passed += (await server.accepts(fields)) ? 1 : 0
    accepted.push(passed)
  }
  return {
    of: count,
    never: accepted.filter((passed) => passed === 0).length,
    twice: accepted.filter((passed) => passed > 1).length,
    most: Math.max(...accepted),
  }
}

/** Waits until a new visitor is served again; a visitor who comes before is refused, and tries again. */
const served = (peer, server) =>
  until(
    async () => server().letsIn(await fieldsBy(peer, server()).catch(() => ({}))),
    `${peer.name}: a visitor after a fault`,
    RECOVERY_MS,
  ).catch(() => undefined)

/**
 * Uses some tokens, lets the fault happen, and sends them again; others were out with their visitors meanwhile.
 * `fault` may return the process that goes on for the first.
 */
async function afterFault({ peer, server, count }, { before = async () => {}, fault }) {
  const [used, out] = [await solved(peer, server, count), await solved(peer, server, count)]
  await before()
  const first = trues(await Promise.all(used.map((fields) => server.accepts(fields))))
  const now = (await fault()) ?? server
  await served(peer, () => now)
  const again = trues(await Promise.all(used.map((fields) => now.accepts(fields))))
  const kept = trues(await Promise.all(out.map((fields) => now.accepts(fields))))
  return { of: count, first, again, out: count, kept }
}

/** Everything that can be asked of a process and its store, on the peer's default store. */
export async function singleUseAlone(peer, count) {
  const setUp = setUpOf(peer.stores[0], { isEasy: true })
  const files = fileStore(setUp)
  let server = await startPeer(peer, setUp)
  try {
    const found = {
      again: await sentOften(await solved(peer, server, count), inTurn(server, server)),
      atOnce: await sentOften(await solved(peer, server, count), atOnce(server)),
      handedIn: await handedInOften(peer, server, count),
    }
    const restart = async () => {
      await server.stop()
      server = await startPeer(peer, setUp)
      return server
    }
    found.restarted = await afterFault({ peer, server, count }, { fault: restart })
    if (peer.stores[0] !== 'file') return found
    const fault = async () => {
      await server.stop()
      files.restore()
      server = await startPeer(peer, setUp)
      return server
    }
    const restored = await afterFault({ peer, server, count }, { before: files.copy, fault })
    return { ...found, restored }
  } finally {
    await server.stop()
  }
}

/** The same with two processes and one Redis, and what Redis may lose. */
export async function singleUseOnRedis(peer, count) {
  const store = await startStore()
  const setUp = setUpOf('Redis', { redisUrl: store.url, isEasy: true })
  const server = await startPeer(peer, setUp)
  const other = await startPeer(peer, setUp)
  try {
    const at = { peer, server, count }
    return {
      again: await sentOften(await solved(peer, server, count), inTurn(server, server)),
      atSecond: await sentOften(await solved(peer, server, count), inTurn(server, other)),
      atOnce: await sentOften(await solved(peer, server, count), atOnce(server, other)),
      handedIn: await handedInOften(peer, server, count),
      emptied: await afterFault(at, { fault: store.empty }),
      stopped: await stopped(at, store),
      restored: await afterFault(at, { before: store.copy, fault: store.restore }),
    }
  } finally {
    for (const each of [server, other]) await each.stop()
    await store.end()
  }
}

/** Redis is away while used tokens come again, and then comes back empty; others come after that. */
async function stopped({ peer, server, count }, store) {
  const used = await solved(peer, server, count)
  for (const fields of used) await server.accepts(fields)
  let away
  const found = await afterFault(
    { peer, server, count },
    {
      async fault() {
        await store.stop()
        away = trues(await Promise.all(used.map((fields) => server.letsIn(fields))))
        await store.startEmpty()
      },
    },
  )
  return { ...found, away }
}
