import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { doctor } from './doctor.ts'
import { fetchedFileOf, fetchLists, readFetched } from './fetched-lists.ts'
import { GUEST_LISTS, LIST_NAMES } from './guest-lists.ts'
import { withNewKey } from './keys.ts'
import { SettingsError } from './problems.ts'
import { readSettings, warningsOf } from './read-settings.ts'
import { replayFile } from './replay.ts'
import { serve } from './serve.ts'
import { onReloadSignal, stopSignal } from './process-signals.ts'
import { trial } from './trial.ts'

const USAGE = `hv-gate: protects whole sites with the human-verification service

  hv-gate serve  [--config FILE]     answers the checks of your proxies (SIGTERM ends, SIGHUP reloads)
  hv-gate check  [--config FILE]     reads the configuration, hv-gate.yaml in this folder, and names every mistake
  hv-gate keygen FILE                makes the key file, or puts a new key first and keeps two older ones
  hv-gate doctor URL [--echo PATH]   examines a protected page; PATH: an open one that shows the headers it got
  hv-gate try URL                    says which rule decides: [--as GUEST or AGENT] [--from ADDRESS] [--method GET] [--header "name: value"]
  hv-gate replay ACCESS.LOG          says who would be let in, asked and refused: [--host NAME] of a log whose lines name none
  hv-gate lists show NAME            prints the guests of a list, and what lets each in: ${LIST_NAMES.join(', ')}
  hv-gate lists fetch                gets the ranges that operators publish, into hv-gate-lists.json beside the configuration

Exit codes: 0 no problem found; 1 problems were found; 2 usage error; 70 internal error.`

const EXIT = { done: 0, problems: 1, usage: 2, defect: 70 } as const
type Print = (line: string) => void
type Run = (operands: readonly string[], options: Options, out: Print) => Promise<number> | number

const OPTIONS = {
  config: { type: 'string', default: 'hv-gate.yaml' },
  echo: { type: 'string' },
  as: { type: 'string' },
  from: { type: 'string' },
  method: { type: 'string', default: 'GET' },
  header: { type: 'string', multiple: true, default: [] as string[] },
  host: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const
type Options = ReturnType<typeof parse>['values']
const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS })

interface Command {
  /** The number of its operands. */
  readonly operands: number
  readonly run: Run
}
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: { operands: 0, run: (_operands, { config }) => untilSignal(config) },
  check: { operands: 0, run: (_operands, { config }, out) => check(config, out) },
  keygen: { operands: 1, run: ([file]) => keygen(file!) },
  doctor: { operands: 1, run: ([url], options, out) => examine(url!, options, out) },
  try: { operands: 1, run: ([url], options, out) => tryOut(url!, options, out) },
  replay: { operands: 1, run: ([log], options, out) => replayLog(log!, options, out) },
  'lists show': { operands: 1, run: ([name], { config }, out) => show(name!, config, out) },
  'lists fetch': { operands: 0, run: (_operands, { config }, out) => fetchAll(config, out) },
}

