import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { lineBuffer } from '../../../../src/ops/log/line-buffer.ts'

/** A reader that takes so many bytes at a time; 0: it does not read; 'gone': writing fails. */
function stage() {
  let text = ''
  let lost = 0
  let reader: number | 'gone' = Infinity
  const lines = lineBuffer({
    outlet(bytes) {
      if (reader === 'gone') throw new Error('EPIPE')
      const taken = Math.min(reader, bytes.length)
      text += Buffer.from(bytes).toString('utf8', 0, taken)
      return taken
    },
    lostLine: (count) => `lost ${count}`,
    lost: (count) => (lost += count),
  })
  return { lines, said: () => text, lost: () => lost, read: (how: number | 'gone') => (reader = how) }
}
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5)
}
const KILOBYTE = 'x'.repeat(1023)

test('lines are written after the work of the moment, in order, whole', async () => {
  const { lines, said, read } = stage()
  read(3)
  for (const line of ['one', 'two', 'three']) lines.write(line)
  expect(said()).toBe('')
  lines.flush()
  expect(said()).toBe('one\ntwo\nthree\n')
})

// A busy machine once had not written the megabyte within 100 ms.
test('what does not fit is lost, counted, and told where it would have stood', async () => {
  const { lines, said, lost, read } = stage()
  read(0)
  for (let i = 0; i < 1100; i++) lines.write(KILOBYTE)
  expect(lost()).toBe(1100 - 1024)
  read(Infinity)
  await until(() => said().endsWith('lost 76\n'))
  lines.write('after')
  await until(() => said().endsWith('after\n'))
  const written = said().trim().split('\n')
  expect(written.filter((line) => line === KILOBYTE)).toHaveLength(1024)
  expect(written.slice(-2)).toEqual(['lost 76', 'after'])
})

test('a line that was cut when writing failed is ended before the next', async () => {
  const { lines, said, lost, read } = stage()
  read(2)
  lines.write('first')
  await new Promise(setImmediate)
  read('gone')
  lines.flush()
  expect(said()).toBe('fi')
  expect(lost()).toBe(1)
  read(Infinity)
  lines.write('second')
  lines.flush()
  expect(said()).toBe('fi\nlost 1\nsecond\n')
})

test('a reader that is gone costs no memory, and every line is counted, once', () => {
  const { lines, said, lost, read } = stage()
  read('gone')
  for (let i = 0; i < 5000; i++) {
    lines.write(KILOBYTE)
    lines.flush()
  }
  expect(lost()).toBe(5000)
  read(Infinity)
  lines.flush()
  expect(said()).toBe('lost 5000\n')
})
