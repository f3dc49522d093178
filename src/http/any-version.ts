import { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import express, { type Express } from 'express'
import type { App } from './messages.ts'

/**
 * Makes an application answer the messages of HTTP/2 as well, which a program may give us that we are mounted in.
 *
 * Express gives each message its own prototype, which stands on that of HTTP/1: a message of HTTP/2 loses its members by it,
 * and is never answered (Express 5.3). Here it gets the same members on top of its own prototype.
 */
export function anyVersion(app: Express): App {
  const second = express()
  second.disable('x-powered-by')
  second.request = onTopOf(Http2ServerRequest.prototype, express.request, app)
  second.response = onTopOf(Http2ServerResponse.prototype, express.response, app)
  second.use(app.router)
  return (req, res, unreadable) => {
    const answer: App = req.httpVersionMajor === 2 ? second : app
    answer(req, res, unreadable)
  }
}

/** Returns a prototype with the members of another one. Settings are asked of `app`. */
const onTopOf = <T extends object>(prototype: object, members: T, app: Express): T =>
  Object.create(prototype, {
    ...Object.getOwnPropertyDescriptors(members),
    app: { value: app },
  })
