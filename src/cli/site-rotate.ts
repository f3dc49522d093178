import { writeSecret } from '../config/edit/edit-sites.ts'
import { formatMoment, hashSecret } from '../config/checks/secrets.ts'
import { parseDuration } from '../domain/time.ts'
import { later, seconds, type Seconds } from '../domain/words.ts'
import { UsageError, command, nowOf } from './command.ts'
import { newSecret } from './credentials.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import { settingsToEdit } from './settings.ts'

const MAX_OVERLAP = 90 * 86_400

/** `hv site rotate`: a new secret beside the old ones, which then get an end. */
export const siteRotate = command(
  {
    name: 'site rotate',
    summary: 'adds a secret to a site; older ones expire after the overlap',
    about: `Gives a site a second secret and prints it, once. The old ones stay valid for the overlap: time to put the new one
on the customer's servers. Comments, order and formatting of the file stay.`,
    operands: ['SITEKEY'],
    options: {
      overlap: {
        type: 'string',
        value: 'TIME',
        default: '2h',
        says: '0s to 90d. 0s ends the old secrets at once, for one that leaked',
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

    const secret = newSecret()
    const place = settingsToEdit(config, io)
    const file = writeSecret(place, sitekey, hashSecret(secret), until)
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
