import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'

/** How to end what still runs. */
const running = new Set()
process.once('exit', () => running.forEach((send) => send('SIGKILL')))
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))

/**
 * Starts a program in a process group of its own: what it started ends with it. `core`: the only one that it
 * runs on.
 */
export function start(program, args, { core, ...options } = {}) {
  const [command, ...rest] =
    core === undefined ? [program, ...args] : ['taskset', '-c', String(core), program, ...args]
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    detached: true,
  })
  const gone = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
  const outputs = [child.stdout, child.stderr].filter(Boolean)
  let said = ''
  for (const stream of outputs)
    stream.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-100_000)
    })
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
    pid: child.pid,
    gone,
    said: () => said,
    /** Throws away what it prints from now on, as a log collector that keeps up. */
    ignore: () => outputs.forEach((stream) => stream.removeAllListeners('data').resume()),
    /** Seconds of processor so far, all threads, to the microsecond; Linux only. */
    cpu: () =>
      readdirSync(`/proc/${child.pid}/task`).reduce(
        (sum, task) =>
          sum +
          Number(readFileSync(`/proc/${child.pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
        0,
      ) / 1e9,
    /** Bytes resident; Linux only. */
    rss: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) * 1024,
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

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Asks until there is an answer, for so many milliseconds; `what` is for the sentence of the error. */
export async function until(ask, what, ms) {
  for (const end = performance.now() + ms; performance.now() < end; await pause(40)) {
    const answer = await ask()
    if (answer) return answer
  }
  throw new Error(`${what}: not in ${ms / 1000} s`)
}

/** Listens on a free port, and returns it. */
export async function listen(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}
