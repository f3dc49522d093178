import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { configFile, loadConfig } from '../config/load.ts'
import { replaceFile } from '../config/replace-file.ts'
import { formatMoment } from '../config/secrets.ts'
import { parseDuration } from '../domain/time.ts'
import { type Seconds, later, seconds, unixSeconds } from '../domain/words.ts'
import { type Jwk, newKey, readKeyringFile } from '../token/keyring.ts'
import { retire } from '../token/retire.ts'
import { UsageError, command, nowOf } from './command.ts'
import type { Io } from './io.ts'

const usage = `hv keygen [--keyring FILE] [--active-in 0s] [--config FILE]

Adds a signing key and makes it active; the older ones only open tokens from now on. Keys that can no longer open
anything (75 minutes after a newer one became active) are taken out. A file that does not exist is made, readable by
its owner alone. Without --keyring: HV_KEYRING, else the configuration's keyring.

  --active-in 10m   0s to 90d: until then the key only opens, so that every process can learn it before one seals

  hv keygen --keyring config/keyring.json
  hv keygen --active-in 10m`

const MAX_DELAY = 90 * 86_400

/** `hv keygen`: a new key in front of the keyring's. */
export const keygen = command({ usage, consequence: 'no key was made' }, async (args, io) => {
  const { values } = parseArgs({
    args,
    options: {
      keyring: { type: 'string' },
      'active-in': { type: 'string', default: '0s' },
      config: { type: 'string' },
    },
  })
  const delay = parseDelay(values['active-in'])
  const path = keyringPath(values, io)
  const now = nowOf(io)
  const key = newKey(later(now, delay))
  let gone: readonly Jwk[] = []
  replaceFile(path, 0o600, () => {
    const { kept, retired } = retire(existsSync(path) ? readKeyringFile(path) : [], now)
    gone = retired
    return `${JSON.stringify({ keys: [key, ...kept] }, undefined, 2)}\n`
  })
  io.out(`${path}: key ${key.kid}, active from ${formatMoment(unixSeconds(key.nbf))} on`)
  for (const { kid } of gone) io.out(`${path}: key ${kid} taken out; nothing that it sealed can still be accepted`)
  return 0
})

function keyringPath({ keyring, config }: { keyring?: string; config?: string }, io: Io): string {
  const named = keyring ?? io.env.HV_KEYRING
  if (named !== undefined) return resolve(io.cwd, named)
  const { keyring: configured, file } = loadConfig(configFile(config, io.env), io.env, io.cwd)
  if (configured === undefined) throw new UsageError(`${file} names no keyring: name one with --keyring`)
  return configured
}

function parseDelay(text: string): Seconds {
  const delay = text === '0s' ? seconds(0) : parseDuration(text)
  if (delay === undefined || delay > MAX_DELAY) throw new UsageError(`--active-in wants 0s to 90d; got "${text}"`)
  return delay
}
