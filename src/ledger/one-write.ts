import { Cluster, type Redis } from 'ioredis'

/**
 * Holds back what is written to Redis until the end of this turn of the event loop, so that all that is asked for in one
 * turn leaves in one write, arrives as one read, and is answered in one.
 *
 * A write of its own for each of 64 requests in flight costs 34 µs of our CPU and as much of Redis' once more; together
 * they cost some 5 and half of Redis' (bench/siteverify.mjs; ioredis' own autopipelining takes 25 µs to save as much).
 * Nobody waits for longer than it takes to read what has already arrived.
 *
 * @returns to be called before each command.
 */
export function oneWrite(): (client: Redis | Cluster) => void {
  const held = new Set<Redis['stream']>()

  function letGo(): void {
    for (const stream of held) stream.uncork()
    held.clear()
  }

  function hold({ status, stream }: Redis): void {
    if (status !== 'ready' || held.has(stream)) return
    if (held.size === 0) setImmediate(letGo)
    held.add(stream)
    stream.cork()
  }

  return (client) => {
    if (client instanceof Cluster) client.nodes().forEach(hold)
    else hold(client)
  }
}
