/** What runs until a signal, as it is shipped, on a real terminal (`script`) and behind a pipe. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { newFolder } from '../../support/close-later.ts'
import { hv, PROGRAM, type Program, start } from '../../support/shipped.ts'
import { sleep } from '../../support/process.ts'
import { serve } from '../../support/serve.ts'

const SCRIPT = ['/usr/bin/script', '/bin/script'].find((path) => existsSync(path))

/** Runs Node.js to its end, and this process waits for it. */
const ended = (args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  spawnSync(process.execPath, args, { env, encoding: 'utf8' })

test('hv test-server --json has address, sitekey and secrets for the tests of another program', async () => {
  const [json] = await start(hv('test-server', '--listen', '127.0.0.1:0', '--json')).until(
    /^\{.*\}\n/,
  )
  const { url, secrets } = JSON.parse(json) as {
    url: string
    secrets: { says: string; secret: string }[]
  }
  const { secret } = secrets.find((each) => each.secret.endsWith('low-score'))!
  const body = new URLSearchParams({ secret, response: 'any-text' })
  const answer = await fetch(`${url}/api/v1/siteverify`, { method: 'POST', body })
  expect(await answer.json()).toMatchObject({ success: false, 'error-codes': ['low-score'] })
})

/** Something to log: an empty request. */
const logSomething = (url: string): Promise<Response> =>
  fetch(`${url}/api/v1/siteverify`, { method: 'POST' })
const isThere = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  )
const serviceOf = async (program: Program): Promise<string> =>
  (await program.until(/service +(http:\/\/127\.0\.0\.1:\d+)/))[1]!

test('hv demo behind a pipe hands on the lines of the log as they are', async () => {
  const program = start(hv('demo', '--site-listen', '127.0.0.1:0'), { HV_LISTEN: '127.0.0.1:0' })
  const url = await serviceOf(program)
  await logSomething(url)
  const [line] = await program.until(/^\{"level".*"message":"siteverify".*\}$/m)
  expect(JSON.parse(line)).toMatchObject({ message: 'siteverify', status: 400 })
  program.child.kill('SIGTERM')
  expect(await once(program.child, 'exit')).toEqual([0, null])
  expect(await isThere(url)).toBe(false)
})

test('hv demo needs neither the keyring nor the Redis that the environment names for hv serve', async () => {
  const ofService = { HV_KEYRING: '/nowhere/keyring.json', HV_REDIS_URL: 'redis://127.0.0.1:9' }
  const args = ['demo', '--site-listen', '127.0.0.1:0']
  const url = await serviceOf(start(hv(...args), { HV_LISTEN: '127.0.0.1:0', ...ofService }))
  expect((await fetch(`${url}/health`)).status).toBe(200)
})

test.each(['[::]', '0.0.0.0'])(
  'listeners at %s are named by an address that a browser can open',
  async (every) => {
    const listens = { HV_LISTEN: `${every}:0`, HV_OPS_LISTEN: `${every}:0` }
    const demo = start(hv('demo', '--site-listen', `${every}:0`), listens)
    const service = await serviceOf(demo)
    const [, site] = await demo.until(/site +(http:\/\/127\.0\.0\.1:\d+) /)
    const [, dashboard] = await demo.until(/dashboard +(http:\/\/127\.0\.0\.1:\d+)\n/)
    const page = await fetch(site!)
    const html = await page.text()
    expect(html).toContain(`<script src="${service}/assets/captcha.js?v=1"`)
    expect(html).toContain(`data-api-base="${service}/"`)
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain(`script-src ${service} 'self'; connect-src ${service} 'self'`)
    for (const url of [`${service}/assets/captcha.js?v=1`, dashboard!])
      expect((await fetch(url)).status).toBe(200)

    const [greeting] = await start(hv('test-server', '--listen', `${every}:0`, '--json')).until(
      /^\{.*\}\n/,
    )
    expect(JSON.parse(greeting)).toHaveProperty(
      'url',
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    )
  },
)

describe('exit codes of the real program', () => {
  test.each([
    { code: 0, args: ['check', '--config', 'config/demo.yaml'] },
    { code: 1, args: ['check', '--config', 'test/rooms/settings/bad/numbers.yaml'] },
    { code: 1, args: ['serve', '--config', 'test/rooms/settings/bad/numbers.yaml'] },
    { code: 2, args: ['nonsense'] },
    { code: 2, args: ['demo', '--site-listen', '80'] },
  ])('$code: hv $args', ({ code, args }) => {
    const { status, stdout, stderr } = ended([PROGRAM, ...args])
    expect(status).toBe(code)
    // Data on one stream, explanations on the other, and never a stack.
    expect(code === 0 ? stderr : stdout).toBe('')
    expect(stdout + stderr).not.toContain('    at ')
    expect(stderr).toMatch(code === 1 ? /numbers\.yaml: \d+ errors?/ : /^/)
  })
  // A bug: `npx hv` in a clone said "Permission denied", since npm makes the program executable only once, and builds do not.
  test('the program can be executed as a file, and prints the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' }).stdout).toBe(`${version}\n`)
  })
  test('a reader that has enough ends the program quietly', () => {
    const line = `"${process.execPath}" ${PROGRAM} --help | true`
    expect(spawnSync('bash', ['-o', 'pipefail', '-c', line], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })
})

