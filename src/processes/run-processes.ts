import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../ports/observing.ts'
import type { OpsProcess } from './joined-ops.ts'

/** Milliseconds that a process has to start. */
const START_MS = 30_000
/** Milliseconds until a process that ended has its place taken, so that one that cannot start does not fill the log. */
const AGAIN_MS = 1000

/** Sent to a process before its end when another has taken its place. */
export const REPLACED = 'replaced'

/** Sent by a process to the one that started it, once it listens. */
export interface Listens {
  readonly url: string
  readonly opsUrl: string
}

interface Place {
  readonly process: number
  worker: Worker
  listens: Listens
}

/** Many processes of one command, which share their listening socket. */
export interface Processes {
  /** Where they listen. */
  readonly url: string
  listening(): readonly OpsProcess[]
  /** Starts each anew, one after the other; the old one ends when the new one listens. One that cannot start changes nothing. */
  replace(): Promise<void>
  /** Ends all of them, each with its drain. */
  stop(): Promise<void>
}

/** One that ended before it listened; it said why by itself. */
export class ProcessNotStarted extends Error {}

/**
 * Starts this program again, `count` times, with the same arguments, and keeps so many running.
 *
 * The first is waited for before the others, so that what keeps the service from starting is said once.
 *
 * @param count 2 or more.
 * @throws {ProcessNotStarted} when one ends before it listens.
 */
export async function runProcesses(count: number, log: Log): Promise<Processes> {
  const places: Place[] = []
  let isStopping = false
  let replacing: Promise<void> = Promise.resolve()

  /** Node.js lets all processes listen on one port; the first of them opens it, and closing one closes it for that one alone. */
  async function start(process: number): Promise<Place> {
    const worker = cluster.fork({ HV_OPS_LISTEN: '127.0.0.1:0' })
    const listens = await listening(worker)
    worker.once('exit', (code, signal) => {
      if (isStopping || places[process - 1]?.worker !== worker) return
      log.error('a process ended', {
        detail: `process ${process}: ${signal ?? `exit code ${code}`}; another takes its place`,
      })
      void fill(process)
    })
    return { process, worker, listens }
  }

  async function fill(process: number): Promise<void> {
    for (;;) {
      await sleep(AGAIN_MS)
      if (isStopping) return
      try {
        const place = await start(process)
        places[process - 1] = place
        if (isStopping) place.worker.process.kill('SIGTERM')
        return
      } catch (error) {
        log.error('a process could not be started', { detail: `process ${process}: ${String(error)}` })
      }
    }
  }

  async function replaceAll(): Promise<void> {
    for (const { process, worker } of places) {
      if (isStopping || places[process - 1]!.worker !== worker) continue
      try {
        places[process - 1] = await start(process)
      } catch (error) {
        log.error('processes not replaced', { detail: `process ${process}: ${String(error)}; the old ones stay` })
        return
      }
      worker.send(REPLACED)
      await end(worker)
    }
    log.info('processes replaced', { detail: String(places.length) })
  }

  try {
    for (let process = 1; process <= count; process++) places.push(await start(process))
  } catch (error) {
    await Promise.all(places.map(({ worker }) => end(worker)))
    throw error
  }
  return {
    url: places[0]!.listens.url,
    listening: () =>
      places
        .filter(({ worker }) => !worker.isDead())
        .map(({ process, listens }) => ({ process, opsUrl: listens.opsUrl })),
    replace() {
      replacing = replacing.then(replaceAll)
      return replacing
    },
    async stop() {
      isStopping = true
      await Promise.all(places.map(({ worker }) => end(worker)))
      await replacing
      await Promise.all(places.map(({ worker }) => end(worker)))
    },
  }
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const exited = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await exited
}

/** @throws {ProcessNotStarted} */
function listening(worker: Worker): Promise<Listens> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => worker.process.kill('SIGKILL'), START_MS)
    worker.once('exit', (code, signal) => {
      clearTimeout(late)
      reject(new ProcessNotStarted(`ended with ${signal ?? code} before it listened`))
    })
    worker.once('message', (message: Listens) => {
      clearTimeout(late)
      resolve(message)
    })
  })
}
