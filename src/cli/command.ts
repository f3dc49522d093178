import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import {
  Command,
  type CommandUnknownOpts,
  InvalidArgumentError,
  Option,
} from '@commander-js/extra-typings'
import { parseDuration, parseMoment } from '../domain/time.ts'
import type { EditTarget } from '../settings/edit.ts'
import { parseHostPort } from '../schema/kinds.ts'
import { type Config, configFile, loadConfig } from '../settings/load.ts'
import { parseUrl } from '../domain/parse-url.ts'
import { isAction, type Site } from '../domain/site.ts'
import { type Action, type Seconds, seconds } from '../domain/words.ts'
import type { Log } from '../domain/observing.ts'
import type { Io } from './io.ts'

/** A usage error; the message says what was expected. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Something that could not be done; the message is for the operator. Exit code 1. */
export class Problem extends Error {
  override readonly name = 'Problem'
}

interface Help {
  /** One line for `hv --help`. */
  readonly summary: string
  readonly about: string
  /** Whole lines that can be pasted; at least one. */
  readonly examples: readonly string[]
  /** What exit code 1 says, where it is more than "problems were found, or the command failed". */
  readonly fails?: string
}

/** Begins a command: its help, with examples and exit codes. Options and action follow. */
export function define(
  name: string,
  { summary, about, examples, fails = 'problems were found, or the command failed' }: Help,
): Command {
  const lines = examples.map((line) => `  ${line}`).join('\n')
  return new Command(name)
    .summary(summary)
    .description(about)
    .addHelpText('after', `\nExamples:\n${lines}\n\nExit codes: 0 done; 1 ${fails}; 2 usage error.`)
}

/** Commands that share their first word: `hv site add`, `hv site list`. */
export function group(
  name: string,
  summary: string,
  commands: readonly CommandUnknownOpts[],
): CommandUnknownOpts {
  const parent = new Command(name).description(summary).usage('COMMAND')
  for (const each of commands) parent.addCommand(each)
  return parent
}

export const configOption = () =>
  new Option(
    '--config <FILE>',
    'the configuration: a file, or a folder (config/README.md). Default: HV_CONFIG, else config/config.yaml',
  )

export const jsonOption = () => new Option('--json', 'print JSON for other programs')

/** Prints a result as one line of JSON where `--json` was given, else for people. */
export const print = (io: Io, json: true | undefined, data: unknown, text: () => string): void =>
  io.out(json ? JSON.stringify(data) : text())

/** Commander's required options hide that an option was misspelt. @throws {UsageError} without the option. */
export function given<T>(option: string, value: T | undefined): T {
  if (value === undefined) throw new UsageError(`expected ${option}`)
  return value
}

/** Makes a sentence for the operator of whatever was thrown. @throws {Problem} */
export const orProblem = (error: unknown): never => {
  throw new Problem((error as Error).message)
}

/** Reads a file, or standard input where it is called `-`. @throws {Problem} */
export async function textOf(file: string, { stdin, cwd }: Io): Promise<string> {
  if (file === '-') return readAll(stdin)
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new Problem(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** @throws {ConfigError} */
export const configOf = (option: string | undefined, io: Io): Config =>
  loadConfig(configFile(option, io.env), io.env, io.cwd)

/** The configuration that a command is about to edit. */
export const editTarget = (option: string | undefined, { env, cwd }: Io): EditTarget => ({
  file: configFile(option, env),
  env,
  cwd,
})

/** @throws {UsageError} when the configuration has no site of this sitekey or name. */
export function siteIn({ sites, file }: Config, option: string | undefined): Site {
  const which = given('--site SITEKEY', option)
  const site = sites.find(({ sitekey, name }) => sitekey === which || name === which)
  if (!site) throw new UsageError(`${file} has no site "${which}"`)
  return site
}

const nothing = (): void => {}
/** A silent log, for parts whose answer has what matters. */
export const QUIET: Log = { info: nothing, warn: nothing, error: nothing }

/** Makes a parser of an option's value. What it throws names the option, and is exit code 2. */
const parser =
  <T>(read: (text: string) => T | undefined, expected: string) =>
  (text: string): T => {
    const value = read(text)
    if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`)
    return value
  }

/** A parser of values that fit a pattern. */
export const matching = (pattern: RegExp, expected: string) =>
  parser((text) => (pattern.test(text) ? text : undefined), expected)

export const actionValue = parser(
  (text): Action | undefined => (isAction(text) ? text : undefined),
  '1 to 64 of A-Z a-z 0-9 _ - / .',
)
export const addressValue = parser((text) => (isIP(text) === 0 ? undefined : text), 'an IP address')
export const momentValue = parser(parseMoment, 'a time such as 2027-01-01T00:00:00Z')
export const urlValue = parser((text) => {
  const url = parseUrl(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}, 'an https:// or http:// address')

/** An address to listen on, such as 127.0.0.1:8081. */
export const hostPortOption = <F extends string>(flags: F, description: string) =>
  new Option(flags, description).argParser(
    parser((text) => parseHostPort(text) && text, 'host:port, such as 127.0.0.1:8081'),
  )

const LONGEST_DELAY = 90 * 86_400
const delayValue = parser((text): Seconds | undefined => {
  const delay = text === '0s' ? seconds(0) : parseDuration(text)
  return delay !== undefined && delay <= LONGEST_DELAY ? delay : undefined
}, '0s to 90d')

/** An option of 0s to 90d. */
export const delayOption = <F extends string>(flags: F, description: string, preset: string) =>
  new Option(flags, description).argParser(delayValue).default(delayValue(preset), preset)
