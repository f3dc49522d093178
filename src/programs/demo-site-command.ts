import { command } from '../cli/command.ts'
import { DEMO_SITE } from '../cli/programs.ts'
import { decisionMemory } from '../demo/decisions.ts'
import { demoSite } from '../demo/site.ts'
import { sitePage, wordsFor } from './site-page.ts'

/** The demonstration site's process. */
export const demoSiteCommand = command(DEMO_SITE, ({ service, listen: address }, io) => {
  const decisions = decisionMemory()
  // `hv demo` hands on what the service's log says of each score.
  process.on('message', (line) => decisions.add(line))
  const explaining = { decisions, wordsFor }
  return sitePage(
    demoSite(service, process.connected ? explaining : undefined),
    { address, out: io.out },
    (url) => JSON.stringify({ level: 'info', message: 'listening', url }),
    '--listen 127.0.0.1:8181; with npm start: npm start -- --site-listen 127.0.0.1:8181',
  )
})
