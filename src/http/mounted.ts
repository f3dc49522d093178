import type { IncomingMessage, ServerResponse } from 'node:http'
import { ASSETS, PATHS } from '../wire.ts'
import type { Assets } from './assets.ts'
import { refuseUnreadable } from './faults.ts'
import type { AnyRequest, AnyResponse, App } from './messages.ts'

/**
 * Makes the application part of another one: the messages of other requests go on as they came. Without a `next` there is no
 * other one.
 */
export const mounted =
  (app: App, named: Assets) =>
  (req: AnyRequest, res: AnyResponse, next?: () => void): void => {
    const [path = ''] = (req.url ?? '').split('?', 1)
    const asset = path.startsWith(ASSETS) ? path.slice(ASSETS.length) : ''
    if (next && !PATHS.has(path) && !named.has(asset)) next()
    else app(req as IncomingMessage, res as ServerResponse, () => refuseUnreadable(res))
  }
