/** Express gives each request and response another prototype; ours have it from birth. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import express, { type Express } from 'express'
import { messageClasses } from '../../../src/http/message-classes.ts'

let server: Server | undefined
afterEach(async () => {
  await new Promise((resolve) => server?.close(resolve))
})

/** What stands before and after Express has had its hands on them, and what was answered. */
async function served(app: Express, classes = messageClasses(app)) {
  const seen: { before: object[]; after: object[] } = { before: [], after: [] }
  app.get('/', (req, res) => {
    seen.after = [Object.getPrototypeOf(req) as object, Object.getPrototypeOf(res) as object]
    res.status(201).json({ query: req.query['a'], agent: req.get('user-agent'), app: req.app === app })
  })
  server = createServer(classes, (req, res) => {
    seen.before = [Object.getPrototypeOf(req) as object, Object.getPrototypeOf(res) as object]
    app(req, res)
  })
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/?a=1`, { headers: { 'user-agent': 'x' } })
  return { ...seen, status: answer.status, body: (await answer.json()) as unknown }
}

// Fails when an upgrade of Express changes prototypes in another way: then the classes no longer help.
test('Express finds the prototypes it would set: it changes nothing, and everything it adds is there', async () => {
  const app = express()
  const { before, after, status, body } = await served(app)
  expect(before).toEqual(after)
  expect(before[0]).toBe(app.request)
  expect(before[1]).toBe(app.response)
  expect([status, body]).toEqual([201, { query: '1', agent: 'x', app: true }])
})
