/** A reader of the log that is slow or gone neither stops nor slows the service: real processes, real pipes and files. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { newFolder } from '../../support/close-later.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { freePort } from '../../support/ports.mjs'
import { CONFIG, sleep } from '../../support/process.ts'

const PROGRAM = join(import.meta.dirname, '../../../dist/main.js')
const folder = newFolder()
let child: ChildProcess
afterEach(() => void child.kill('SIGKILL'))

async function start(stdout: number): Promise<string> {
  const port = await freePort()
  const file = join(folder, 'config.yaml')
  writeFileSync(file, JSON.stringify({ ...CONFIG, listen: `127.0.0.1:${port}` }))
  child = spawn(process.execPath, [PROGRAM, 'serve', '--config', file], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', stdout, 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => expect((await fetch(`${url}/health`)).ok).toBe(true))
  return url
}

/** Sends requests sixteen at a time, each of which logs a line of some 200 bytes. */
async function ask(url: string, times: number): Promise<void> {
  const ofNothing = async (): Promise<void> => {
    const answer = await fetch(`${url}/nothing`)
    expect(answer.status).toBe(404)
    await answer.arrayBuffer()
  }
  for (let done = 0; done < times; done += 16)
    await Promise.all(Array.from({ length: 16 }, ofNothing))
}
async function ends(): Promise<number> {
  child.kill('SIGTERM')
  const [code] = (await once(child!, 'close')) as [number]
  return code
}

/** A pipe that is not read unless it is asked to be. */
function pipe(): { readonly end: number; readonly reader: number } {
  const path = join(mkdtempSync(join(folder, 'pipe-')), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, end: openSync(path, constants.O_WRONLY) }
}
describe('the service answers and exits with code 0', () => {
  const ASKED = 7008
  test('when the pipe is not read; later the buffered lines arrive in order, and lost lines are counted', async () => {
    const { end, reader } = pipe()
    const url = await start(end)
    closeSync(end)
    // 64 KiB in the pipe and 1 MiB in memory hold some 5,000 lines.
    await ask(url, ASKED)
    let text = ''
    const reading = new Socket({ fd: reader }).setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    for (
      const until = Date.now() + 15_000;
      Date.now() < until && !text.includes('log lines lost');
      await sleep(20)
    )
      await ask(url, 16)
    const read = once(reading, 'end')
    expect(await ends()).toBe(0)
    await read
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines[0]).toMatchObject({ message: 'listening' })
    const lost = lines.filter(({ message }) => message === 'log lines lost')
    const sum = lost.reduce(
      (total, { detail }) => total + Number(/^(\d+) could not/.exec(String(detail))![1]),
      0,
    )
    expect(sum).toBeGreaterThan(100)
    const requests = lines.filter(({ message }) => message === 'other').length
    expect(requests + sum).toBeGreaterThanOrEqual(ASKED)
  }, 180_000)

  test.each<[string, () => number]>([
    [
      'the reader of the pipe is gone',
      () => {
        const { end, reader } = pipe()
        closeSync(reader)
        return end
      },
    ],
    ['the disk is full', () => openSync('/dev/full', 'w')],
  ])('when %s', async (_when, output) => {
    await ask(await start(output()), 200)
    expect(await ends()).toBe(0)
  })
})
