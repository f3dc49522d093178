import { Writable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { jsonLog } from '../../../../src/ops/log/log.ts'

function logAt(level: string) {
  const written: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString())
      done()
    },
  })
  const lines = () =>
    written
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { log: jsonLog(level, stream), lines, stream }
}

test('a line is JSON: level, message, timestamp, and the fields that were given', () => {
  const { log, lines } = logAt('info')
  log.info('siteverify', { sitekey: 'hv_site_x', code: 'accepted', ms: 2.1 })
  expect(lines()).toEqual([
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
  const { log, lines } = logAt('info')
  log.info('siteverify', { secret: 'hv_secret_x', response: 'e30.e30.e30', address: '203.0.113.7' } as object)
  expect(Object.keys(lines()[0]!)).toEqual(['level', 'message', 'timestamp'])
})

test('of an error only name, message and stack are written, never what a library hung on it', () => {
  const { log, lines } = logAt('info')
  const error = Object.assign(new Error('NOAUTH'), { command: { name: 'auth', args: ['hunter2'] }, body: 'secret=x' })
  log.error('unavailable', { cause: new Error('outer', { cause: error }) })
  const text = JSON.stringify(lines())
  expect(text).toContain('Error: NOAUTH')
  expect(text).not.toMatch(/hunter2|secret=x/)
})

test('line ends in a value cannot forge a line', () => {
  const { log, lines } = logAt('info')
  log.info('siteverify', { action: 'a\n{"level":"error"}' })
  expect(lines()).toHaveLength(1)
})

test('below the level nothing is written, but the line that says where the service listens', () => {
  const { log, lines } = logAt('error')
  log.info('siteverify')
  log.warn('odd')
  log.info('listening', { url: 'http://127.0.0.1:8080' })
  log.error('defect')
  expect(lines().map(({ message }) => message)).toEqual(['listening', 'defect'])
})

test('a stream that fails does not throw at the service', () => {
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  const log = jsonLog('info', broken)
  expect(() => log.info('siteverify')).not.toThrow()
})
