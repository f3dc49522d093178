import { join } from 'node:path'
import { ROOT } from '../../stand/machine.mjs'

/** How Stagehand is started. It needs a newer Node.js than the service does; lab/package.json has one. */
export const stagehandDriver = () => ({
  name: 'Stagehand',
  program: join(ROOT, 'lab/node_modules/node/bin/node'),
  args: [join(import.meta.dirname, 'stagehand.mjs')],
  env: {},
})
