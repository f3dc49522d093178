import { type Config, configFile, loadConfig } from '../settings/load.ts'
import { configOption, define } from './command.ts'
import type { Io } from './io.ts'
import { packageParts, standardLog } from '../package.ts'
import { onReloadSignal, stopSignal } from './process-signals.ts'
import { otherAddress, started } from './start.ts'

/** `hv serve`: the service. */
export const serveCommand = (io: Io) =>
  define('serve', {
    summary: 'run the service',
    about: `Runs the service until SIGTERM. HV_LISTEN, HV_OPS_LISTEN, HV_REDIS_URL, HV_KEYRING and HV_LOG_LEVEL override the file. SIGHUP, or a change of the configuration, reloads sites and keys; a problem in it changes nothing and is logged.`,
    examples: [
      'hv serve --config config/config.yaml',
      'HV_LISTEN=0.0.0.0:8080 hv serve',
      'HV_REDIS_URL=redis://127.0.0.1:6379/0 hv serve',
    ],
    fails: 'the service could not start',
  })
    .addOption(configOption())
    .action(async ({ config: option }) => {
      const file = configFile(option, io.env)
      const readAt = Date.now()
      const config = loadConfig(file, io.env, io.cwd)
      const { serve } = await import('../serve.ts')
      const { loadInThread } = await import('../settings/reload.ts')
      const stopped = stopSignal()
      const log = await standardLog(config, config.logFormat)
      const load = (): Promise<Config> => loadInThread(file, { ...io.env }, io.cwd)
      const service = await started(
        serve(config, {
          log,
          linesLost: (tell) => log.onLost(tell),
          load,
          readAt,
          ...packageParts(),
        }),
        otherAddress(config),
      )
      onReloadSignal(() => service.reload())
      await stopped
      await service.close()
      log.info('stopped')
      await log.flush()
    })
