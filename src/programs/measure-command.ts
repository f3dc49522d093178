import { Writable } from 'node:stream'
import { command } from '../cli/command.ts'
import { newSitekey } from '../cli/credentials.ts'
import { MEASURE } from '../cli/programs.ts'
import { checkConfig } from '../config/load.ts'
import { decisionMemory } from '../demo/decisions.ts'
import { measureConfig } from '../demo/measure-config.ts'
import { measureSite } from '../demo/measure-site.ts'
import { jsonLog } from '../ops/log/log.ts'
import { serve } from '../serve.ts'
import { sitePage, wordsFor } from './site-page.ts'
import { parts, started } from './start.ts'

/** `hv measure`: a service of its own behind a page that measures whatever browser opens it. */
export const measureCommand = command(MEASURE, async ({ listen: address, hostname: hostnames, json }, io) => {
  const sitekey = newSitekey()
  // The variables of a service that is running here, too, are not meant for this one.
  const config = checkConfig(measureConfig({ sitekey, hostnames }), 'hv measure', {}, io.cwd)
  const decisions = decisionMemory()
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      decisions.add(line)
      done()
    },
  })
  const service = await started(
    serve(config, {
      log: jsonLog('info', lines),
      ...parts(),
    }),
    () => '--listen 127.0.0.1:0',
  )
  const code = await sitePage(
    measureSite({ serviceUrl: service.url, sitekey, action: 'measure', decisions, wordsFor }),
    { address, out: io.out },
    (url) => (json ? JSON.stringify({ url }) : `open ${url}, fill in the form and send it. Ctrl-C ends it`),
    '--listen 127.0.0.1:8183',
  )
  await service.stop()
  return code
})
