/** What a user without the repository has: the files of a release, an empty folder, loopback. */
import { execFileSync, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { obtainToken } from '../../src/doctor/visitor.ts'
import { launch } from '../support/chromium.ts'
import { closeLater, newFolder } from '../support/close-later.ts'
import { freePort } from '../support/ports.mjs'
import { needProgram } from '../support/programs.mjs'
import { ROOT } from '../support/root.ts'
import { post } from '../support/visitor.ts'

const OUT = join(ROOT, 'build/release')

/** Makes this part of the release, unless `HV_RELEASE` is `made`: then all is there, as the workflow of a release tests it. */
export function makeRelease(part: 'packages' | 'image' | 'deb' | 'keycloak'): void {
  if (process.env['HV_RELEASE'] === 'made') return
  const env = { ...process.env, HV_BUILD: 'no' }
  execFileSync('npm', ['run', '--silent', 'release', '--', part], { cwd: ROOT, env, stdio: 'pipe' })
}

/** The files of the release with this name, as absolute paths. @throws {Error} when there is none. */
export function released(name: RegExp): string[] {
  const found = readdirSync(OUT).filter((file) => name.test(file))
  if (found.length === 0) throw new Error(`build/release has no ${name}`)
  return found.map((file) => join(OUT, file))
}

/** The only line of README.md's quick start that has this: one of its doors. */
export function door(part: string): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, section = ''] = /^## Quick start$([^]*?)^## /m.exec(readme)!
  const blocks = [...section.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block]) => block!)
  const [line, ...others] = blocks
    .flatMap((block) => block.split('\n'))
    .filter((each) => each.includes(part))
  if (line === undefined || others.length > 0) throw new Error(`README.md: not one ${part}`)
  return line.replace(/ +#.*/, '')
}

export const output = (
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): string => execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe', ...options })

/**
 * Starts a program that serves on `HV_LISTEN`, and waits until it answers.
 *
 * @param command of the port of the service and of a second one.
 */
