import { rememberDecisions } from '../demo/decisions.ts'
import { inFront, publicConfig, publicSite, PUBLIC_RATE } from '../demo/public.ts'
import type { App } from '../http/messages.ts'
import { packageParts, standardLog } from '../package.ts'
import { serve } from '../serve.ts'
import { checkConfig } from '../settings/load.ts'
import { memoryWindows } from '../store/limits/windows.ts'
import type { Io } from './io.ts'
import { stopSignal } from './process-signals.ts'
import { newSecret } from './site.ts'
import { otherAddress, reachable, started } from './start.ts'

/** Stands for the site until the service listens. */
const NOT_YET: App = (_req, res) => void res.writeHead(503).end()

/** Runs a demonstration that strangers may attack, until a signal. It has a secret of its own, and keeps nothing. */
export async function demonstrateInPublic(
  io: Io,
  origin: string,
  proxies: readonly string[],
): Promise<void> {
  const secret = newSecret()
  const env = { ...io.env, HV_KEYRING: undefined, HV_REDIS_URL: undefined, HV_LOG_LEVEL: undefined }
  const config = checkConfig(publicConfig(origin, secret, proxies), 'hv demo --public', env, io.cwd)
  const stopped = stopSignal()
  const decisions = rememberDecisions(await standardLog(config, config.logFormat))
  let site = NOT_YET
  const service = await started(
    serve(config, {
      log: decisions.log,
      ...packageParts(),
      wrap: inFront((req, res) => site(req, res)),
    }),
    otherAddress(config),
  )
  const limit = memoryWindows()('demonstration', PUBLIC_RATE)
  const own = reachable(service.url)
  site = publicSite({ origin, own, secret, proxies, take: (owner) => limit.take(owner) }, decisions)
  io.out(`public demonstration at ${origin}, listening at ${service.url}; it keeps nothing`)
  await stopped
  await service.close()
}
