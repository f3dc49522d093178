import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** How to end what still runs. */
const running = new Set()
process.once('exit', () => running.forEach((send) => send('SIGKILL')))

/**
 * A program of the evaluation's own, in a process group of its own: what it started ends with it.
 *
 * @param {string} program name or path
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true })
  const gone = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-100_000)))
  const send = (signal) => {
    try {
      if (child.pid) process.kill(-child.pid, signal)
    } catch {
      // The whole group has gone already.
    }
  }
  running.add(send)
  return {
    child,
    gone,
    said: () => said,
    /** Asks, waits up to so many milliseconds, then insists. */
    async stop(patience = 3000) {
      if (child.exitCode === null && child.signalCode === null && child.pid) {
        send('SIGTERM')
        // Unreferenced: nobody waits for the rest of it once the program has gone.
        await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, patience).unref())])
      }
      send('SIGKILL')
      running.delete(send)
    },
  }
}

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Asks until there is an answer.
 *
 * @template T
 * @param {() => T | undefined | Promise<T | undefined>} ask
 * @param {string} what for the sentence of the error
 * @param {number} ms
 * @returns {Promise<T>}
 * @throws {Error} after so many milliseconds
 */
export async function until(ask, what, ms) {
  for (const end = performance.now() + ms; performance.now() < end; await pause(40)) {
    const answer = await ask()
    if (answer) return answer
  }
  throw new Error(`${what}: not in ${ms / 1000} s`)
}

/**
 * @param {import('node:http').Server | import('node:net').Server} server
 * @returns {Promise<number>} the free port it was given
 */
export async function listen(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}
