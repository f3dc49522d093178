/** The control: attacks that find nothing anywhere are no attacks. A careless handler must be found open. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { realService } from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'
import { post } from '../../support/visitor.ts'
import { ATTEMPTS, type Target } from './attack.ts'

/** As tutorials have it: takes the first token it finds anywhere, looks at the status, and lets a fault pass. */
async function careless(service: string, body: string, address: string): Promise<boolean> {
  const token = /(?:svc-response|value)[^=:]*[=:][["{]*(?:value":")?([\w.%-]{20,})/i.exec(`${body} ${address}`)?.[1]
  if (token === undefined) return false
  const answer = await post(`${service}/api/v1/siteverify`, { secret: SECRET, response: token })
  return answer.status === 200
}

test('a careless handler is found open', async () => {
  const service = await realService()
  const server = createServer((req, res) => {
    void (async () => {
      let body = ''
      for await (const chunk of req) body += String(chunk)
      res.writeHead((await careless(service.base, body, req.url ?? '')) ? 200 : 422).end()
    })()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const target: Target = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign-up`,
    field: 'svc-response',
    token: (change = {}) => service.tokenOf({ action: 'sign-up', ...change }),
  }
  const open: string[] = []
  for (const { how, refusals, send } of ATTEMPTS) if (!refusals.includes((await send(target)).status)) open.push(how)
  server.closeAllConnections()
  server.close()
  await service.stop()
  expect(open).toEqual(
    expect.arrayContaining([
      'with a spent token',
      'with the token of another action',
      'with the token of a driver',
      'with the field twice, both genuine',
      'with brackets behind the field',
      'with the field in capitals',
      'with the token in the address',
      'with a list in JSON',
    ]),
  )
  // No handler, however careless, makes the service accept these.
  expect(open).not.toContain('without a token')
})