const taken = await serve((_req, res) => res.end())
test.each([
  ['HV_LISTEN', 'serve --config config/demo.yaml', 'Choose another port: HV_LISTEN='],
  ['HV_OPS_LISTEN', 'serve --config config/demo.yaml', 'Choose another port: HV_OPS_LISTEN='],
  ['', 'demo --site-listen TAKEN', 'npm start -- --site-listen '],
  ['', 'test-server --listen TAKEN', 'Choose another port: --listen '],
])(
  'a port that is taken is named, with the way to another one: %s hv %s',
  (variable, args, way) => {
    const { host } = new URL(taken.url)
    const env = { HV_LISTEN: '127.0.0.1:0', HV_OPS_LISTEN: '127.0.0.1:0', [variable || 'X']: host }
    const { status, stderr } = ended([PROGRAM, ...args.replace('TAKEN', host).split(' ')], env)
    expect(status).toBe(1)
    expect(stderr).toContain(`not started: another program listens on ${host}. `)
    expect(stderr).toContain(way)
  },
)

test.each([
  ['20.18.3', 1],
  ['20.19.0', 0],
  ['22.11.0', 1],
  ['22.12.0', 0],
])(
  'on Node.js %s the program and its build end with %i, and say why in a sentence',
  (version, wanted) => {
    const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`
    for (const [file, verb] of [
      [PROGRAM, 'started'],
      ['src/node-version.cjs', 'built'],
    ] as const) {
      const sentence = `not ${verb}: human-verification needs Node.js ^20.19 || >=22.12; this is ${version}. Install Node.js 24: https://nodejs.org\n`
      const said = { status: wanted, stderr: wanted === 0 ? '' : sentence }
      expect(ended(['--import', pretend, file, '--version'])).toMatchObject(said)
    }
  },
)

;(SCRIPT === undefined ? describe.skip : describe)('on a terminal', () => {
  const onTerminal = (args: readonly string[], env: Record<string, string> = {}): Program =>
    start(
      [SCRIPT!, '-qfec', ['exec', process.execPath, PROGRAM, ...args].join(' '), '/dev/null'],
      env,
    )

  test('hv demo formats its log for people, without colours for NO_COLOR; a closed terminal leaves no process behind', async () => {
    const env = { NO_COLOR: '1', HV_LISTEN: '127.0.0.1:0' }
    const program = onTerminal(['demo', '--site-listen', '127.0.0.1:0'], env)
    const url = await serviceOf(program)
    await logSomething(url)
    await program.until(/^\d\d:\d\d:\d\d \w+ +siteverify 400 /m)
    expect(program.said()).not.toContain('{"level"')
    expect(program.said()).not.toContain('\u001b[')
    program.child.kill('SIGKILL')
    for (
      const end = Date.now() + 20_000;
      Date.now() < end && (await isThere(url));
      await sleep(100)
    );
    expect(await isThere(url)).toBe(false)
  }, 90_000)
})

/** Mounting is root's. */
const asRoot = process.getuid?.() === 0 ? test : test.skip
asRoot.each([
  [PROGRAM, 'keygen --keyring FOLDER/keyring.json'],
  [PROGRAM, 'site add --hostname shop.example.com --config FOLDER/config.yaml'],
  [PROGRAM, 'pass keygen --out FOLDER/pass-key.json'],
  ['packages/gate/dist/main.js', 'keygen FOLDER/gate-key.json'],
])('after a full disk %s %s succeeds where there is room again', (program, args) => {
  const folder = newFolder()
  const command = `${process.execPath} ${program} ${args.replace('FOLDER', folder)}`
  const script = `mount -t tmpfs -o size=64k none ${folder} || exit 10
    head -c 100000 /dev/zero >${folder}/all 2>/dev/null
    ${command} && exit 11
    rm ${folder}/all
    ls -A ${folder} | grep . && exit 12
    ${command} || exit 13`
  const { status, stdout } = spawnSync('unshare', ['--mount', 'sh', '-c', script], {
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, expect.any(String)])
})
