/** One option of a command: what `parseArgs`, `--help` and docs/operate/commands.md read. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  readonly required?: true
  readonly default?: string
  /** What stands for its value: `FILE`. Left out with a boolean. */
  readonly value?: string
  /** A line or two for people: unit, range, and what happens when it is left out. */
  readonly says: string
}

export type Options = Readonly<Record<string, Option>>

type Value<O extends Option> = O extends { type: 'boolean' }
  ? boolean
  : O extends { multiple: true }
    ? readonly string[]
    : O extends { default: string } | { required: true }
      ? string
      : string | undefined

/** What was given, by option; those left out are `false`, `[]`, their default, or undefined. */
export type Given<O extends Options> = { readonly [Name in keyof O]: Value<O[Name]> }

/** Everything about a command but what it does. `--help`, `hv help` and docs/operate/commands.md come from here. */
export interface Description<O extends Options = Options> {
  /** As it is called, without `hv`: `site add`. */
  readonly name: string
  /** One line for `hv help`. */
  readonly summary: string
  /** What it does, for `--help`: lines of at most 120 characters. */
  readonly about: string
  /** What stands behind its options, `SITEKEY`; as many as are named here; `[JTI]` may be left out, and a last one with `…` repeated. */
  readonly operands?: readonly string[]
  readonly options: O
  /** Whole lines that can be pasted; at least one. */
  readonly examples: readonly string[]
  /** What exit code 1 says here, where it is more than "problems were found, or it could not be done". */
  readonly refusal?: string
  /** What did not happen when the configuration has problems: `nothing was changed`. */
  readonly consequence?: string
  /** Called by other commands and by tests; not in help or docs. */
  readonly hidden?: true
}

/** A row of the table of commands: one command, or a group of them. */
export type CommandRow = Description & { readonly commands?: Readonly<Record<string, Description>> }

/** The configuration that most commands read. */
export const CONFIG = {
  config: {
    type: 'string',
    value: 'FILE',
    says: 'the configuration: a file, or a folder (config/README.md). Left out: HV_CONFIG, else config/config.yaml',
  },
} as const satisfies Options

export const JSON_OUTPUT = {
  json: { type: 'boolean', says: 'prints JSON for other programs' },
} as const satisfies Options

/** Of a command that prints nothing else, so that `--json` is never wrong. */
export const JSON_ALWAYS = {
  json: { type: 'boolean', says: 'prints JSON, as it does without' },
} as const satisfies Options

/** `hv site add --hostname H… [--action A]…`: how it is called, on one line. */
export function synopsis({ name, operands = [], options }: Description): string {
  const words = Object.entries(options).map(([option, { type, value = 'VALUE', required, multiple }]) => {
    const shown = type === 'boolean' ? `--${option}` : `--${option} ${value}`
    return `${required === true ? shown : `[${shown}]`}${multiple === true ? '…' : ''}`
  })
  return ['hv', name, ...operands, ...words].join(' ')
}

/** What `--help` prints: how it is called, what it does, its options, examples, and its exit codes. */
export function helpText(description: Description): string {
  const { about, options, examples, refusal } = description
  const names = Object.entries(options).map(([option, { type, value = 'VALUE' }]) =>
    type === 'boolean' ? `--${option}` : `--${option} ${value}`,
  )
  const wide = Math.max(0, ...names.map((name) => name.length))
  const explained = Object.values(options).map(
    ({ says, default: preset }, at) =>
      `  ${names[at]!.padEnd(wide)}   ${says}${preset === undefined || preset === '' ? '' : ` (default ${preset})`}`,
  )
  return [
    wrap(synopsis(description)),
    about,
    ...(explained.length > 0 ? [explained.join('\n')] : []),
    `Examples:\n${examples.map((line) => `  ${line}`).join('\n')}`,
    `Exit codes: 0 done; 1 ${refusal ?? 'problems were found, or it could not be done'}; 2 called wrongly.`,
  ].join('\n\n')
}

/** Breaks a long call between its options, never inside of one. */
function wrap(call: string): string {
  const lines: string[] = ['']
  for (const part of call.split(/ (?=\[?--)/)) {
    const line = lines.at(-1)!
    if (line !== '' && line.length + 1 + part.length > 110) lines.push(`    ${part}`)
    else lines[lines.length - 1] = line === '' ? part : `${line} ${part}`
  }
  return lines.join('\n')
}
