/** What the products and the clients of this folder share: their installation, and the service behind TLS. */
import { type ChildProcess, execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { closeLater, newFolder } from '../support/close-later.ts'
import { findProgram, needProgram } from '../support/programs.mjs'
import { ROOT } from '../support/root.ts'

const FOLDER = join(ROOT, 'build/products')
export const PYTHON = join(FOLDER, 'python')
export const MODULES = join(FOLDER, 'node_modules')
/** Gitea's captcha package in a program, built from the folder `gitea`. */
export const GITEA = join(FOLDER, 'gitea')

const run = (command: string, args: string, cwd = import.meta.dirname): void =>
  void execFileSync(command, args.split(' '), { stdio: 'pipe', cwd })

/** Builds Gitea's captcha package, where there is a Go. */
export function buildGitea(): void {
  const go = findProgram('go')
  if (go !== undefined) run(go, `build -o ${GITEA} .`, join(import.meta.dirname, 'gitea'))
}

/** Installs what the two lists of this folder name, below `build`. */
export function installProducts(): void {
  const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const list = textOf(join(import.meta.dirname, 'requirements.txt'))
  const wheels = [...list.matchAll(/^[^#=]+==[^\n]+$/gm)].length
  const there = existsSync(PYTHON)
    ? readdirSync(PYTHON).filter((each) => each.endsWith('.dist-info')).length
    : 0
  if (there !== wheels)
    run(
      'python3',
      `-m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --upgrade --target ${PYTHON} -r requirements.txt`,
    )
  const lock = 'package-lock.json'
  const isInstalled = textOf(join(FOLDER, lock)) === textOf(join(import.meta.dirname, lock))
  if (isInstalled && existsSync(MODULES)) return
  run('cp', `package.json package-lock.json ${FOLDER}`)
  run('npm', `ci --prefix ${FOLDER} --ignore-scripts --no-audit --no-fund`)
}

/** Where the front listens, and under which names. */
interface Place {
  readonly address: string
  readonly port: number
  readonly names: readonly string[]
}
const HERE: Place = { address: '127.0.0.1', port: 0, names: ['localhost'] }

/** Starts the service behind TLS, as products need it that take a hostname only. */
export async function startFront(service: string, { address, port, names } = HERE) {
  const folder = newFolder()
  const [cert, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const alternatives = names.map((name) => `DNS:${name}`).join(',')
  const made = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=${names[0]} -addext subjectAltName=${alternatives} -keyout ${key} -out ${cert}`
  execFileSync(needProgram('openssl'), made.split(' '), { stdio: 'pipe' })
  const front = { origin: '', cert, isAway: false }
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (req, res) => {
    const { url = '', method, headers } = req
    if (front.isAway && url.endsWith('/siteverify')) return void res.destroy()
    const passedOn = request(service + url, { method, headers }, (given) => {
      res.writeHead(given.statusCode!, given.headers)
      given.pipe(res)
    })
    passedOn.on('error', () => res.destroy())
    req.pipe(passedOn)
  })
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  closeLater(server, (it) => {
    it.close()
    it.closeAllConnections()
  })
  front.origin = `https://${names[0]}:${(server.address() as AddressInfo).port}`
  return front
}

/** Waits until a program prints a line like this. @throws {Error} with all that it printed, when it ends first. */
export function untilPrinted(child: ChildProcess, line: RegExp): Promise<void> {
  let printed = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        if (line.test(printed)) resolve()
      })
    child.once('close', (code) => reject(new Error(`it ended with ${code}: ${printed}`)))
  })
}

/** Environment variables with which Node.js, Python and Go take the front's certificate. */
export const trusting = (cert: string) => ({
  SSL_CERT_FILE: cert,
  REQUESTS_CA_BUNDLE: cert,
  NODE_EXTRA_CA_CERTS: cert,
})
