import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration, parseMoment } from '../domain/time.ts'
import type { EditTarget } from '../settings/edit.ts'
import { type Config, configFile, loadConfig } from '../settings/load.ts'
import { parseUrl } from '../domain/parse-url.ts'
import { isAction, type Site } from '../domain/site.ts'
import { type Action, type Seconds, seconds, type UnixSeconds } from '../domain/words.ts'
import type { Log } from '../ports/observing.ts'
import type { Io } from './io.ts'

/** A call that cannot be meant; the message says what was expected. Exit code 2. */
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
  /** What exit code 1 says, where it is more than "problems were found, or it could not be done". */
  readonly fails?: string
}

/** Begins a command: its help, with examples and exit codes. Options and action follow. */
export function define(
  name: string,
  { summary, about, examples, fails = 'problems were found, or it could not be done' }: Help,
): Command {
  const lines = examples.map((line) => `  ${line}`).join('\n')
  return new Command(name)
    .summary(summary)
    .description(about)
    .addHelpText('after', `\nExamples:\n${lines}\n\nExit codes: 0 done; 1 ${fails}; 2 usage error.`)
}

/** Commands that share their first word: `hv site add`, `hv site list`. */
export function group(name: string, summary: string, commands: readonly Command[]): Command {
  const parent = new Command(name).description(summary).usage('COMMAND')
  for (const each of commands) parent.addCommand(each)
  return parent
}

export const configOption = (): Option =>
  new Option(
    '--config <FILE>',
    'the configuration: a file, or a folder (config/README.md). Default: HV_CONFIG, else config/config.yaml',
  )

export const jsonOption = (): Option => new Option('--json', 'print JSON for other programs')

/** Prints a result as JSON where `--json` was given, else for people. */
export const print = (io: Io, json: true | undefined, data: unknown, text: () => string): void =>
  io.out(json ? JSON.stringify(data, undefined, 2) : text())

/** commander's own required options hide that one was misspelt. @throws {UsageError} when the option was not given. */
export function given<T>(option: string, value: T | undefined): T {
  if (value === undefined) throw new UsageError(`expected ${option}`)
  return value
}

export const siteOption = (): Option => new Option('--site <SITEKEY>', 'the sitekey of a site, or its name; required')

/** For an option that may be repeated. */
export const repeated = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value]

/** Reads a file, or standard input where it is called `-`. @throws {Problem} */
export async function textOf(file: string, { stdin, cwd }: Io): Promise<string> {
  if (file === '-') return readAll(stdin)
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new Problem(`${file}: cannot be read: the system says ${(error as NodeJS.ErrnoException).code}`)
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
/** For parts that would log: what matters of them is in the answer. */
export const QUIET: Log = { info: nothing, warn: nothing, error: nothing }

/** Parsers of option values. What they throw names the option, and is exit code 2. */
export function actionValue(text: string): Action {
  if (!isAction(text)) throw new InvalidArgumentError('Expected 1 to 64 of A-Z a-z 0-9 _ - / .')
  return text
}

export function addressValue(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('Expected an IP address.')
  return text
}

export function momentValue(text: string): UnixSeconds {
  const moment = parseMoment(text)
  if (moment === undefined) throw new InvalidArgumentError('Expected a time such as 2027-01-01T00:00:00Z.')
  return moment
}

/** A parser of values that fit a pattern. */
export const matching =
  (pattern: RegExp, expected: string) =>
  (text: string): string => {
    if (!pattern.test(text)) throw new InvalidArgumentError(`Expected ${expected}.`)
    return text
  }

export function urlValue(text: string): URL {
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Expected an https:// or http:// address.')
  return url
}

function hostPortValue(text: string): string {
  const port = /^(?:[^:[\]]+|\[[^\]]+\]):(\d{1,5})$/.exec(text)?.[1]
  if (port === undefined || Number(port) > 65_535)
    throw new InvalidArgumentError('Expected host:port, such as 127.0.0.1:8081.')
  return text
}

/** An address to listen on, such as 127.0.0.1:8081. */
export const hostPortOption = (flags: string, description: string, preset: string): Option =>
  new Option(flags, description).argParser(hostPortValue).default(preset)

const LONGEST_DELAY = 90 * 86_400

function delayValue(text: string): Seconds {
  const delay = text === '0s' ? seconds(0) : parseDuration(text)
  if (delay === undefined || delay > LONGEST_DELAY) throw new InvalidArgumentError('Expected 0s to 90d.')
  return delay
}

/** An option of 0s to 90d. */
export const delayOption = (flags: string, description: string, preset: string): Option =>
  new Option(flags, description).argParser(delayValue).default(delayValue(preset), preset)
