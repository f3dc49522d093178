import type { IncomingMessage, ServerResponse } from 'node:http'
import { ASSETS, PATHS } from '../wire.ts'
import type { Assets } from './assets.ts'
import { refuseUnreadable } from './faults.ts'
import type { AnyRequest, AnyResponse, App } from './messages.ts'
import { isVendorPath } from './vendor-shapes.ts'

/** What an application answers beside the paths of the API. */
interface Served {
  readonly assets: Assets
  readonly vendorPaths: boolean
}

/**
 * Makes the application part of another one: the messages of other requests go on as they came. Without a `next` there is no
 * other one.
 */
export const mounted =
  (app: App, { assets, vendorPaths }: Served) =>
  (req: AnyRequest, res: AnyResponse, next?: () => void): void => {
    const [path = ''] = (req.url ?? '').split('?', 1)
    const asset = path.startsWith(ASSETS) ? path.slice(ASSETS.length) : ''
    const isOurs = PATHS.has(path) || assets.has(asset) || (vendorPaths && isVendorPath(path))
    if (next && !isOurs) next()
    else app(req as IncomingMessage, res as ServerResponse, () => refuseUnreadable(res))
  }
