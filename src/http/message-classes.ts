import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import type { Express } from 'express'

/**
 * Returns classes for `createServer` whose requests and responses have the application's prototypes from birth.
 *
 * Express 5 gives each message the prototype `app.request` or `app.response` when it arrives, and V8 treats an object whose
 * prototype was changed as slow from then on. With these classes the change changes nothing: `npm run bench -- siteverify`, 64
 * connections on Node.js 20.20, went from 386 µs of CPU a request to 271.
 *
 * @returns nothing, which means Node.js' own classes, where the application is not Express' or not built as we expect.
 */
export function messageClasses(listener: object): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  const app = listener as Partial<Express>
  if (!(app.request instanceof IncomingMessage) || !(app.response instanceof ServerResponse)) return {}
  class AppRequest extends IncomingMessage {}
  class AppResponse<Req extends IncomingMessage = IncomingMessage> extends ServerResponse<Req> {}
  app.request = adopt(AppRequest.prototype, app.request)
  app.response = adopt(AppResponse.prototype, app.response)
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

/** Gives the prototype of our class all that the application's has, and is. */
function adopt<T extends object>(own: object, theirs: T): T {
  Object.setPrototypeOf(own, Object.getPrototypeOf(theirs) as object)
  const { constructor: _ours, ...properties } = Object.getOwnPropertyDescriptors(theirs) as PropertyDescriptorMap
  return Object.defineProperties(own, properties) as T
}
