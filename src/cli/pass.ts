import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { LONGEST_PASS } from '../claims/pass.ts'
import { type Hostname, later, seconds, type Sitekey } from '../domain/words.ts'
import { type PrivatePassKey, signPass } from '../tokens/passes.ts'
import {
  actionValue,
  define,
  given,
  group,
  jsonOption,
  matching,
  print,
  Problem,
  urlValue,
  UsageError,
} from './command.ts'
import type { Io } from './io.ts'

/** `hv pass …`: vouches for a visitor. */
export const passCommand = (io: Io) =>
  group('pass', 'vouch for a visitor', [keygenCommand(io), issueCommand(io)])

const DEFAULT_FILE = 'pass-key.json'

const keygenCommand = (io: Io) =>
  define('keygen', {
    summary: "make the key pair of a site's passes",
    about: `Writes a private key to a file that only its owner can read, and prints the public key as the setting of a site. The private key makes passes: it stays with you, and no server of the service needs it.`,
    examples: ['hv pass keygen', 'hv pass keygen --out /etc/shop/pass-key.json'],
    fails: 'the file exists, or cannot be written',
  })
    .option(
      '--out <FILE>',
      'the file of the private key; an existing file is never overwritten',
      DEFAULT_FILE,
    )
    .addOption(jsonOption())
    .action(({ out, json }) => {
      const file = resolve(io.cwd, out)
      const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
      const key = { kty: 'OKP', crv: 'Ed25519', kid: randomBytes(6).toString('base64url'), x }
      createFile(file, `${JSON.stringify({ ...key, d }, undefined, 2)}\n`)
      print(io, json, { file, public_key: key }, () => `pass_keys: [${JSON.stringify(key)}]`)
      io.err(`${file}: the private key; the public one goes to the site in the configuration`)
    })

/** Creates a file that only its owner can read. A full disk leaves no part of it behind. @throws {Problem} */
function createFile(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') rmSync(file, { force: true })
    throw new Problem(`${file}: cannot be created (${code})`)
  }
}

const issueCommand = (io: Io) =>
  define('issue', {
    summary: 'vouch for one visitor: print a link that lets a form through once',
    about: `Makes a pass with the private key of "hv pass keygen" and prints the link of the page with it. Whoever has the link gets through the form once, whatever the score: hand it to the person you vouch for. Nothing is asked over the network, nothing is stored, and no configuration is needed.`,
    examples: [
      'hv pass issue --site hv_site_AbCdEfGh --url https://shop.example.com/sign-up --action sign-up',
      'hv pass issue --key /etc/shop/pass-key.json --site hv_site_AbCdEfGh --url https://shop.example.com/contact --action contact --minutes 120 --json',
    ],
    fails: 'the key cannot be used',
  })
    .option('--key <FILE>', 'the private key', DEFAULT_FILE)
    .option(
      '--site <SITEKEY>',
      'the sitekey; required',
      matching(/^hv_site_[A-Za-z0-9_-]{8,64}$/, 'a sitekey, hv_site_ and 8 to 64 more characters'),
    )
    .option(
      '--url <ADDRESS>',
      'the page with the form; its hostname must be one of the site’s; required',
      urlValue,
    )
    .option('--action <ACTION>', 'the data-action of the form; required', actionValue)
    .option(
      '--minutes <N>',
      'how long the pass lives, 1 to 1440',
      matching(/^[1-9][0-9]{0,3}$/, '1 to 1440'),
      '30',
    )
    .addOption(jsonOption())
    .action(async ({ key, minutes, json, ...options }) => {
      const sitekey = given('--site SITEKEY', options.site) as Sitekey
      const page = given('--url ADDRESS', options.url)
      const action = given('--action ACTION', options.action)
      const life = seconds(Number(minutes) * 60)
      if (life > LONGEST_PASS) throw new UsageError('--minutes: expected 1 to 1440')
      const issuedAt = io.now()
      const expiresAt = later(issuedAt, life)
      const claims = { action, hostname: page.hostname as Hostname, issuedAt, expiresAt }
      const pass = await signPass(claims, sitekey, readKey(resolve(io.cwd, key)))
      page.hash = `hv=${pass}`
      print(io, json, { link: page.href, pass, expires_at: expiresAt }, () => page.href)
      if (!json) io.err(`for one visitor, once, within ${minutes} minutes`)
    })

/** @throws {Problem} when others can read the file, or it holds no private key of passes. */
function readKey(file: string): PrivatePassKey {
  const refuse = (says: string): never => {
    throw new Problem(`${file}: ${says}`)
  }
  try {
    const { mode } = statSync(file)
    if (process.platform !== 'win32' && (mode & 0o007) !== 0)
      refuse(`others on this machine can read the private key; run: chmod o-rwx ${file}`)
    const key = JSON.parse(
      readFileSync(file, 'utf8').replace(/^\uFEFF/, ''),
    ) as Partial<PrivatePassKey> | null
    const { kty, crv, kid, x, d } = key ?? {}
    if (
      kty === 'OKP' &&
      crv === 'Ed25519' &&
      typeof kid === 'string' &&
      typeof x === 'string' &&
      typeof d === 'string'
    )
      return { kty, crv, kid, x, d }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== undefined) refuse(`cannot be read (${code}); make one with: hv pass keygen`)
    if (!(error instanceof SyntaxError)) throw error
  }
  return refuse('expected a private key as hv pass keygen writes it')
}
