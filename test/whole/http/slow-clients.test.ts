/** docs/design/threats.md#t17: slow and idle clients; the others must not notice. */
import { expect, test } from '@jest/globals'
import { once } from 'node:events'
import { SECRET } from '../../support/app.ts'
import { closeLater } from '../../support/close-later.ts'
import { post, token } from '../../support/visitor.ts'
import { delays, edge, failure } from './edge.ts'
import { open, type RawAnswer, receive } from '../../support/raw.ts'

const e = edge()
const connection = () => closeLater(open(e.service.base), (it) => it.destroy())

const HEAD = 'POST /api/v1/siteverify HTTP/1.1\r\nHost: x\r\n'
const FIELDS = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n'

/** Sends a beginning, then one byte now and then, for as long as it is let. */
function trickle(beginning: string, byte: string): Promise<RawAnswer> {
  const socket = connection()
  socket.write(beginning)
  const timer = setInterval(() => socket.writable && socket.write(byte), 200)
  socket.once('close', () => clearInterval(timer))
  return receive(socket, { patience: 50_000 }).then(([answer]) => answer!)
}

/** Somebody else is served: siteverify within 500 ms of the time that this process had. */
async function expectServed(): Promise<void> {
  const delay = delays()
  const response = await token({ ...e.service.ask, patient: true })
  const started = performance.now()
  const { body } = await post(`${e.service.base}/api/v1/siteverify`, { secret: SECRET, response })
  expect(performance.now() - started).toBeLessThan(500 + delay())
  expect(body).toMatchObject({ success: true })
}

test('1,000 idle connections do not delay others', async () => {
  const idle = Array.from({ length: 1000 }, connection)
  await Promise.all(idle.map((socket) => once(socket, 'connect')))
  for (let i = 0; i < 5; i++) await expectServed()
})

test('slow heads end after 5 s and slow bodies after 10 s with a documented answer; others are not delayed', async () => {
  const started = performance.now()
  const delay = delays()
  const after = async (answer: Promise<RawAnswer>) => {
    const { status, headers, body } = await answer
    return {
      status,
      text: body.toString(),
      closes: headers.get('connection'),
      ms: performance.now() - started,
    }
  }
  const heads = Array.from({ length: 100 }, () => after(trickle(HEAD, 'X')))
  const bodies = Array.from({ length: 100 }, () => after(trickle(HEAD + FIELDS, 'x')))
  const load = [...heads, ...bodies]
  for (let i = 0; i < 5; i++) await expectServed()

  const { text } = failure(400, 'bad-request')
  const answers = await Promise.all(load)
  for (const answer of answers) expect(answer).toMatchObject({ status: 400, text, closes: 'close' })
  const late = delay()
  const slowest = (some: typeof answers) => Math.max(...some.map(({ ms }) => ms))
  expect(slowest(answers.slice(0, 100))).toBeLessThan(7500 + late)
  expect(slowest(answers.slice(100))).toBeLessThan(12_500 + late)
  await expectServed()
})

test('after a pause of 6 s, requests that arrived meanwhile are served, and a silent connection is closed without an answer', async () => {
  const response = await token({ ...e.service.ask, patient: true })
  const [asking, silent] = [connection(), connection()]
  await Promise.all([once(asking, 'connect'), once(silent, 'connect')])
  // It has accepted both: this one came later.
  await expectServed()
  const body = `secret=${SECRET}&response=${response}`
  asking.write(`${HEAD}${FIELDS.replace('1000', String(body.length))}${body}`)
  const said = silent.setEncoding('utf8').toArray()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000)
  const [answer] = await receive(asking)
  expect(JSON.parse(answer!.body.toString())).toMatchObject({ success: true })
  expect(await said).toEqual([])
})

test('a client that disconnects in the middle of a body is logged as 499', async () => {
  const before = e.service.lines().length
  const socket = open(e.service.base)
  // The service answers 100 once it has read the head.
  socket.write(`${HEAD}Expect: 100-continue\r\n${FIELDS}`)
  await once(socket, 'data')
  socket.write(`secret=${SECRET}`, () => socket.destroy())
  const lines = () => e.service.lines().slice(before)
  while (lines().length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(lines()).toEqual([expect.objectContaining({ message: 'siteverify', status: 499 })])
})
