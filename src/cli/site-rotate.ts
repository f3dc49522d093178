import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { addSecret } from '../config/edit.ts'
import { checkConfig, configFile } from '../config/load.ts'
import { readText } from '../config/read.ts'
import { EditError, replaceFile } from '../config/replace-file.ts'
import { formatMoment, hashSecret } from '../config/secrets.ts'
import { parseDuration } from '../domain/time.ts'
import { later, seconds, type Seconds } from '../domain/words.ts'
import { UsageError, command, nowOf } from './command.ts'
import { newSecret } from './credentials.ts'

const usage = `hv site rotate SITEKEY [--overlap 2h] [--config FILE]

Gives a site a second secret and prints it, once. The old ones stay valid for the overlap: time to put the new one
on the customer's servers. Comments, order and formatting of the file stay.

  --overlap 2h   0s to 90d. 0s ends the old secrets at once, for one that got known

  hv site rotate hv_site_AbCdEfGhIjKlMnOpQrStUv
  hv site rotate hv_site_AbCdEfGhIjKlMnOpQrStUv --overlap 7d`

const MAX_OVERLAP = 90 * 86_400
/** As in the schema: more would not load. */
const MAX_SECRETS = 8

/** `hv site rotate`: a new secret beside the old ones, which then get an end. */
export const siteRotate = command({ usage, consequence: 'nothing was changed' }, async (args, io) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { overlap: { type: 'string', default: '2h' }, config: { type: 'string' } },
  })
  const [sitekey, ...more] = positionals
  if (sitekey === undefined || more.length > 0) throw new UsageError('wants one sitekey')
  const until = later(nowOf(io), parseOverlap(values.overlap))

  const file = configFile(values.config, io.env)
  const path = resolve(io.cwd, file)
  const secret = newSecret()
  replaceFile(path, 0o644, () => {
    const text = readText(path)
    const { sites } = checkConfig(text, file, io.env, io.cwd)
    const index = sites.findIndex((site) => site.sitekey === sitekey)
    if (index === -1) throw new EditError(`${file}: has no site ${sitekey}; hv site list names them`)
    if (sites[index]!.secrets.length >= MAX_SECRETS) {
      throw new EditError(`${file}: the site has ${MAX_SECRETS} secrets already; delete those that have ended`)
    }
    const edited = addSecret(text, index, hashSecret(secret), until)
    checkConfig(edited, file, io.env, io.cwd)
    return edited
  })
  io.out(`sitekey: ${sitekey}\nsecret:  ${secret}`)
  io.err(`The older secrets of ${file} are refused from ${formatMoment(until)} on. This one is not shown again.`)
  return 0
})

function parseOverlap(text: string): Seconds {
  const overlap = text === '0s' ? seconds(0) : parseDuration(text)
  if (overlap === undefined || overlap > MAX_OVERLAP) throw new UsageError(`--overlap wants 0s to 90d; got "${text}"`)
  return overlap
}
