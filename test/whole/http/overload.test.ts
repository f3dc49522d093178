/** docs/design/threats.md#t17: in an overload a share is served, the rest is refused in the usual shape, and new clients do not wait. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { budgetLimiter } from '../../../src/store/limits/budget-limiter.ts'
import { memoryLimits } from '../../../src/store/limits/limit-store.ts'
import { ORIGIN, PLENTY, SITEKEY, testService } from '../../support/app.ts'
import { closeLater } from '../../support/close-later.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { bytesOf, open } from '../../support/raw.ts'
import { FORM } from './edge.ts'

/** Holds the event loop, as the work for a request does. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** Microseconds of this process' processor. */
function cpu(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return user + system
}

const CHALLENGE = bytesOf({
  path: '/api/v1/challenge',
  headers: [FORM, ['Origin', ORIGIN]],
  body: `sitekey=${SITEKEY}&action=sign-up`,
})

/** A service whose challenges take some milliseconds each, and connections that ask for one again and again. */
async function crowd(count: number, work: () => void) {
  let isBusy = false
  const limiter = {
    ...budgetLimiter(memoryLimits(), PLENTY),
    async challenge() {
      if (isBusy) work()
      return false
    },
  }
  const service = await testService({ limiter })
  const statuses: number[] = []
  const connect = async (): Promise<Socket> => {
    const socket = closeLater(open(service.base), (it) => it.destroy())
    await once(socket, 'connect')
    return socket
  }
  /** Node.js accepts one connection in each turn of the event loop: only those that are open can ask at once. */
  async function askOn(socket: Socket): Promise<void> {
    let text = ''
    const first = new Promise<void>((resolve) =>
      socket.setEncoding('latin1').on('data', (data) => {
        text += String(data)
        if (!text.endsWith('}')) return
        if (isBusy) statuses.push(Number(text.slice(9, 12)))
        text = ''
        if (isBusy) socket.write(CHALLENGE)
        resolve()
      }),
    )
    socket.write(CHALLENGE)
    await first
  }
  const sockets = await Promise.all(Array.from({ length: count }, connect))
  await Promise.all(sockets.map(askOn))
  isBusy = true
  for (const socket of sockets) socket.write(CHALLENGE)
  const stop = () => sockets.forEach((socket) => socket.destroy())
  return { service, statuses, connect, stop }
}

test('of more than can be served in time a share is served, and the rest refused', async () => {
  let served = 0
  const { service, statuses, stop } = await crowd(300, () => {
    const before = process.cpuUsage()
    block(10)
    served += cpu(before)
  })
  const started = process.cpuUsage()
  await eventually(
    () => expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(100),
    20_000,
  )
  const all = cpu(started)
  stop()
  expect(served / all).toBeGreaterThan(0.3)
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  await eventually(() => {
    const reports = service
      .lines()
      .filter(({ message }) => message === 'overload: requests refused')
    const shed = reports.reduce((sum, { detail }) => sum + Number.parseInt(String(detail), 10), 0)
    expect(shed).toBeGreaterThan(100)
  }, 5000)
})

test('a refusal has the usual shape, and only the page can read it', async () => {
  const { connect } = await crowd(200, () => block(15))
  /** Asks on a connection that has been served, so that it waits in line like the others. @returns its refusal */
  async function refused(bytes: Buffer): Promise<string> {
    const socket = await connect()
    let text = ''
    socket.setEncoding('latin1').on('data', (data) => {
      text += String(data)
    })
    const answered = () => expect(text).toMatch(/\}$/)
    do {
      text = ''
      socket.write(bytes)
      await eventually(answered, 20_000)
    } while (!text.startsWith('HTTP/1.1 503'))
    return text
  }
  const [page, server] = await Promise.all([
    refused(CHALLENGE),
    refused(bytesOf({ headers: [['Origin', ORIGIN]] })),
  ])
  expect(page).toMatch(/\r\n\r\n\{"success":false,"error-codes":\["rate-limiter-unavailable"\]\}$/)
  for (const header of [
    'Retry-After: 1',
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
  ])
    expect(page).toContain(`\r\n${header}\r\n`)
  expect(page).toContain('\r\nAccess-Control-Allow-Origin: *\r\n')
  expect(server).not.toContain('Access-Control')
})

test('a check, and the first request of a connection, do not wait behind others', async () => {
  const { statuses, connect, stop } = await crowd(150, () => block(5))
  // The health of a busy instance, as a proxy asks for it: on a connection that it keeps.
  const health = bytesOf({ method: 'GET', path: '/health' })
  const kept = await connect()
  for (let i = 0; i < 5; i++) {
    for (const [socket, bytes] of [
      [kept, health],
      [await connect(), CHALLENGE],
    ] as const) {
      const before = statuses.length
      socket.write(bytes)
      expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 200/)
      // Each of the others waits until 150 are answered.
      expect(statuses.length - before).toBeLessThan(75)
    }
  }
  stop()
})
