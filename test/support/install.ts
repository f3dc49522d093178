/**
 * Jest's globalSetup: the real programs that the tests run against are there, or are installed, or one sentence says
 * what is missing. Nothing is skipped. CONTRACT.md, section 1, `npm test`.
 *
 * Imports nothing of ours: Jest loads this file before its own module loader is up.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'

interface Program {
  /** As distributions call it; the first one found is used. */
  readonly names: readonly string[]
  /** The Debian package that brings it; or several, with spaces between. */
  readonly package: string
  /** For a library, which is no program: the file that shows that it is there. */
  readonly file?: string
  /** Tests that lack it say so and are skipped; it is installed where that is possible, and never demanded. */
  readonly optional?: boolean
  /** Looked for and installed by `npm run test:examples` alone: `npm test` needs no other languages. */
  readonly only?: 'examples' | 'drop-in' | 'deploy'
}

export const PROGRAMS = {
  redis: { names: ['redis-server', 'valkey-server'], package: 'redis-server' },
  chromium: { names: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  haproxy: { names: ['haproxy'], package: 'haproxy' },
  firefox: { names: ['firefox-esr', 'firefox'], package: 'firefox-esr' },
  nginx: { names: ['nginx'], package: 'nginx-light' },
  openssl: { names: ['openssl'], package: 'openssl' },
  phpRecaptcha: {
    names: [],
    package: 'php-google-recaptcha',
    file: '/usr/share/php/ReCaptcha/autoload.php',
    only: 'drop-in',
  },
  zsh: { names: ['zsh'], package: 'zsh', optional: true },
  fish: { names: ['fish'], package: 'fish', optional: true },
  caddy: { names: ['caddy'], package: 'caddy', only: 'deploy' },
  prometheus: { names: ['prometheus'], package: 'prometheus', only: 'deploy' },
  promtool: { names: ['promtool'], package: 'prometheus', only: 'deploy' },
  systemdAnalyze: { names: ['systemd-analyze'], package: 'systemd', only: 'deploy' },
  ip: { names: ['ip'], package: 'iproute2', optional: true },
  curl: { names: ['curl'], package: 'curl', only: 'examples' },
  jq: { names: ['jq'], package: 'jq', only: 'examples' },
  php: { names: ['php'], package: 'php-cli php-curl', only: 'examples' },
  python: { names: ['python3'], package: 'python3', only: 'examples' },
  go: { names: ['go'], package: 'golang-go', only: 'examples' },
  ruby: { names: ['ruby'], package: 'ruby', only: 'examples' },
  java: { names: ['java'], package: 'default-jdk-headless', only: 'examples' },
  javac: { names: ['javac'], package: 'default-jdk-headless', only: 'examples' },
} as const satisfies Record<string, Program>

export type ProgramName = keyof typeof PROGRAMS

/** @returns the absolute path of a program, or undefined. Looks in `sbin` too, which a user's PATH may lack. */
export function findProgram(name: ProgramName): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin'].filter(Boolean)
  const { names, file }: Program = PROGRAMS[name]
  if (file !== undefined && existsSync(file)) return file
  for (const program of names) {
    const found = folders.map((folder) => join(folder, program)).find(isExecutable)
    if (found) return found
  }
  return undefined
}

/** @throws {Error} when it is not there; `npm test` would have installed it. */
export function needProgram(name: ProgramName): string {
  const found = findProgram(name)
  if (found === undefined) throw new Error(advice([name]))
  return found
}

export default async function install(): Promise<void> {
  ensurePrograms((Object.keys(PROGRAMS) as ProgramName[]).filter((name) => rowOf(name).only === undefined))
  const url = process.env['REDIS_URL']
  if (url !== undefined) await reach(url)
}

/** Finds these, or installs them. @throws {Error} with one sentence when one that is needed is not to be had. */
export function ensurePrograms(names: readonly ProgramName[]): void {
  const missing = names.filter((name) => findProgram(name) === undefined)
  if (missing.length > 0) installPackages(missing)
}

const rowOf = (name: ProgramName): Program => PROGRAMS[name]

/**
 * From the distribution's packages, and only as root on Debian or Ubuntu. Debian starts a Redis on 6379 when it
 * installs the package; our tests use free ports of their own, so it neither helps nor harms.
 */
function installPackages(missing: readonly ProgramName[]): void {
  const isRoot = process.getuid?.() === 0
  const needed = missing.filter(isNeeded)
  if (!isRoot || !apt('--version')) {
    if (needed.length > 0) throw new Error(advice(needed))
    return
  }
  const packages = packagesOf(missing)
  console.log(`npm test installs ${packages.join(', ')} from the distribution's packages`)
  // Without a network the lists may still be good enough.
  apt('update', '-q')
  apt('install', '-y', '-q', '--no-install-recommends', ...packages)
  const still = needed.filter((name) => findProgram(name) === undefined)
  if (still.length > 0) throw new Error(advice(still))
}

const isNeeded = (name: ProgramName): boolean => rowOf(name).optional !== true

const packagesOf = (names: readonly ProgramName[]): string[] => [
  ...new Set(names.flatMap((name) => PROGRAMS[name].package.split(' '))),
]

/** @returns whether it went well; what went wrong, it says itself. */
function apt(...args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0
}

function advice(missing: readonly ProgramName[]): string {
  const wanted = missing.map((name) => PROGRAMS[name].names.join(' or ') || PROGRAMS[name].package)
  const packages = packagesOf(missing)
  return `npm test needs ${wanted.join(', ')} on PATH; on Debian or Ubuntu: apt-get install ${packages.join(' ')}`
}

/** @throws {Error} when nobody listens where REDIS_URL points; the url holds a secret and is not repeated. */
function reach(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379), timeout: 2000 })
    const refuse = (): void => {
      socket.destroy()
      reject(new Error('REDIS_URL is set, but no Redis answers there: start it, or unset REDIS_URL'))
    }
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', refuse)
    socket.once('timeout', refuse)
  })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
