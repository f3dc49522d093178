/** What one address flat out gets, by a program that does the work as fast as two processes of it can. */
import { join } from 'node:path'
import { availableParallelism } from 'node:os'
import { start } from '../stand/processes.mjs'
import { setUpOf, startPeer } from './start.mjs'

/** From where it comes. */
export const ONE_ADDRESS = '198.51.100.23'
/** Visits that a process which has to wait between its calls has open at once. */
const OPEN = 24

/** Returns how many forms of so many seconds were accepted. `forges`: says what a person's browser would. */
export async function flatOut(peer, seconds, { forges = false } = {}) {
  const server = await startPeer(peer, setUpOf(peer.stores[0]))
  let [accepted, sent] = [0, 0]
  const pending = []
  const { url, keyring } = server
  const order = { url, keyring, forges, seconds, lanes: forges ? OPEN : 1, address: ONE_ADDRESS }
  const sender = join(import.meta.dirname, 'sender.mjs')
  try {
    const senders = Array.from({ length: availableParallelism() }, () =>
      start(process.execPath, [sender, peer.file, JSON.stringify(order)]),
    )
    for (const { child } of senders) {
      let rest = ''
      child.stdout.on('data', (text) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop()
        for (const line of lines) {
          sent++
          const judged = server.letsIn(JSON.parse(line)).then((isAccepted) => {
            accepted += isAccepted ? 1 : 0
          })
          pending.push(judged)
        }
      })
    }
    await Promise.all(senders.map(({ gone }) => gone))
    await Promise.all(pending)
    return { seconds, sent, accepted }
  } finally {
    await server.stop()
  }
}
