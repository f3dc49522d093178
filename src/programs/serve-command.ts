import { command } from '../cli/command.ts'
import { EXIT } from '../cli/exit-codes.ts'
import type { Io } from '../cli/io.ts'
import { SERVE } from '../cli/programs.ts'
import type { Config } from '../config/config.ts'
import { configFile, loadConfig } from '../config/load.ts'
import { loadAside } from '../config/reload/load-in-thread.ts'
import { type ServiceLog, serviceLog } from '../ops/log/service-log.ts'
import { serve, type Service } from '../serve.ts'
import { parts, started, stopSignal } from './start.ts'

/** `hv serve`: the service. */
export const serveCommand = command(SERVE, async ({ config: option }, io) => {
  const { env } = io
  const file = configFile(option, env)
  const readAt = Date.now()
  const config = loadConfig(file, env, io.cwd)
  const load = (): Promise<Config> => loadAside(file, { ...env }, io.cwd)
  // Before anybody hears that we listen: a signal must never find us without a handler.
  const stopped = stopSignal()
  let service: Service | undefined
  process.on('SIGHUP', () => service?.reload())
  const log = standardLog(config, io)
  service = await started(
    serve(config, { log, linesLost: (tell) => log.onLost(tell), load, readAt, ...parts() }),
    otherAddress(config),
  )
  await stopped
  await service.stop()
  log.info('stopped')
  return EXIT.done
})

function standardLog(config: Config, { colours }: Io): ServiceLog {
  const log = serviceLog({
    level: config.logLevel,
    format: config.logFormat,
    fd: 1,
    stream: process.stdout,
    colours: colours === true,
  })
  process.on('exit', () => log.flush())
  return log
}

const otherAddress =
  ({ opsListen }: Config) =>
  ({ port }: { readonly port: number }): string =>
    port === opsListen.port
      ? 'HV_OPS_LISTEN=127.0.0.1:9465, or ops_listen in the configuration'
      : 'HV_LISTEN=127.0.0.1:8180, or listen in the configuration'
