import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { DEMO_SITEKEY } from './credentials.ts'
import { curlLine } from './site.ts'

interface Start {
  /** The `hv` program: `dist/main.js`. */
  readonly program: string
  readonly config: string
  /** Where the demonstration site listens: `127.0.0.1:8081`. */
  readonly siteListen: string
  readonly env: NodeJS.ProcessEnv
  readonly out: (text: string) => void
  /** How a line of the service's log is shown. */
  readonly logLine: (line: string) => string
  /** Resolves when it is to end: Ctrl-C, SIGTERM. */
  readonly stopped: Promise<void>
}

/**
 * `npm start`: the service and the demonstration site, two processes and two origins, until Ctrl-C.
 *
 * @returns the exit code: 0 after a clean end, 1 when one of them could not start or ended by itself.
 */
export async function startDemo({ program, config, siteListen, env, out, logLine, stopped }: Start): Promise<number> {
  const children: ChildProcess[] = []
  const run = (...args: string[]): ChildProcess => {
    // A group of its own, so that Ctrl-C reaches us alone and we end both in order. The channel closes when we are killed:
    // then the child ends by itself.
    const child = spawn(process.execPath, [program, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      detached: true,
      windowsHide: true,
    })
    children.push(child)
    return child
  }
  const endAll = (): Promise<number[]> => Promise.all(children.map(end))
  process.once('exit', () => children.forEach((child) => child.exitCode ?? child.kill('SIGKILL')))

  const service = run('serve', '--config', config)
  let site: ChildProcess | '' | undefined
  const show = (line: string): void => {
    out(logLine(line))
    // So that the page of the result can say what the score was made of.
    if (site && site.connected && line.includes('"decision"')) site.send(line)
  }
  const serviceUrl = await urlOf(service, show)
  site = serviceUrl && run('demo-site', '--service', serviceUrl, '--listen', siteListen)
  const siteUrl = site && (await urlOf(site, show))
  if (!serviceUrl || !site || !siteUrl) {
    await endAll()
    return 1
  }

  out(`
  human-verification is running

    demonstration site   ${siteUrl}    open this, fill in the form, submit it
    service              ${serviceUrl}
    demo sitekey         ${DEMO_SITEKEY}

  Then use the submitted token a second time; it answers timeout-or-duplicate:

    ${curlLine(serviceUrl, `"response=$(curl -s ${siteUrl}/last-token)"`)}

  Ctrl-C ends both. The service's log follows.
`)
  const ended = Promise.race(
    [service, site].map((child) => new Promise<number>((resolve) => child.once('exit', () => resolve(1)))),
  )
  const code = await Promise.race([stopped.then(() => 0), ended])
  const codes = await endAll()
  return code === 0 && codes.every((each) => each === 0) ? 0 : 1
}

/** What a child says when it listens, in either form of the log (`log_format`). */
const LISTENING = /"message":"listening".*?"url":"([^"]+)"|^\S+ info +listening\b.*? url=(\S+)/

/** The address a child says it listens on; everything else it says is passed on. */
function urlOf(child: ChildProcess, show: (line: string) => void): Promise<string | undefined> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const match = LISTENING.exec(line)
      if (match) resolve(match[1] ?? match[2])
      else show(line)
    })
    child.once('exit', () => resolve(undefined))
  })
}

function end(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode ?? 1)
    child.once('exit', (code) => resolve(code ?? 1))
    child.kill('SIGTERM')
  })
}
