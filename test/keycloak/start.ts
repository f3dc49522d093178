/** Keycloak as its project publishes it, in its development mode, with our provider as Maven packages it. */
import { execFile, spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { closeLater, newFolder } from '../support/close-later.ts'
import { freePort } from '../support/ports.mjs'
import { needProgram } from '../support/programs.mjs'
import { ROOT } from '../support/root.ts'

const PACKAGE = join(ROOT, 'packages/keycloak')
const JAR = 'human-verification-keycloak.jar'
const USER = 'admin'
const PASSWORD = 'correct horse'

const run = promisify(execFile)

/** Starts Keycloak's program in its folder, which ends with the tests of the file. @returns the address, once it listens. */
async function startServer(home: string): Promise<string> {
  const port = await freePort()
  const env = {
    ...process.env,
    KC_BOOTSTRAP_ADMIN_USERNAME: USER,
    KC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx640m',
  }
  const args = ['start-dev', '--http-host=127.0.0.1', `--http-port=${port}`]
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(join(home, 'bin/kc.sh'), args, { env, stdio: [...stdio], detached: true })
  closeLater(child.pid!, (pid) => process.kill(-pid, 'SIGKILL'))
  const said: string[] = []
  const lines = createInterface(child.stdout!)
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      said.push(line)
      if (line.includes('Listening on:')) resolve()
    })
    lines.once('close', () => reject(new Error(`Keycloak ended: ${said.join('\n')}`)))
  })
  return `http://localhost:${port}`
}

export type Keycloak = Awaited<ReturnType<typeof startKeycloak>>

/** Builds the provider as docs/start/keycloak.md says. @returns its file. */
async function built(): Promise<string> {
  await run(needProgram('maven'), ['-q', '-B', 'package'], { cwd: PACKAGE })
  return join(PACKAGE, 'target', JAR)
}

/** @param provider the file of the provider; built here if omitted. */
export async function startKeycloak(provider?: string) {
  const home = join(newFolder(), 'keycloak')
  cpSync(dirname(dirname(needProgram('keycloak'))), home, { recursive: true })
  cpSync(provider ?? (await built()), join(home, 'providers', JAR))
  const url = await startServer(home)

  /** Asks Keycloak's administration as its console does. @throws {Error} for any status but 2xx. */
  async function admin<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const client = { client_id: 'admin-cli', grant_type: 'password' }
    const given = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ username: USER, password: PASSWORD, ...client }),
    })
    const { access_token: token } = (await given.json()) as { access_token: string }
    const answer = await fetch(`${url}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }

  return {
    url,
    admin,
    /** Runs a command of kcadm.sh, which logs in as the administrator first. */
    async kcadm(...words: readonly string[]): Promise<void> {
      const [program, own] = [join(home, 'bin/kcadm.sh'), ['--config', join(home, 'kcadm.json')]]
      const who = ['--server', url, '--realm', 'master', '--user', USER, '--password', PASSWORD]
      await run(program, ['config', 'credentials', ...who, ...own])
      await run(program, [...words, ...own])
    },
  }
}
