/** Processes that count, and a store that keeps the promise of the real one in memory; test/world has Redis itself. */
import { type FleetParts, fleet } from '../../../../src/ops/fleet/fleet.ts'
import type { FleetStore, Publisher } from '../../../../src/ops/fleet/fleet-store.ts'
import { minutes } from '../../../../src/ops/fleet/minute-counts.ts'
import type { InstanceStatus } from '../../../../src/ops/fleet/packet.ts'
import { ownPackets } from '../../../../src/ops/fleet/publisher.ts'
import { tally } from '../../../../src/ops/metrics/tally.ts'
import { topNetworks } from '../../../../src/ops/metrics/top-networks.ts'

export const MINUTE = 30_000_000
export const AT = MINUTE * 60_000

export const status = (id: string, at: number): InstanceStatus => ({
  id,
  name: `machine/${id}`,
  version: '1.0.0',
  startedAt: AT / 1000 - 100,
  at,
  configuration: { since: AT / 1000 - 100 },
  keyring: { since: AT / 1000 - 100 },
})

/** The promise of the store, kept in memory; `down` makes it fail, `forget` empties it. */
function storeInMemory(clock: () => number) {
  const packets = new Map<string, string>()
  const hours = new Map<string, string>()
  const heard = new Map<string, Publisher>()
  const at = { down: false }
  const check = (): void => {
    if (at.down) throw new Error('no answer in time')
  }
  const store: FleetStore = {
    async publish(id, late, minute, packet) {
      check()
      const known = heard.has(id)
      heard.set(id, { id, heardAt: Math.floor(clock() / 1000), late })
      packets.set(`${id} ${minute}`, packet)
      return known
    },
    async publishers() {
      check()
      return { now: clock() / 1000, publishers: [...heard.values()] }
    },
    async packets(ids, wanted) {
      check()
      return wanted.flatMap((minute) => ids.flatMap((id) => packets.get(`${id} ${minute}`) ?? []))
    },
    async publishHour(id, minute, packet) {
      check()
      hours.set(`${id} ${minute}`, packet)
    },
    async hours(wanted) {
      check()
      return [...hours].filter(([key]) => wanted.includes(Number(key.split(' ')[1]))).map(([, packet]) => packet)
    },
  }
  const forget = (): void => {
    packets.clear()
    hours.clear()
    heard.clear()
  }
  return { store, at, forget, packets, hours }
}

/** Two processes that publish, and somebody who looks. */
export function setup() {
  const time = { now: AT }
  const clock = (): number => time.now
  const kept = storeInMemory(clock)
  const processOf = (id: string) => {
    const counts = tally()
    const requests = counts.counter('requests')
    const own = ownPackets({
      id,
      store: kept.store,
      minutes: minutes({ counts, limited: topNetworks(), status: () => status(id, Math.floor(time.now / 1000)) }),
    })
    return { requests, own, tick: () => own.tick(time.now) }
  }
  const [a, b] = [processOf('a'), processOf('b')]
  const parts: FleetParts = { own: (length) => a.own.own(length), store: kept.store, factsOf: () => undefined, clock }
  const look = fleet(parts)
  const solved = async (): Promise<number | undefined> => (await look(60)).requests['solve']?.['solved']
  return { time, ...kept, a, b, look, solved }
}
