/**
 * The recipes of docs/contribute/recipes.md, followed in a copy of the repository: each example touches the files of its
 * table and no other, the generators write the files that the recipe names, and then types, house rules and the tests
 * that the recipe names pass. Those of browsers and of several processes are left to the tiers that have them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ROOT } from '../../world/deploy/root.ts'
import { type Changes, COMMAND, LOCALE, METRIC, SCORE_RULE, SITEVERIFY_FIELD } from './changes.ts'

const RECIPES: readonly (readonly [heading: string, Changes])[] = [
  ['Add a score rule', SCORE_RULE],
  ['Add a field to siteverify', SITEVERIFY_FIELD],
  ['Add a metric', METRIC],
  ['Add a command', COMMAND],
  ['Add a locale', LOCALE],
]

const copy = mkdtempSync(join(tmpdir(), 'hv-recipes-'))
const page = readFileSync(join(ROOT, 'docs/contribute/recipes.md'), 'utf8')
const sectionOf = (heading: string): string => page.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!

/** Files and folders of the table; a name without a folder lies beside the one before it. */
function filesOf(section: string): string[] {
  const rows = [...section.matchAll(/^\| \d+ \| ([^|]+) \|/gm)]
  return rows.flatMap(([, cell]) => {
    let folder = ''
    return [...cell!.matchAll(/`([^`]+)`/g)].map(([, path]) => {
      if (path!.includes('/')) folder = dirname(path!)
      return path!.includes('/') || !folder ? path! : join(folder, path!)
    })
  })
}

/** Tests of the recipe that need neither a browser nor other programs. */
const testsOf = (section: string): string[] =>
  [...section.matchAll(/npm run test:only -- ([^\n#]+)/g)]
    .flatMap(([, paths]) => paths!.trim().split(' '))
    .filter((path) => !/^test\/(?:browser|world)\//.test(path))

/** Runs a program in the copy, and gives the lines that it wrote to its standard output. @throws {Error} with all it said. */
async function run(program: string, ...args: string[]): Promise<string[]> {
  const { NODE_OPTIONS: _ours, JEST_WORKER_ID: _worker, ...env } = process.env
  const child = spawn(program, args, { cwd: copy, env: { ...env, HV_BUILD: 'no' }, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, all] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => ((out += text), (all += text)))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (all += text))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${code}\n${all.slice(-8000)}`)
  return out.split('\n').filter(Boolean)
}

function follow(changes: Changes): void {
  for (const [file, each] of Object.entries(changes)) {
    const path = join(copy, file)
    let text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    for (const [anchor, becomes] of each) {
      if (!anchor.test(text)) throw new Error(`${file} has no ${String(anchor)}: the example is out of date`)
      text = text.replace(anchor, becomes as string)
    }
    writeFileSync(path, text)
  }
}

beforeAll(async () => {
  const listed = spawn('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  let files = ''
  listed.stdout.setEncoding('utf8').on('data', (text: string) => (files += text))
  await once(listed, 'close')
  for (const file of files.split('\n').filter((each) => each && existsSync(join(ROOT, each)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(ROOT, file), join(copy, file), { verbatimSymlinks: true })
  }
  cpSync(join(ROOT, 'dist'), join(copy, 'dist'), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  // Tests of pages ask git which files there are.
  writeFileSync(join(copy, '.gitignore'), `${readFileSync(join(ROOT, '.gitignore'), 'utf8')}\nnode_modules\n`)
  await run('git', 'init', '--quiet')
})
afterAll(() => rmSync(copy, { recursive: true }))

test('has an example for every recipe', () => {
  expect([...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(RECIPES.map(([heading]) => heading))
})

test.each(RECIPES)(
  '%s: touches the files of its table, and generates those it names',
  async (heading, changes) => {
    const section = sectionOf(heading)
    const listed = filesOf(section)
    const isListed = (file: string): boolean =>
      listed.some((each) => file === each || (each.endsWith('/') && file.startsWith(each)))
    expect(Object.keys(changes).filter((file) => !isListed(file))).toEqual([])

    follow(changes)
    await run('npx', 'prettier', '--write', '--log-level', 'warn', ...Object.keys(changes))
    const wrote = (await run('node', 'docs/make/make.mjs')).map((line) => line.replace('wrote ', ''))
    const [, named = ''] = /^npm run docs +# (.+)$/m.exec(section) ?? []
    expect(wrote.map((file) => file.slice(file.lastIndexOf('/') + 1)).filter((file) => !named.includes(file))).toEqual(
      [],
    )
    expect(wrote.length > 0).toBe(named !== '')
  },
  60_000,
)

test('then the types fit', async () => {
  expect(await run('npx', 'tsc', '--build')).toEqual([])
}, 240_000)

test('then the house rules and the tests that the recipes name pass', async () => {
  const tests = new Set(RECIPES.flatMap(([heading]) => testsOf(sectionOf(heading))))
  expect(tests.size).toBeGreaterThan(5)
  await expect(run('node', 'test/run.mjs', ...tests)).resolves.toBeDefined()
}, 480_000)
