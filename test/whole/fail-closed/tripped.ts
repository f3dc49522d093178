import { createApp, type Parts } from '../../../src/app.ts'
import { type Listening, listen } from '../../../src/http/listen.ts'

/**
 * The ports that an operation asks. `log` and `elapsed` are left out: they are asked again after the answer is out, when nothing can
 * change it any more, and neither can fail (a stream's errors are swallowed; the other is `performance.now`).
 */
const PORTS = ['sites', 'tokens', 'ledger', 'limiter', 'history', 'clock', 'random', 'readiness'] as const

/** What becomes of one call: it is given the genuine call, and may make it or not. */
export type Trip = (name: string, genuine: () => unknown) => unknown

/** The whole service, with every call that it makes to the outside in a test's hands. */
export async function trippedService(parts: Parts, trip: Trip): Promise<Listening> {
  const ports = PORTS.map((port) => [port, wrap(port, parts[port], trip)] as const)
  const tripped: Parts = { ...parts, ...Object.fromEntries(ports) }
  return listen(createApp(tripped), { host: '127.0.0.1', port: 0 })
}

function wrap<T extends object>(port: string, object: T, trip: Trip): T {
  const methods = Object.entries(object) as [string, (...args: unknown[]) => unknown][]
  return Object.fromEntries(
    methods.map(([name, method]) => [name, (...args: unknown[]) => trip(`${port}.${name}`, () => method(...args))]),
  ) as T
}

/** Lets every call through but the k-th, counted from 0. */
export function tripAt(k: number, instead: Trip): Trip {
  let call = 0
  return (name, genuine) => (call++ === k ? instead(name, genuine) : genuine())
}
