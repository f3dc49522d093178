/** The scripts are sourced by the shells they are for, and asked as a person asks: with a line and the Tab key. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { findProgram } from '../../support/programs.mjs'

const folder = mkdtempSync(join(tmpdir(), 'hv-completion-'))
const ENV = { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb' }

beforeAll(async () => {
  mkdirSync(join(folder, 'work'))
  writeFileSync(join(folder, 'work', 'my config.yaml'), '')
  for (const shell of ['bash', 'zsh', 'fish']) {
    let script = ''
    const io = { out: (text: string) => void (script += `${text}\n`), err: () => {}, env: {}, cwd: folder }
    expect(await COMMANDS['completion']!.run([shell], io)).toBe(0)
    writeFileSync(join(folder, `hv.${shell}`), script)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (program: string, ...args: string[]): string[] =>
  execFileSync(program, args, { cwd: join(folder, 'work'), env: ENV, encoding: 'utf8', timeout: 15_000 })
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const SHELLS: Record<string, (words: readonly string[]) => string[]> = {
  bash: (words) =>
    run(
      'bash',
      '--norc',
      '-euc',
      'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hv; printf "%s\\n" "${COMPREPLY[@]}"',
      '-',
      join(folder, 'hv.bash'),
      'hv',
      ...words,
    ),
  fish: (words) =>
    run('fish', '--no-config', '-c', `source ${join(folder, 'hv.fish')}; complete -C "hv ${words.join(' ')}"`).map(
      (line) => line.split('\t')[0]!,
    ),
  // zsh completes in its line editor alone: a terminal of its own, a Tab, and what it draws.
  zsh: (words) =>
    run(
      'zsh',
      '-f',
      join(import.meta.dirname, 'shells', 'press-tab.zsh'),
      join(folder, 'hv.zsh'),
      `hv ${words.join(' ')}`,
    )
      .join(' ')
      .split(/\s+/),
}

// zsh and fish are installed where that is possible (test/support/programs.mjs), and shown as skipped where it is not.
describe.each(Object.keys(SHELLS))('%s', (shell) => {
  const there = shell === 'bash' || findProgram(shell as 'zsh' | 'fish') !== undefined
  const check = there ? test : test.skip
  const offered = (...words: string[]): string[] => SHELLS[shell]!(words)

  check('offers the commands, and of a group the second word', () => {
    expect(offered('')).toEqual(expect.arrayContaining(['serve', 'check', 'site', 'keygen', 'help']))
    expect(offered('')).not.toContain('demo-site')
    expect(offered('site', '')).toEqual(expect.arrayContaining(['add', 'rotate', 'list']))
    expect(offered('site', '')).not.toContain('serve')
  })
  check('offers the options of the command, and no others', () => {
    const options = offered('site', 'rotate', '--')
    expect(options).toEqual(expect.arrayContaining(['--overlap', '--config', '--json', '--help']))
    expect(options).not.toContain('--hostname')
  })
  check('offers files, with spaces in their names, where an option wants one', () => {
    const files = offered('check', '--config', '')
    expect(files.join(' ').replaceAll('\\', '')).toContain('my config.yaml')
    expect(files).not.toContain('--json')
  })
  check('offers the shells to hv completion', () => {
    expect(offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  })
})

test('another shell is a wrong call', async () => {
  let said = ''
  const io = { out: () => {}, err: (text: string) => void (said += text), env: {}, cwd: folder }
  expect(await COMMANDS['completion']!.run(['tcsh'], io)).toBe(2)
  expect(said).toContain('hv completion knows bash, zsh, fish; got "tcsh"')
})
