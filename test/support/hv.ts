import { PassThrough, Readable } from 'node:stream'
import { ioOf } from '../../src/cli/io.ts'
import { run } from '../../src/cli/run.ts'
import type { Environment } from '../../src/settings/load.ts'
import type { UnixSeconds } from '../../src/domain/words.ts'

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

function collector() {
  const stream = new PassThrough({ encoding: 'utf8' })
  let text = ''
  stream.on('data', (part: string) => (text += part))
  return { stream, text: () => text }
}
