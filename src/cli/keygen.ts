import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makeFolder, replaceFile } from '../config/edit/replace-file.ts'
import { formatMoment } from '../config/checks/secrets.ts'
import { parseDuration } from '../domain/time.ts'
import { type Seconds, later, seconds, unixSeconds } from '../domain/words.ts'
import { type Jwk, newKey, readKeyringFile } from '../token/keyring.ts'
import { retire } from '../token/retire.ts'
import { UsageError, command, nowOf } from './command.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import type { Io } from './io.ts'
import { settings } from './settings.ts'

const MAX_DELAY = 90 * 86_400

/** `hv keygen`: a new key in front of the keyring's. */
export const keygen = command(
  {
    name: 'keygen',
    summary: 'adds a signing key and makes it active',
    about: `Adds a signing key and makes it active; the older ones only open tokens from now on. Keys that can no longer open
anything (75 minutes after a newer one became active) are removed. A file that does not exist is created, readable
by its owner alone.`,
    options: {
      keyring: {
        type: 'string',
        value: 'FILE',
        says: "the keyring. Left out: HV_KEYRING, else the configuration's",
      },
      'active-in': {
        type: 'string',
        value: 'TIME',
        default: '0s',
        says: '0s to 90d: until then the key only opens, so that every process can learn it before one seals',
      },
      ...CONFIG,
      ...JSON_OUTPUT,
    },
    examples: ['hv keygen --keyring config/keyring.json', 'hv keygen --active-in 10m'],
    consequence: 'no key was made',
  },
  async (values, io) => {
    const delay = parseDelay(values['active-in'])
    const path = keyringPath(values, io)
    const now = nowOf(io)
    const key = newKey(later(now, delay))
    let gone: readonly Jwk[] = []
    if (!existsSync(path)) makeFolder(dirname(path))
    replaceFile(path, 0o600, () => {
      const { live, retired } = retire(existsSync(path) ? readKeyringFile(path) : [], now)
      gone = retired
      return `${JSON.stringify({ keys: [key, ...live] }, undefined, 2)}\n`
    })
    const activeFrom = formatMoment(unixSeconds(key.nbf))
    if (values.json) {
      io.out(
        JSON.stringify({ keyring: path, kid: key.kid, active_from: activeFrom, taken_out: gone.map(({ kid }) => kid) }),
      )
      return EXIT.done
    }
    io.out(`${path}: key ${key.kid}, active from ${activeFrom} on`)
    for (const { kid } of gone) io.out(`${path}: key ${kid} removed; nothing that it sealed can still be accepted`)
    return EXIT.done
  },
)

function keyringPath({ keyring, config }: { keyring: string | undefined; config: string | undefined }, io: Io): string {
  const path = keyring ?? io.env.HV_KEYRING
  if (path !== undefined) return resolve(io.cwd, path)
  const { keyring: configured, file } = settings(config, io)
  if (configured === undefined)
    throw new UsageError(`${file} names no keyring: name one with --keyring or HV_KEYRING, or in the file`)
  return configured
}

function parseDelay(text: string): Seconds {
  const delay = text === '0s' ? seconds(0) : parseDuration(text)
  if (delay === undefined || delay > MAX_DELAY) throw new UsageError(`--active-in wants 0s to 90d; got "${text}"`)
  return delay
}
