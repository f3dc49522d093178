import { command } from '../cli/command.ts'
import { newSecret, newSitekey } from '../cli/credentials.ts'
import { EXIT } from '../cli/exit-codes.ts'
import { TEST_SERVER } from '../cli/programs.ts'
import { checkConfig } from '../config/load.ts'
import { jsonLog } from '../ops/log/log.ts'
import { greeting, greetingData } from '../scenarios/table.ts'
import { testServerConfig } from '../scenarios/test-server.ts'
import { serve } from '../serve.ts'
import { parts, started, stopSignal } from './start.ts'

/** `hv test-server`: a service in test mode, for the tests of a customer's site. */
export const testServerCommand = command(TEST_SERVER, async ({ listen: address, hostname: hostnames, json }, io) => {
  const ordinary = { sitekey: newSitekey(), secret: newSecret() }
  // The variables of a service that is running here, too, are not meant for this one.
  const surroundings = { NODE_ENV: io.env['NODE_ENV'] }
  const config = checkConfig(
    testServerConfig({ listen: address, hostnames, ordinary }),
    'hv test-server',
    surroundings,
    io.cwd,
  )
  const log = jsonLog(config.logLevel, process.stderr)
  const stopped = stopSignal()
  const service = await started(serve(config, { log, ...parts() }), () => '--listen 127.0.0.1:0')
  io.out(json ? JSON.stringify(greetingData(service.url, ordinary)) : greeting(service.url, ordinary))
  await stopped
  await service.stop()
  return EXIT.done
})
