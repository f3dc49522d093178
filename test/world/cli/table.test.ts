/** One table is behind `hv help`, `--help` and docs/operate/commands.md; and its exit codes are those of real processes. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { help, TABLE } from '../../../src/cli/commands.ts'
import { type Description, helpText } from '../../../src/cli/describe.ts'
import { EXIT, EXIT_MEANS } from '../../../src/cli/exit-codes.ts'

const leaves: Description[] = TABLE.flatMap((row) => Object.values(row.commands ?? [row]))
/** The program that is shipped, without a terminal. */
const hv = (...args: string[]) =>
  spawnSync(process.execPath, ['dist/main.js', ...args], { encoding: 'utf8', timeout: 20_000 })

describe.each(leaves.map((each) => [each.name, each] as const))('hv %s', (name, description) => {
  test('has a help that fits a terminal, with examples and exit codes', () => {
    const text = helpText(description)
    expect(text).toMatch(new RegExp(`^hv ${name}`))
    expect(text).toMatch(new RegExp(`^  (\\S+ )*.*hv ${name}`, 'm'))
    expect(text).toMatch(/^Exit codes: 0 done; 1 .+; 2 called wrongly\.$/m)
    expect(text.split('\n').filter((line) => line.length > 132)).toEqual([])
    // A default that is empty is left out.
    expect(text).not.toContain('(default )')
  })
  test('every example uses options that are there', () => {
    for (const example of description.examples) {
      for (const [, option] of example.matchAll(/ --([a-z-]+)/g))
        expect(Object.keys(description.options)).toContain(option)
    }
  })
})

describe('exit codes of the real program', () => {
  test.each([
    { code: EXIT.done, args: ['check', '--config', 'config/demo.yaml'] },
    { code: EXIT.done, args: ['help'] },
    { code: EXIT.done, args: ['help', 'site', 'add'] },
    { code: EXIT.done, args: ['--version'] },
    { code: EXIT.done, args: ['serve', '--help'] },
    { code: EXIT.problems, args: ['check', '--config', 'test/rooms/config/bad/numbers.yaml'] },
    { code: EXIT.problems, args: ['serve', '--config', 'test/rooms/config/bad/numbers.yaml'] },
    { code: EXIT.wrongCall, args: ['check', '--confg'] },
    { code: EXIT.wrongCall, args: ['serve', 'extra'] },
    { code: EXIT.wrongCall, args: ['nonsense'] },
    { code: EXIT.wrongCall, args: ['help', 'nonsense'] },
    { code: EXIT.wrongCall, args: ['constructor'] },
    { code: EXIT.wrongCall, args: ['site', '__proto__'] },
  ])('$code: hv $args', ({ code, args }) => {
    const { status, stdout, stderr } = hv(...args)
    expect(status).toBe(code)
    // Data on one stream, explanations on the other, and never a stack.
    expect(code === EXIT.done ? stderr : stdout).toBe('')
    expect(stdout + stderr).not.toContain('    at ')
  })
  test('each is in docs/operate/commands.md', () => {
    expect(EXIT_MEANS.map(([code]) => code)).toEqual(Object.values(EXIT))
  })
  // A bug: `npx hv` in a clone said "Permission denied", since npm makes the program executable only once, and builds do not.
  test('the program can be executed as a file', () => {
    expect(spawnSync('dist/main.js', ['--version'], { encoding: 'utf8' }).status).toBe(0)
  })
  test('hv --version is the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(hv('--version').stdout).toBe(`${version}\n`)
  })
})

test('hv help names all but what is hidden', () => {
  for (const { name, hidden } of leaves) expect(help().includes(`  hv ${name} `)).toBe(hidden !== true)
})
