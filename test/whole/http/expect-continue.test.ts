/** RFC 9110, section 10.1.1: a client that asks first is not told to send a body that the head has already lost. */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type TestService, testService } from '../../support/app.ts'
import { bytesOf, open } from '../../support/raw.ts'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.stop(0))

/** Status lines that come before the body is sent, and after; the connection's end. */
async function asked(headers: readonly (readonly [string, string])[], body: string): Promise<string[]> {
  const socket = open(service.base)
  const ended = once(socket, 'close')
  let said = ''
  socket.on('data', (chunk: Buffer) => {
    if (said === '' && chunk.toString().startsWith('HTTP/1.1 100')) socket.end(body)
    said += chunk.toString()
  })
  const type = ['Content-Type', 'application/x-www-form-urlencoded'] as const
  socket.write(bytesOf({ headers: [type, ['Expect', '100-continue'], ...headers] }))
  await ended
  return said.match(/HTTP\/1\.1 [0-9]{3}/g) ?? []
}

test.each([
  ['a length over the limit', [['Content-Length', '99999']], ['HTTP/1.1 413']],
  [
    'an encoding that is not read',
    [
      ['Content-Length', '3'],
      ['Content-Encoding', 'gzip'],
    ],
    ['HTTP/1.1 415'],
  ],
  ['a body of a fair length', [['Content-Length', '3']], ['HTTP/1.1 100', 'HTTP/1.1 400']],
] as const)('%s', async (_what, headers, lines) => {
  expect(await asked(headers, 'a=b')).toEqual(lines)
})
