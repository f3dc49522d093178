/** Express gives each request and response another prototype; ours have it from birth (src/http/message-classes.ts). */
import { createServer } from 'node:http'
import { expect, test } from '@jest/globals'
import express from 'express'
import request from 'supertest'
import { messageClasses } from '../../../src/http/message-classes.ts'

// Fails when an upgrade of Express changes prototypes in another way: then the classes no longer help.
test('Express finds the prototypes that it would set, and everything it adds is there', async () => {
  const app = express()
  const seen: unknown[] = []
  app.get('/', (req, res) => {
    seen.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res))
    res.status(201).json({ query: req.query['a'], agent: req.get('user-agent'), app: req.app === app })
  })
  const server = createServer(messageClasses(app), (req, res) => {
    seen.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res))
    app(req, res)
  })
  await request(server).get('/?a=1').set('user-agent', 'x').expect(201, { query: '1', agent: 'x', app: true })
  for (const [i, expected] of [app.request, app.response, app.request, app.response].entries())
    expect(seen[i]).toBe(expected)
})
