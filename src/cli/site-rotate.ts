import { resolve } from 'node:path'
import { addSecret } from '../config/edit.ts'
import { checkConfig, configFile } from '../config/load.ts'
import { readText } from '../config/read.ts'
import { EditError, replaceFile } from '../config/replace-file.ts'
import { formatMoment, hashSecret } from '../config/secrets.ts'
import { parseDuration } from '../domain/time.ts'
import { later, seconds, type Seconds } from '../domain/words.ts'
import { UsageError, command, nowOf } from './command.ts'
import { newSecret } from './credentials.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'

const MAX_OVERLAP = 90 * 86_400
/** As in the schema: more would not load. */
const MAX_SECRETS = 8

/** `hv site rotate`: a new secret beside the old ones, which then get an end. */
export const siteRotate = command(
  {
    name: 'site rotate',
    summary: 'gives a site a second secret; the older ones get an end',
    about: `Gives a site a second secret and prints it, once. The old ones stay valid for the overlap: time to put the new one
on the customer's servers. Comments, order and formatting of the file stay.`,
    operands: ['SITEKEY'],
    options: {
      overlap: {
        type: 'string',
        value: 'TIME',
        default: '2h',
        says: '0s to 90d. 0s ends the old secrets at once, for one that got known',
      },
      ...CONFIG,
      ...JSON_OUTPUT,
    },
    examples: [
      'hv site rotate hv_site_AbCdEfGhIjKlMnOpQrStUv',
      'hv site rotate hv_site_AbCdEfGhIjKlMnOpQrStUv --overlap 7d',
    ],
    consequence: 'nothing was changed',
  },
  async ({ overlap, config, json }, io, [sitekey = '']) => {
    const until = later(nowOf(io), parseOverlap(overlap))

    const file = configFile(config, io.env)
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
    if (json) {
      io.out(JSON.stringify({ sitekey, secret, file, older_until: formatMoment(until) }))
      return EXIT.done
    }
    io.out(`sitekey: ${sitekey}\nsecret:  ${secret}`)
    io.err(`The older secrets of ${file} are refused from ${formatMoment(until)} on. This one is not shown again.`)
    return EXIT.done
  },
)

function parseOverlap(text: string): Seconds {
  const overlap = text === '0s' ? seconds(0) : parseDuration(text)
  if (overlap === undefined || overlap > MAX_OVERLAP) throw new UsageError(`--overlap wants 0s to 90d; got "${text}"`)
  return overlap
}
