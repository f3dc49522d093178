import type { Writable } from 'node:stream'
import type { Log } from '../../ports/observing.ts'
import { lineBuffer } from './line-buffer.ts'
import { jsonLine, lineForPeople, logTo } from './log.ts'
import { outlet } from './non-blocking-writer.ts'

export interface ServiceLogParts {
  readonly level: string
  readonly format: 'json' | 'pretty'
  /** 1: standard output, 2: standard error. */
  readonly fd: 1 | 2
  /** The same as a stream of Node.js. */
  readonly stream: Writable
  readonly colours: boolean
}

/** The log of a service: nobody who reads it, or does not, can stop or slow the service. */
export interface ServiceLog extends Log {
  /** Who is to be told how many lines were lost. */
  onLost(listener: (lines: number) => void): void
  /** Writes what still waits and can be written at once; for a process that ends. */
  flush(): void
}

export function serviceLog({ level, format, fd, stream, colours }: ServiceLogParts): ServiceLog {
  let listener: ((lines: number) => void) | undefined
  const line = format === 'json' ? jsonLine : lineForPeople(colours)
  const lines = lineBuffer({
    outlet: outlet(fd, stream),
    lost: (count) => listener?.(count),
    lostLine: (count) => line('warn', 'log lines lost', { detail: `${count} could not be written` }),
  })
  return {
    ...logTo(level, (text) => lines.write(text), line),
    onLost: (tell) => void (listener = tell),
    flush: () => lines.flush(),
  }
}
