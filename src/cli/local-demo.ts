import { rememberDecisions } from '../demo/decisions.ts'
import { demoSite, LOCAL } from '../demo/site.ts'
import { listen } from '../http/listen.ts'
import { demonstrationFile, packageParts, standardLog } from '../package.ts'
import { parseHostPort } from '../schema/kinds.ts'
import { serve } from '../serve.ts'
import { type Config, loadConfig } from '../settings/load.ts'
import { configOf } from './command.ts'
import type { Io } from './io.ts'
import { stopSignal } from './process-signals.ts'
import { otherAddress, reachable, started } from './start.ts'

/**
 * Reads the package's own configuration, which needs no other file. The environment says where to
 * listen; the keyring and the Redis that it names, as that of the image does, are those of `hv serve`.
 */
const demoConfig = ({ env, cwd }: Io): Config =>
  loadConfig(demonstrationFile(), { ...env, HV_KEYRING: undefined, HV_REDIS_URL: undefined }, cwd)

/** Says of listeners on every address what a container needs: the printed addresses are right outside of it only by these ports. */
function everywhere(urls: readonly string[]): string {
  const ports = urls.filter((url) => reachable(url) !== url).map((url) => new URL(url).port)
  if (ports.length === 0) return ''
  return `
  Listening on every address. From a container, publish these ports under the same numbers: ${ports.join(', ')}
`
}

interface Options {
  readonly config?: string | undefined
  readonly siteListen?: string | undefined
  readonly serviceUrl?: URL | undefined
}

/** Runs both until a signal. */
export async function demonstrate(io: Io, options: Options): Promise<void> {
  const config = options.config === undefined ? demoConfig(io) : configOf(options.config, io)
  const stopped = stopSignal()
  // Pretty where people look; a program behind a pipe gets JSON lines.
  const log = await standardLog(config, process.stdout.isTTY ? 'pretty' : config.logFormat)
  const decisions = rememberDecisions(log)
  const service = await started(
    serve(config, { log: decisions.log, ...packageParts() }),
    otherAddress(config),
  )
  const own = reachable(service.url)
  const { siteListen } = options
  const address =
    siteListen === undefined ? { ...config.listen, port: 8081 } : parseHostPort(siteListen)!
  try {
    const site = await started(
      listen(
        demoSite({ ...LOCAL, own, page: options.serviceUrl?.origin ?? own }, decisions),
        address,
      ),
      () =>
        '--site-listen 127.0.0.1:8181; with npm start: npm start -- --site-listen 127.0.0.1:8181',
    )
    io.out(`
  human-verification is running

    demonstration site   ${reachable(site.url)}    open this, fill in the form, submit it
    service              ${own}
    dashboard            ${reachable(service.opsUrl)}
${everywhere([site.url, service.url, service.opsUrl])}
  Ctrl-C ends both. The service's log follows.
`)
    await stopped
    await site.stop(1000)
  } finally {
    await service.close()
  }
}
