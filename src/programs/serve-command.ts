import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { command } from '../cli/command.ts'
import { EXIT } from '../cli/exit-codes.ts'
import type { Io } from '../cli/io.ts'
import { SERVE } from '../cli/programs.ts'
import type { Config } from '../config/config.ts'
import { configFile, loadConfig } from '../config/load.ts'
import { loadAside } from '../config/reload/load-in-thread.ts'
import { listen } from '../http/server/listen.ts'
import { type ServiceLog, serviceLog } from '../ops/log/service-log.ts'
import { howManyProcesses } from '../processes/how-many.ts'
import { joinedOps } from '../processes/joined-ops.ts'
import { ProcessNotStarted, REPLACED, runProcesses } from '../processes/run-processes.ts'
import { serve, type Service } from '../serve.ts'
import { NotStarted, parts, started, stopSignal } from './start.ts'

/** `hv serve`: the service, in one process or in several. */
export const serveCommand = command(SERVE, async ({ config: option, processes }, io) => {
  const { env } = io
  const file = configFile(option, env)
  const readAt = Date.now()
  const config = loadConfig(file, env, io.cwd)
  const count = howManyProcesses(processes, availableParallelism(), config.redis !== undefined)
  if (typeof count === 'string') throw new NotStarted(`not started: ${count}`)
  if (count > 1 && cluster.isPrimary) return serveByMany(count, config, io)
  const load = (): Promise<Config> => loadAside(file, { ...env }, io.cwd)
  // Before anybody hears that we listen: a signal must never find us without an ear for it.
  const stopped = stopSignal()
  let service: Service | undefined
  process.on('SIGHUP', () => service?.reload())
  const log = standardLog(config, io)
  service = await started(
    serve(config, {
      log,
      linesLost: (tell) => log.onLost(tell),
      load,
      readAt,
      ...parts(),
      listens: cluster.isWorker ? (where) => void process.send?.(where) : undefined,
    }),
    otherAddress(config),
  )
  let isReplaced = false
  if (cluster.isWorker) process.once('message', (message) => (isReplaced = message === REPLACED))
  await stopped
  await service.stop(isReplaced)
  log.info('stopped')
  return EXIT.done
})

/** The process that starts the others: it serves what operators ask, and nothing else. */
async function serveByMany(count: number, config: Config, io: Io): Promise<number> {
  const stopped = stopSignal()
  const log = standardLog(config, io)
  const processes = await runProcesses(count, log).catch((error: unknown) => {
    // It has said why.
    if (error instanceof ProcessNotStarted) process.exit(EXIT.problems)
    throw error
  })
  const ops = await started(
    listen(
      joinedOps(() => processes.listening()),
      config.opsListen,
    ),
    otherAddress(config),
  )
  process.on('SIGHUP', () => void processes.replace())
  log.info('listening', { url: processes.url, ops_url: ops.url, detail: `${count} processes` })
  await stopped
  await processes.stop()
  await ops.stop(0)
  log.info('stopped')
  return EXIT.done
}

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
