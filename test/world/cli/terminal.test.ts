import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from '@jest/globals'
import { coloured } from '../../../src/cli/terminal.ts'
import { stage } from '../../support/cli-stage.ts'

describe('progress', () => {
  test('is one line that is written over, as wide as the terminal, and gone before anything else is said', () => {
    const { io, said, wait } = stage()
    io.progress!('read 1 of 1,000 sites and more')
    wait(10)
    io.progress!('too soon to draw')
    wait(100)
    io.progress!('read 2')
    io.out('done')
    expect(said()).toEqual({ out: 'done\n', err: '\r\u001b[Kread 1 of 1,000 sit\r\u001b[Kread 2\r\u001b[K' })
  })
  test.each([
    ['is not a terminal', { tty: false }],
    ['cannot move its cursor', { env: { TERM: 'dumb' } }],
  ])('is not drawn where standard error %s', (_what, where) => {
    const { io, said } = stage(where)
    io.progress!('read 1')
    io.progress!(undefined)
    expect(said().err).toBe('')
  })
})

test.each([
  { colours: true, where: {} },
  { colours: true, where: { env: { NO_COLOR: '' } } },
  { colours: false, where: { env: { NO_COLOR: '1' } } },
  { colours: false, where: { env: { TERM: 'dumb' } } },
  { colours: false, where: { tty: false } },
])('colours: $colours with $where', ({ colours, where }) => {
  const { io } = stage(where)
  expect(coloured('refused', 'red', io)).toBe(colours ? '\u001b[31mrefused\u001b[0m' : 'refused')
})

test('words from outside never reach the terminal as an escape; colours, lines and JSON stay', () => {
  const { io, said } = stage()
  io.out(`${coloured('refused', 'red', io)}\tby \u001b[2J\u009b1m\u202e\u200b\r\nnext`)
  io.err('\u001b]0;title\u0007')
  expect(said().out).toBe(
    String.raw`ESC[31mrefusedESC[0m|by \u001b[2J\u009b1m\u202e\u200b\u000d`
      .replaceAll('ESC', '\u001b')
      .replace('|', '\t') + '\nnext\n',
  )
  expect(said().err).toBe(String.raw`\u001b]0;title\u0007` + '\n')
})

test('standard input is read to its end', async () => {
  expect(await stage({ input: 'a\nb\n' }).io.input!()).toBe('a\nb\n')
})

test('a reader that has enough ends the program quietly', async () => {
  const child = spawn(process.execPath, ['dist/main.js', 'openapi'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  child.stdout.destroy()
  const [code] = (await once(child, 'close')) as [number]
  expect({ code, said }).toEqual({ code: 0, said: '' })
})
