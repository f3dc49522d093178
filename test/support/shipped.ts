/** Programs of this package as they are shipped, which run until a signal; they end with the tests of the file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeLater } from './close-later.ts'
import { sleep } from './process.ts'

export const PROGRAM = 'dist/main.js'

export type Program = ReturnType<typeof start>
export function start(command: readonly string[], env: Record<string, string> = {}) {
  const [program, ...args] = command
  const child = spawn(program!, args, {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', HV_OPS_LISTEN: '127.0.0.1:0', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  closeLater(child, (it) => it.kill('SIGTERM') && exit)
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return {
    child,
    said: () => said,
    /** Waits until it has said this. @throws {Error} after 30 s. */
    async until(text: RegExp): Promise<RegExpExecArray> {
      for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
        const found = text.exec(said)
        if (found) return found
      }
      throw new Error(`never said ${text.source}: ${said}`)
    },
  }
}
export const hv = (...args: string[]): string[] => [process.execPath, PROGRAM, ...args]
