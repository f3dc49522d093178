/** docs/operate/operations.md: its commands run as they stand there, its alarms have an answer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { loadConfig } from '../../../src/config/load.ts'
import { CONFIG, type ServiceProcess, SITEKEY, startService } from '../../support/process.ts'
import { ROOT } from '../../world/deploy/root.ts'

const FILE = join(ROOT, 'docs/operate/operations.md')
const page = (): string => readFileSync(FILE, 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'hv-operations-'))
let service: ServiceProcess | undefined
afterAll(async () => {
  await service?.kill()
  rmSync(folder, { recursive: true, force: true })
})

test('every alarm has a name in the table of docs/operate/metrics.md, and what to do', () => {
  const text = readFileSync(join(ROOT, 'deploy/observability/alarms.yml'), 'utf8')
  const { groups } = parse(text) as { groups: { rules: { alert: string }[] }[] }
  const alarms = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
  const table = readFileSync(join(ROOT, 'docs/operate/metrics.md'), 'utf8').split('## Alarms')[1]!.split('\n## ')[0]!
  const answered = [...table.matchAll(/^\| [^|]*?`(Hv\w+)`.* \| ([^|]{10,}) \|$/gm)].map(([, name]) => name!)
  expect(answered.toSorted()).toEqual(alarms.toSorted())
  expect([...page().matchAll(/`(Hv\w+)`/g)].filter(([, name]) => !alarms.includes(name!))).toEqual([])
})

test('the four incidents have a card', () => {
  for (const heading of ['Redis is down', 'A flood', 'The generation moved', 'Nobody verifies'])
    expect(page()).toContain(`\n### ${heading}\n`)
})

async function hv(args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/main.js'), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
  })
  let said = ''
  child.stdout.on('data', (text: Buffer) => (said += String(text)))
  child.stderr.on('data', (text: Buffer) => (said += String(text)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

test('every command runs as it stands there, in the order of the page', async () => {
  const file = join(folder, 'config.yaml')
  writeFileSync(file, JSON.stringify({ ...CONFIG, keyring: 'keyring.json' }, undefined, 2))
  expect((await hv(['keygen', '--config', 'config.yaml'])).code).toBe(0)
  service = await startService({ at: file, keyring: join(folder, 'keyring.json') })
  const commands = [...page().matchAll(/^ *npx hv (.*)$|`npx hv (.*?)`/gm)].map(
    ([, block, inline]) => (block ?? inline)!,
  )
  expect(commands.length).toBeGreaterThanOrEqual(8)
  for (const command of commands) {
    const args = command.replace('SITEKEY', SITEKEY).replace('https://verify.example.com', service.url).split(' ')
    const { code, said } = await hv(args)
    expect({ command, said, code }).toMatchObject({ code: 0 })
    expect(said.trim()).not.toBe('')
  }
  const { sites } = loadConfig(file, {}, folder)
  expect(sites.map(({ hostnames }) => hostnames)).toHaveLength(2)
  const { keys } = JSON.parse(readFileSync(join(folder, 'keyring.json'), 'utf8')) as { keys: unknown[] }
  expect(keys).toHaveLength(3)
}, 90_000)
