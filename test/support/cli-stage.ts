import { Readable, Writable } from 'node:stream'
import { terminal } from '../../src/cli/terminal.ts'

interface StageOptions {
  /** Whether both streams are a terminal. */
  readonly tty?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly columns?: number
  /** Milliseconds that pass between two looks at the clock. */
  readonly step?: number
}

/** A terminal as commands see it: what they draw on it, and a clock that only goes forward when it is told to. */
export function stage({ tty = true, env = {}, input = '', columns = 20, step = 0 }: StageOptions = {}) {
  let [out, err, now] = ['', '', 0]
  const stream = (keep: (text: string) => void) =>
    Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          keep(chunk.toString())
          done()
        },
      }),
      { isTTY: tty, columns },
    )
  const io = terminal({
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stream((text) => (out += text)),
    stderr: stream((text) => (err += text)),
    env,
    elapsed: () => (now += step),
  })
  return { io, said: () => ({ out, err }), wait: (ms: number) => (now += ms) }
}
