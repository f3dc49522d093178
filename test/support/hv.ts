import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ioOf } from '../../src/cli/io.ts'
import { run } from '../../src/cli/run.ts'
import type { Environment } from '../../src/settings/load.ts'
import type { UnixSeconds } from '../../src/domain/words.ts'
import { ROOT } from './root.ts'

interface Where {
  readonly cwd?: string
  readonly env?: Environment
  readonly now?: UnixSeconds
  readonly input?: string
}

type Ended = Readonly<{ code: number; out: string; err: string }>

/** Runs a command line of `hv` in this process. */
export async function hv(
  args: readonly string[],
  { cwd = process.cwd(), env = {}, now, input = '' }: Where = {},
): Promise<Ended> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const said = [text(stdout), text(stderr)]
  const stdin = Readable.from([input])
  const code = await run(
    args,
    ioOf({ stdin, stdout, stderr, env, cwd, ...(now !== undefined && { now: () => now }) }),
  )
  for (const stream of [stdout, stderr]) stream.end()
  const [out = '', err = ''] = await Promise.all(said)
  return { code, out, err }
}

/** Runs the program that is shipped to its end: some variables count only when Node.js starts. */
export const hvProcess = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  new Promise<Ended>((resolve) => {
    const all = { PATH: process.env['PATH'], ...env }
    execFile(
      process.execPath,
      [join(ROOT, 'dist/main.js'), ...args],
      { env: all },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
