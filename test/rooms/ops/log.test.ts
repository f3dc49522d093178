import { Writable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { boundedStream } from '../../../src/ops/bounded-stream.ts'
import { createLog, type LogOptions } from '../../../src/ops/log.ts'
import { prettyLine } from '../../../src/ops/pretty-line.ts'

function written() {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  return { stream, text: () => text, lines: () => text.split('\n').filter(Boolean) }
}
function logAt(level: string, change: Partial<LogOptions> = {}) {
  const { stream, lines } = written()
  const entries = () => lines().map((line) => JSON.parse(line) as Record<string, unknown>)
  return { log: createLog({ level, stream, ...change }), lines, entries }
}

test('a line is JSON: level, message, timestamp, and the fields that were given', () => {
  const { log, entries } = logAt('info')
  log.info('siteverify', { sitekey: 'hv_site_x', code: 'accepted', ms: 2.1 })
  expect(entries()).toEqual([
    {
      level: 'info',
      message: 'siteverify',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      code: 'accepted',
      ms: 2.1,
      sitekey: 'hv_site_x',
    },
  ])
})

test('a field that has no name on the list is not written, whatever it holds', () => {
  const { log, entries } = logAt('info')
  log.info('siteverify', { secret: 'hv_secret_x', response: 'e30.e30.e30', address: '203.0.113.7' } as object)
  expect(Object.keys(entries()[0]!).toSorted()).toEqual(['level', 'message', 'timestamp'])
})

test('of an error only name, message and stack are written, never what a library hung on it', () => {
  const { log, lines } = logAt('info')
  const error = Object.assign(new Error('NOAUTH'), { command: { name: 'auth', args: ['hunter2'] }, body: 'secret=x' })
  log.error('unavailable', { cause: new Error('outer', { cause: error }) })
  expect(lines().join()).toContain('Error: NOAUTH')
  expect(lines().join()).not.toMatch(/hunter2|secret=x/)
})

test('line ends in a value cannot forge a line', () => {
  const { log, entries } = logAt('info')
  log.info('siteverify', { action: 'a\n{"level":"error"}' })
  expect(entries()).toHaveLength(1)
})

test('below the level nothing is written, but the line that says where the service listens', () => {
  const { log, entries } = logAt('error')
  log.info('siteverify')
  log.warn('odd')
  log.info('listening', { url: 'http://127.0.0.1:8080' })
  log.error('defect')
  expect(entries().map(({ message }) => message)).toEqual(['listening', 'defect'])
})

test('a stream that fails does not throw at the service, and its lines are counted', async () => {
  const broken = new Writable({ autoDestroy: false, write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  const log = createLog({ level: 'info', stream: broken })
  let lost = 0
  log.onLost(() => lost++)
  log.info('siteverify')
  await log.flush()
  await new Promise(setImmediate)
  expect(lost).toBe(1)
})

describe('a reader that stops', () => {
  const KILOBYTE = `${'x'.repeat(1023)}\n`
  /** A target whose writes end only when they are let go. */
  function stage() {
    let text = ''
    let release: (() => void) | undefined
    let isReading = false
    let lost = 0
    const gaps: number[] = []
    const target = new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString()
        if (isReading) done()
        else release = done
      },
    })
    const stream = boundedStream(target, { lost: () => lost++, resumed: (lines) => gaps.push(lines) })
    const read = async () => {
      isReading = true
      release?.()
      while (target.writableLength > 0) await new Promise(setImmediate)
    }
    return { stream, target, read, text: () => text, lost: () => lost, gaps }
  }

  test('fills 1 MiB; what comes then is lost and counted, and the gap is reported once', async () => {
    const { stream, target, read, text, lost, gaps } = stage()
    for (let i = 0; i < 1100; i++) stream.write(KILOBYTE)
    expect(lost()).toBe(1100 - 1024)
    expect(target.writableLength).toBe(1024 * 1024)
    expect(gaps).toEqual([])
    await read()
    stream.write('after\n')
    expect(text()).toBe(`${KILOBYTE.repeat(1024)}after\n`)
    expect(gaps).toEqual([76])
  })
})

describe('a line for people', () => {
  const timestamp = new Date(2026, 10, 21, 12, 0, 1).toISOString()
  const line = (fields: object = {}, colours = false) =>
    prettyLine({ level: 'info', message: 'siteverify', timestamp, ...fields }, colours)

  test('has what people look for first, the rest by name, and no decision', () => {
    const fields = { status: 200, code: 'accepted', ms: 3.1, sitekey: 'hv_site_x', decision: { score: 0.9 } }
    expect(line(fields)).toBe('12:00:01 info  siteverify 200 accepted 3.1 ms  sitekey=hv_site_x')
  })
  test('cannot be forged, or move the cursor, by a value', () => {
    expect(line({ action: 'a\n12:00:02 info  forged\u001b[2J' })).not.toMatch(/\p{Cc}/u)
  })
})
