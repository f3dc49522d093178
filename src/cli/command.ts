import { parseArgs } from 'node:util'
import { ConfigError } from '../config/config.ts'
import { formatReport } from '../config/report.ts'
import { EditError } from '../config/edit/replace-file.ts'
import { type UnixSeconds, unixSeconds } from '../domain/words.ts'
import { KeyringError } from '../token/keyring.ts'
import { type Description, type Given, helpText, type Options, synopsis } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import type { Command, Io } from './io.ts'

/** Called wrongly; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What a command does with what it was given. `operands` are as many as its description names. */
type Does<O extends Options> = (options: Given<O>, io: Io, operands: readonly string[]) => Promise<number>

/** Adds to a command what all commands have: `--help`, its options, and a sentence and an exit code for every expected failure. */
export function command<const O extends Options>(description: Description<O>, does: Does<O>): Command {
  return {
    ...description,
    async run(args, io) {
      if (wantsHelp(args)) {
        io.out(helpText(description))
        return EXIT.done
      }
      try {
        const { options, operands } = read(description, args)
        return await does(options, io, operands)
      } catch (error) {
        if (isUsage(error)) {
          io.err(`${sentence(error)}\n\n${synopsis(description)}\nMore with: hv ${description.name} --help`)
          return EXIT.wrongCall
        }
        if (error instanceof ConfigError) io.err(formatReport(error, description.consequence))
        else if (error instanceof EditError || error instanceof KeyringError) io.err(error.message)
        else throw error
        return EXIT.problems
      } finally {
        io.progress?.(undefined)
      }
    },
  }
}

/** Commands that share their first word: `hv site add`, `hv site list`. */
export function group(name: string, summary: string, commands: Readonly<Record<string, Command>>): Command {
  const description: Description = {
    name,
    summary,
    about: Object.values(commands)
      .map((each) => `  hv ${each.name.padEnd(14)} ${each.summary}`)
      .join('\n'),
    options: {},
    operands: ['COMMAND'],
    examples: Object.values(commands).map(({ examples }) => examples[0]!),
  }
  const names = Object.keys(commands)
  const alone = command(description, async (_given, _io, [word]) => {
    throw new UsageError(`hv ${name} has no command "${word}": ${names.join(', ')}`)
  })
  return {
    ...alone,
    commands,
    async run(args, io) {
      const [word, ...rest] = args
      if (word !== undefined && Object.hasOwn(commands, word)) return await commands[word]!.run(rest, io)
      return await alone.run(args, io)
    },
  }
}

const wantsHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).some((each) => each === '--help' || each === '-h')
}

interface Read<O extends Options> {
  readonly options: Given<O>
  readonly operands: readonly string[]
}

function read<O extends Options>({ options, operands = [] }: Description<O>, args: string[]): Read<O> {
  const entries = Object.entries<Options[string]>(options)
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: Object.fromEntries(
      entries.map(([name, { type, multiple, default: preset }]) => [
        name,
        { type, ...(multiple && { multiple }), ...(preset !== undefined && { default: preset }) },
      ]),
    ),
  })
  for (const [name, { required, value, multiple }] of entries) {
    if (required && values[name] === undefined) {
      throw new UsageError(`wants ${multiple ? 'at least one ' : ''}--${name} ${value ?? ''}`.trimEnd())
    }
  }
  const many = operands.at(-1)?.endsWith('…') === true
  const least = operands.filter((name) => !name.startsWith('[')).length
  if (positionals.length < least || (positionals.length > operands.length && !many)) {
    throw new UsageError(operands.length === 0 ? `takes no "${positionals[0]}"` : `wants ${operands.join(' ')}`)
  }
  const absent = entries.map(([name, { type, multiple }]) => [
    name,
    multiple ? [] : type === 'boolean' ? false : undefined,
  ])
  return { options: { ...Object.fromEntries(absent), ...values } as Given<O>, operands: positionals }
}

/** Of `parseArgs`, the first sentence: the others explain how its own rules can be got round. */
const sentence = ({ message }: Error): string => message.split('. To specify ')[0]!

/** Ours, or that of `parseArgs` (an unknown option, a missing value). */
function isUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS')
}

/** The time of a command, read once. */
export const nowOf = ({ now }: Io): UnixSeconds => now?.() ?? unixSeconds(Math.floor(Date.now() / 1000))
