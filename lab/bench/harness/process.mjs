import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** Ticks of /proc/PID/stat per second (sysconf(_SC_CLK_TCK), 100 on Linux). */
const TICKS = 100

/**
 * A process on one core, alone there: what it costs is read from /proc, never from inside.
 *
 * @param core undefined: wherever the system likes.
 * @param ready resolves on the first line it prints that this matches.
 */
export async function start(command, args, { core, env = {}, ready, stdio = ['ignore', 'pipe', 'inherit'] } = {}) {
  const pinned = core === undefined ? [command, ...args] : ['taskset', '-c', String(core), command, ...args]
  const child = spawn(pinned[0], pinned.slice(1), { env: { ...process.env, ...env }, stdio })
  let said = ''
  const line = await new Promise((resolve, reject) => {
    if (ready === undefined) return resolve('')
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${said.slice(-400)}`)))
    child.stdout.on('data', function look(data) {
      said += data
      const found = said.split('\n').find((each) => ready.test(each))
      if (found === undefined) return
      child.stdout.off('data', look)
      // What is logged afterwards is read and thrown away, as by a collector that keeps up.
      child.stdout.resume()
      resolve(found)
    })
  })
  const stat = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return {
    pid: child.pid,
    child,
    line,
    /** Seconds of CPU so far, user and system. */
    cpu: () => (Number(stat()[11]) + Number(stat()[12])) / TICKS,
    /** Bytes resident. */
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) * 1024,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