export async function starts(
  command: (port: number, other: number) => readonly string[],
  options: SpawnOptions = {},
  fixedPort?: number,
) {
  const port = fixedPort ?? (await freePort())
  const other = await freePort()
  const [program, ...args] = command(port, other)
  const env = {
    PATH: process.env['PATH'],
    HV_LISTEN: `127.0.0.1:${port}`,
    HV_OPS_LISTEN: '127.0.0.1:0',
    ...options.env,
  }
  // Its own process group, since npx and unshare start their command as a child.
  const child = spawn(program!, args, {
    ...options,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream!.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  const ended = once(child, 'close')
  closeLater(child, async ({ pid, exitCode, signalCode }) => {
    if (exitCode === null && signalCode === null) process.kill(-pid!, 'SIGKILL')
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  const answers = () => fetch(`${url}/health`).then(({ status }) => status < 500, () => false) // prettier-ignore
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url,
    other: `http://127.0.0.1:${other}`,
    /** Sends SIGTERM to its process group. @returns the last line of the log. */
    async stop(): Promise<string> {
      process.kill(-child.pid!, 'SIGTERM')
      await ended
      return said.trim().split('\n').at(-1)!
    },
  }
}

/** What `hv site add` printed; its site also accepts the visitor below, who has no browser and so no score. */
export function siteIn(config: string, printed: string) {
  appendFileSync(config, '    score_threshold: 0\n')
  const [sitekey, secret] = [/hv_site_\S+/.exec(printed)![0], /hv_secret_\S+/.exec(printed)![0]]
  return { sitekey, secret }
}

export const tokenOf = (url: string, sitekey: string, action: string): Promise<string> =>
  obtainToken(new URL(url), { origin: 'http://127.0.0.1', sitekey, action })

/** A whole visit by the doctor's visitor: the token is accepted once. */
export async function expectVisit(
  url: string,
  { sitekey, secret }: ReturnType<typeof siteIn>,
): Promise<void> {
  const response = await tokenOf(url, sitekey, 'sign-up')
  const verify = async () =>
    (await post(`${url}/api/v1/siteverify`, { secret, response, action: 'sign-up' })).body
  expect(await verify()).toMatchObject({
    success: true,
    hostname: '127.0.0.1',
    action: 'sign-up',
    'error-codes': [],
  })
  expect(await verify()).toEqual({ success: false, 'error-codes': ['timeout-or-duplicate'] })
}

type Into = readonly [program: string, ...args: string[]]
let namespaces = 0

/** Makes a network of loopback alone: its ports are free, and a command that needs another network fails. */
function loopbackOnly(): Into {
  const name = `hv${process.pid}door${++namespaces}`
  output('ip', ['netns', 'add', name])
  closeLater(name, () => output('ip', ['netns', 'del', name]))
  output('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  return ['ip', 'netns', 'exec', name]
}

/** Copies connections of 127.0.0.1 to another address, port by port, as the proxy of Docker does for `-p PORT:PORT`. */
const FORWARD = `const { createServer, connect } = require('node:net')
const [address, ...ports] = process.argv.slice(1)
for (const pair of ports) {
  const [port, to] = pair.split(':')
  createServer((from) => {
    const into = connect(Number(to), address)
    from.pipe(into).pipe(from)
    for (const [one, other] of [[from, into], [into, from]]) one.on('error', () => other.destroy())
  }).listen(Number(port), '127.0.0.1', () => console.log(pair))
}`

/**
 * Makes the two networks of a container that runs apart from its host, as under Docker Desktop.
 *
 * @param ports as `docker run -p` takes them: `8080:8080`, that of the host first.
 */
async function forwarded(ports: readonly string[]): Promise<{ host: Into; container: Into }> {
  const [host, container] = [loopbackOnly(), loopbackOnly()]
  const [at, inside] = [host.at(-1)!, container.at(-1)!]
  const pair = `type veth peer name eth0 netns ${inside}`.split(' ')
  output('ip', ['-n', at, 'link', 'add', 'eth0', ...pair])
  for (const [name, address] of [
    [at, '10.88.0.1'],
    [inside, '10.88.0.2'],
  ] as const) {
    output('ip', ['-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0'])
    output('ip', ['-n', name, 'link', 'set', 'eth0', 'up'])
  }
  const [ip, ...into] = host
  const forwarder = spawn(ip, [...into, process.execPath, '-e', FORWARD, '10.88.0.2', ...ports], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  closeLater(forwarder, (it) => void it.kill())
  for (let said = ''; said.trim().split('\n').length < ports.length || said === '';)
    said += String((await once(forwarder.stdout, 'data'))[0])
  return { host, container }
}

/**
 * Runs a command of README.md with nothing set but PATH and HOME, and looks at the page that it names
 * with a browser of the same network.
 *
 * @param command as it stands in README.md, or what does the same with the files of this release.
 * @param published the ports of a container, in whose own network the command then runs: the browser has only these.
 */
export async function expectDemo(
  command: readonly string[],
  cwd: string,
  published?: readonly string[],
): Promise<void> {
  const alone = published ? undefined : loopbackOnly()
  const networks = alone ? { host: alone, container: alone } : await forwarded(published!)
  const [ip, ...into] = networks.container
  const child = spawn(ip, [...into, ...command], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  closeLater(child, async ({ pid, exitCode, signalCode }) => {
    if (exitCode === null && signalCode === null) process.kill(-pid!, 'SIGKILL')
    await ended
  })
  let said = ''
  const site = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        const [, url] = /^ +demonstration site +(\S+)/m.exec(said) ?? []
        if (url !== undefined) resolve(url)
      })
    child.once('close', (code) => reject(new Error(`it ended with ${code}: ${said}`)))
  })
  const wrapper = join(newFolder(), 'chromium')
  const chromium = [...networks.host, needProgram('chromium')].join(' ')
  writeFileSync(wrapper, `#!/bin/sh\nexec ${chromium} "$@"\n`, { mode: 0o755 })
  const page = await (await launch([], [], wrapper)).newPage()
  await page.goto(site)
  await page.locator('.svc-captcha .box').waitFor()
  // The page shows how the service scored the token that its widget got; a driven browser is refused.
  const token = await page.evaluate<string>('svcCaptcha.execute()')
  await page.evaluate(`document.body.innerHTML = '<form method="post" action="/sign-up">' +
    '<input name="svc-response" value="${token}"><button>Send</button></form>'`)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('What the score was made of').waitFor()
  process.kill(-child.pid!, 'SIGTERM')
  await ended
}
