import { IncomingMessage, ServerResponse } from 'node:http'
import type { Express } from 'express'
import type { MessageClasses } from '../server/listen.ts'

/**
 * Requests and responses that are the application's from birth.
 *
 * Express 5 gives each request and response the prototype `app.request` or `app.response` when it arrives, and V8 treats
 * an object whose prototype was changed as slow from then on. Ours have those prototypes already, so the change changes
 * nothing: a bare Express application with one SET NX fell from 172 µs of CPU a request to 62 on Node.js 20 (docs/design/performance.md).
 * Our own figure is in bench/results/siteverify.md. Node.js 24.21 is 10 % faster with it, 24.9 and 26.10 no slower.
 *
 * @returns nothing, which is Node.js's own classes, where an application is not built as we expect: slower, not wrong.
 */
export function messageClasses(app: Express): MessageClasses {
  if (!inherits(app.request, IncomingMessage.prototype) || !inherits(app.response, ServerResponse.prototype)) return {}

  class AppRequest extends IncomingMessage {}
  class AppResponse<Req extends IncomingMessage = IncomingMessage> extends ServerResponse<Req> {}
  app.request = adopt(AppRequest.prototype, app.request)
  app.response = adopt(AppResponse.prototype, app.response)
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

const inherits = (prototype: unknown, from: object): boolean =>
  typeof prototype === 'object' && prototype !== null && Object.prototype.isPrototypeOf.call(from, prototype)

/** The prototype of our class, with all that the application's has, and is. */
function adopt<T extends object>(own: object, theirs: T): T {
  Object.setPrototypeOf(own, Object.getPrototypeOf(theirs) as object)
  const { constructor: _ours, ...properties } = Object.getOwnPropertyDescriptors(theirs) as PropertyDescriptorMap
  return Object.defineProperties(own, properties) as T
}
