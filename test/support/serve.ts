import { listen } from '../../src/http/listen.ts'
import { type App } from '../../src/http/messages.ts'
import { closeLater } from './close-later.ts'

/** Listens on a free port of this machine until the tests of the file have ended. */
export const serve = async (app: App) =>
  closeLater(await listen(app, { host: '127.0.0.1', port: 0 }), (it) => it.stop(0))
