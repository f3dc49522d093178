/** Signals while a program is still being loaded from a slow disk, and to everything that `npm start` has started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { closeLater, newFolder } from '../../support/close-later.ts'
import { gateFiles } from '../../support/gate.ts'
import { CONFIG, sleep } from '../../support/process.ts'
import { ROOT } from '../../support/root.ts'

const SLOW = ['--import', join(ROOT, 'test/support/slow-modules.mjs')]
const HV = join(ROOT, 'dist/main.js')
const GATE = join(ROOT, 'packages/gate/dist/main.js')
/** Makes its command PID 1, as the main process of a container is. */
const AS_FIRST = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']

function start(command: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const here = join(newFolder(), 'here')
  const child = spawn(command[0]!, command.slice(1), {
    cwd: ROOT,
    env: {
      ...process.env,
      HV_OPS_LISTEN: '127.0.0.1:0',
      HV_LISTEN: '127.0.0.1:0',
      MODULES_HERE: here,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  closeLater(child, async (it) => {
    it.kill('SIGKILL')
    await ended
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  return {
    pid: child.pid!,
    ended,
    said: () => said,
    loadModules: () => writeFileSync(here, ''),
    async until(text: RegExp): Promise<RegExpExecArray> {
      for (const end = Date.now() + 50_000; Date.now() < end; await sleep(20)) {
        const found = text.exec(said)
        if (found) return found
      }
      throw new Error(`never said ${text.source}: ${said}`)
    },
  }
}

function configFile(): string {
  const file = join(newFolder(), 'config.yaml')
  writeFileSync(file, JSON.stringify(CONFIG))
  return file
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)

const isThere = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

/** PID namespaces are root's. */
const asRoot = process.getuid?.() === 0 ? test : test.skip

describe('while the modules are loading', () => {
  test.each([
    { code: 0, args: [HV, 'serve', '--config', configFile()] },
    { code: 0, args: [HV, 'demo'] },
    { code: 0, args: [HV, 'test-server'] },
    { code: 143, args: [HV, 'doctor', '--help'] },
    { code: 0, args: [GATE, 'serve', '--config', gateFiles('http://127.0.0.1:9', {}, {})] },
    { code: 143, args: [GATE, 'doctor', 'http://127.0.0.1:9'] },
  ])('SIGTERM ends $args.1 of $args.0 with $code', async ({ code, args }) => {
    const program = start([process.execPath, ...SLOW, ...args])
    await program.until(/modules are loading/)
    process.kill(program.pid, 'SIGTERM')
    expect(await program.ended).toEqual([code, null])
  })

  test.each([
    {
      name: 'hv',
      args: [HV, 'serve', '--config', configFile()],
      reloaded: /nothing has changed|reloaded/,
    },
    {
      name: 'hv-gate',
      args: [GATE, 'serve', '--config', gateFiles('http://127.0.0.1:9', {}, {})],
      reloaded: /reloaded/,
    },
  ])(
    'SIGHUP ends $name serve no more than later: it reloads once it listens',
    async ({ args, reloaded }) => {
      const program = start([process.execPath, ...SLOW, ...args])
      await program.until(/modules are loading/)
      process.kill(program.pid, 'SIGHUP')
      program.loadModules()
      await program.until(/listening/)
      await program.until(reloaded)
      process.kill(program.pid, 'SIGTERM')
      expect(await program.ended).toEqual([0, null])
    },
  )

  asRoot.each([
    { name: 'hv', args: [HV, 'serve', '--config', configFile()] },
    { name: 'hv-gate', args: [GATE, 'serve', '--config', gateFiles('http://127.0.0.1:9', {}, {})] },
  ])('SIGTERM ends $name serve as PID 1 too', async ({ args }) => {
    const program = start([...AS_FIRST, process.execPath, ...SLOW, ...args])
    await program.until(/modules are loading/)
    process.kill(childrenOf(program.pid)[0]!, 'SIGTERM')
    expect(await program.ended).toEqual([0, null])
  })
})

asRoot('SIGTERM ends the script of the image as PID 1, while it makes a first key', async () => {
  const folder = newFolder()
  const node = 'echo "runs $*"; while [ ! -e "$MODULES_HERE" ]; do sleep 0.05; done'
  writeFileSync(join(folder, 'node'), `#!/bin/sh\n${node}\n`, { mode: 0o755 })
  const script = start([...AS_FIRST, '/bin/sh', join(ROOT, 'deploy/image/start.sh'), 'serve'], {
    PATH: `${folder}:${process.env['PATH']}`,
    SITE_HOSTNAME: 'shop.example.com',
    HV_KEYRING: join(folder, 'keyring.json'),
    HV_CONFIG: join(folder, 'config.yaml'),
  })
  await script.until(/runs .*keygen/)
  process.kill(childrenOf(script.pid)[0]!, 'SIGTERM')
  script.loadModules()
  expect(await script.ended).toEqual([0, null])
  expect(script.said()).not.toMatch(/runs .*(site|serve)/)
})

test.each(['start', 'dev'])(
  'SIGTERM to npm run %s ends everything that it has started',
  async (script) => {
    const npm = start(['npm', 'run', script, '--', '--site-listen', '127.0.0.1:0'], {
      HV_BUILD: 'no',
    })
    const [, url] = await npm.until(/service +(http:\/\/127\.0\.0\.1:\d+)/)
    const family = [npm.pid]
    for (const pid of family) family.push(...childrenOf(pid))
    // `dev` also has the compiler and the program that watches; it may just be at its first compilation.
    expect(family.length).toBeGreaterThanOrEqual(3)
    process.kill(npm.pid, 'SIGTERM')
    await npm.ended
    for (const end = Date.now() + 20_000; Date.now() < end && family.some(isRunning);)
      await sleep(50)
    expect(family.filter(isRunning)).toEqual([])
    expect(await isThere(`${url!}/health`)).toBe(false)
  },
)

/** Reports whether a process runs; one that has ended may still wait for its parent. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