/** Runs a command line. @returns the exit code. */
export async function run(args: readonly string[], out: Print, err: Print): Promise<number> {
  try {
    const { values, positionals } = parse(args)
    const words = positionals[0] === 'lists' ? 2 : 1
    const name = positionals.slice(0, words).join(' ')
    const operands = positionals.slice(words)
    if (values.help === true) {
      out(USAGE)
      return EXIT.done
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (command?.operands === operands.length) return await command.run(operands, values, out)
    err(USAGE)
    return EXIT.usage
  } catch (error) {
    return reportFailure(error, err)
  }
}

/** Says what ended a command. @returns its exit code. */
function reportFailure(error: unknown, err: Print): number {
  const { code, message, stack } = error as NodeJS.ErrnoException
  const isExpected = error instanceof SettingsError || error instanceof SyntaxError
  if (!isExpected && code === undefined) {
    err(`internal error, please report it: ${stack}`)
    return EXIT.defect
  }
  err(message)
  return code?.startsWith('ERR_PARSE_ARGS') ? EXIT.usage : EXIT.problems
}

function check(file: string, out: Print): number {
  const settings = readSettings(file)
  for (const warning of warningsOf(settings)) out(`warning: ${warning}`)
  const { length } = settings.gates
  out(`${file}: no errors, ${length === 1 ? '1 gate' : `${length} gates`}`)
  return EXIT.done
}

/** Writes the key file so that a reader sees the old or the new one, and only the owner can read either. */
function keygen(file: string): number {
  const text = withNewKey(existsSync(file) ? readFileSync(file, 'utf8') : undefined)
  // A crash leaves a part of the file behind, and so would a full disk.
  rmSync(`${file}.new`, { force: true })
  try {
    writeFileSync(`${file}.new`, text, { mode: 0o600, flag: 'wx' })
    renameSync(`${file}.new`, file)
  } finally {
    rmSync(`${file}.new`, { force: true })
  }
  return EXIT.done
}

function tryOut(url: string, { config, as, from, method, header }: Options, out: Print): number {
  if (!URL.canParse(url))
    throw new SettingsError(`${url}: expected an address such as https://www.example.com/`)
  const lines = trial(url, { as, from, method, headers: header }, readSettings(config))
  for (const line of lines) out(line)
  return EXIT.done
}

async function replayLog(log: string, { config, host }: Options, out: Print): Promise<number> {
  for (const line of await replayFile(log, host, readSettings(config))) out(line)
  return EXIT.done
}

/** Prints a list as it is in force: with the ranges that were fetched. */
function show(name: string, config: string, out: Print): number {
  if (!Object.hasOwn(GUEST_LISTS, name))
    throw new SettingsError(`no such list; there are: ${LIST_NAMES.join(', ')}`)
  const { about, date, guests } = GUEST_LISTS[name as keyof typeof GUEST_LISTS]
  const fetched = readFetched(fetchedFileOf(config))
  out(about)
  for (const guest of guests) {
    out(`\n${guest.name}`)
    out(`  source     ${guest.source}`)
    if (guest.note !== undefined) out(`  note       ${guest.note}`)
    out(`  opens      ${JSON.stringify(guest.when)}`)
    if (guest.needsPath)
      out('  needs      a rule with "guest" and a path: anybody can have it call any path')
    if (guest.hosts) out(`  hosts      confirmed both ways below ${guest.hosts.join(', ')}`)
    const { ranges, date: day } = fetched[guest.name] ?? { ranges: guest.ranges, date }
    if (ranges)
      out(`  ranges     of ${day}: ${ranges.join(' ') || 'none; run: hv-gate lists fetch'}`)
  }
  return EXIT.done
}

async function fetchAll(config: string, out: Print): Promise<number> {
  const results = await fetchLists(fetchedFileOf(config))
  for (const { name, says, isGood } of results)
    out(`  ${isGood ? 'good' : 'fix '}  ${name.padEnd(16)}  ${says}`)
  return results.every(({ isGood }) => isGood) ? EXIT.done : EXIT.problems
}

async function examine(url: string, { echo, config }: Options, out: Print): Promise<number> {
  const findings = await doctor(url, echo)
  // Where it is run beside the configuration.
  if (existsSync(config))
    for (const warning of warningsOf(readSettings(config))) out(`  note  ${warning}`)
  for (const { check: name, saw, advice } of findings) {
    out(`  ${advice === undefined ? 'good' : 'fix '}  ${name.padEnd(32)}  ${saw}`)
    if (advice !== undefined) out(`        → ${advice}`)
  }
  return findings.some(({ advice }) => advice !== undefined) ? EXIT.problems : EXIT.done
}

async function untilSignal(config: string): Promise<number> {
  const stopped = stopSignal()
  const gate = await serve(config, (line) => process.stdout.write(line))
  onReloadSignal(gate.reload)
  await stopped
  await gate.stop()
  return EXIT.done
}
