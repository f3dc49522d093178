import { Writable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { createLog } from '../../../src/ops/log.ts'
import { prettyLine } from '../../../src/ops/pretty-line.ts'

function logAt(level: string) {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  const log = createLog({ level, stream })
  async function lines() {
    await log.flush()
    return text.split('\n').filter(Boolean)
  }
  const entries = async () =>
    (await lines()).map((line) => JSON.parse(line) as Record<string, unknown>)
  return { log, lines, entries }
}

test('a line is JSON: level, message, timestamp, and the fields that were given', async () => {
  const { log, entries } = logAt('info')
  log.info('siteverify', { sitekey: 'hv_site_x', code: 'accepted', ms: 2.1 })
  const timestamp = expect.stringMatching(/^\d{4}-.*Z$/)
  const fields = { code: 'accepted', ms: 2.1, sitekey: 'hv_site_x' }
  expect(await entries()).toEqual([{ level: 'info', message: 'siteverify', timestamp, ...fields }])
})

test('only fields on the list are written', async () => {
  const { log, entries } = logAt('info')
  log.info('siteverify', {
    secret: 'hv_secret_x',
    response: 'e30.e30.e30',
    address: '203.0.113.7',
  } as object)
  expect(Object.keys((await entries())[0]!).toSorted()).toEqual(['level', 'message', 'timestamp'])
})

test('of an error only name, message and stack are written, never its other properties', async () => {
  const { log, lines } = logAt('info')
  const error = Object.assign(new Error('NOAUTH'), {
    command: { name: 'auth', args: ['hunter2'] },
    body: 'secret=x',
  })
  log.error('unavailable', { cause: new Error('outer', { cause: error }) })
  const written = (await lines()).join()
  expect(written).toContain('Error: NOAUTH')
  expect(written).not.toMatch(/hunter2|secret=x/)
})

test('below the level nothing is written except the line with the listening address', async () => {
  const { log, entries } = logAt('error')
  log.info('siteverify')
  log.warn('odd')
  log.info('listening', { url: 'http://127.0.0.1:8080' })
  log.error('defect')
  expect((await entries()).map(({ message }) => message)).toEqual(['listening', 'defect'])
})

test('a turn with more lines than may wait loses none of them, nor a later one', async () => {
  const { log, lines } = logAt('info')
  const line = { detail: 'x'.repeat(1000) }
  for (let i = 0; i < 1100; i++) log.info('siteverify', line)
  expect(await lines()).toHaveLength(1100)
  log.info('siteverify')
  expect(await lines()).toHaveLength(1101)
})

describe('a line for people', () => {
  const timestamp = new Date(2026, 10, 21, 12, 0, 1).toISOString()
  const line = (fields: object) =>
    prettyLine({ level: 'info', message: 'siteverify', timestamp, ...fields }, false)

  test('starts with the most important fields, and leaves the decision out', () => {
    const fields = {
      status: 200,
      code: 'accepted',
      ms: 3.1,
      sitekey: 'hv_site_x',
      decision: { score: 0.9 },
    }
    expect(line(fields)).toBe('12:00:01 info  siteverify 200 accepted 3.1 ms  sitekey=hv_site_x')
  })
  test('has no control characters, so that a value cannot forge a line or move the cursor', () => {
    expect(line({ action: 'a\n12:00:02 info  forged\u001b[2J' })).not.toMatch(/\p{Cc}/u)
  })
})
