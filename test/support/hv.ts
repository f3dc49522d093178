import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { ioOf } from '../../src/cli/io.ts'
import { run } from '../../src/cli/run.ts'
import type { Environment } from '../../src/settings/load.ts'
import type { UnixSeconds } from '../../src/domain/words.ts'
import { ROOT } from './root.ts'

interface Where {
  readonly cwd?: string
  readonly env?: Environment
  readonly now?: UnixSeconds
  /** Standard input. */
  readonly input?: string
}

/** Runs a command line of `hv` in this process. */
export async function hv(
  args: readonly string[],
  { cwd = process.cwd(), env = {}, now, input = '' }: Where = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [out, err] = [collector(), collector()]
  const code = await run(
    args,
    ioOf({
      stdin: Readable.from([input]),
      stdout: out.stream,
      stderr: err.stream,
      env,
      cwd,
      ...(now !== undefined && { now: () => now }),
    }),
  )
  return { code, out: out.text(), err: err.text() }
}

/** Runs the program that is shipped to its end: some variables count only when Node.js starts. */
export const hvProcess = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
    const all = { PATH: process.env['PATH'], ...env }
    execFile(process.execPath, [join(ROOT, 'dist/main.js'), ...args], { env: all }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })

function collector() {
  const stream = new PassThrough({ encoding: 'utf8' })
  let text = ''
  stream.on('data', (part: string) => (text += part))
  return { stream, text: () => text }
}
