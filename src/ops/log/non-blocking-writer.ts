import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

/**
 * Takes as many bytes as can be taken now, without waiting: 0 when nobody reads.
 *
 * @throws {Error} when they cannot be written at all: a closed pipe, a full disk.
 */
export type Outlet = (bytes: Uint8Array) => number

/** Bytes that a stream may hold for a reader that is slow. */
const MOST_HELD = 64 * 1024

/**
 * Writes to a descriptor of this process and never waits for its reader.
 *
 * A terminal that is stopped (Ctrl-S) and a pipe that nobody reads block whoever writes to them. Opened anew they have
 * a flag of their own, so that this process does not wait and those that share the descriptor notice nothing.
 *
 * @param stream the same as a stream of Node.js, for what cannot be opened anew: sockets, as journald gives them, and
 *   pipes of another user.
 */
export function outlet(fd: number, stream: Writable): Outlet {
  const direct = openedAnew(fd)
  if (direct === undefined) return throughStream(stream)
  return (bytes) => {
    try {
      return writeSync(direct, bytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
      throw error
    }
  }
}

function openedAnew(fd: number): number | undefined {
  try {
    const kind = fstatSync(fd)
    // A file does not block, and its place in the file is shared with whoever else writes there.
    if (kind.isFile()) return fd
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return undefined
  }
}

function throughStream(stream: Writable): Outlet {
  let broken: Error | undefined
  stream.on('error', (error) => (broken = error))
  return (bytes) => {
    if (broken) {
      const error = broken
      broken = undefined
      throw error
    }
    if (stream.writableLength > MOST_HELD) return 0
    stream.write(bytes)
    return bytes.length
  }
}
