import type { Path } from '../schema/schema.ts'
import type { Environment, Problem } from './config.ts'
import { member } from './checks/unknown-values.ts'
import { within } from './path.ts'

const OVERRIDES = [
  { variable: 'HV_LISTEN', path: ['listen'] },
  { variable: 'HV_OPS_LISTEN', path: ['ops_listen'] },
  { variable: 'HV_REDIS_URL', path: ['redis', 'url'] },
  { variable: 'HV_KEYRING', path: ['keyring'] },
  { variable: 'HV_LOG_LEVEL', path: ['log_level'] },
] as const satisfies readonly { variable: keyof Environment; path: Path }[]

export interface Overridden {
  /** The file's value with the variables' in their places; the file's own value is left as it was. */
  readonly value: unknown
  /** Variables that are there but empty: no bad setting quietly becomes a default. */
  readonly problems: readonly Problem[]
  /** The variable that set the value at a path. */
  readonly variableOf: (path: Path) => string | undefined
}

/** The problem of a variable or an option that is there but empty. */
export const emptyValue = (where: string): Problem => ({
  line: undefined,
  column: undefined,
  where,
  says: 'is empty: give a value, or unset it',
})

/** Lays the environment over the file, so that one set of rules checks both. */
export function override(file: unknown, env: Environment): Overridden {
  const overrides = OVERRIDES.filter(({ variable }) => env[variable] !== undefined)
  const problems = overrides
    .filter(({ variable }) => env[variable]!.trim() === '')
    .map(({ variable }) => emptyValue(variable))
  const applied = overrides.filter(({ variable }) => env[variable]!.trim() !== '')
  const variableOf = (path: Path): string | undefined => applied.find((each) => within(path, each.path))?.variable
  if (typeof file !== 'object' || file === null || Array.isArray(file)) return { value: file, problems, variableOf }

  const value: Record<string, unknown> = { ...file }
  for (const { variable, path } of applied) {
    if (path[0] !== 'redis') value[path[0]] = env[variable]
    else {
      // The address replaces whichever way the file has, users included; the prefix stays, or the keys would be others.
      const [prefix, ca] = ['key_prefix', 'ca'].map((name) => member(value['redis'], name))
      const encrypted = env[variable]!.startsWith('rediss:')
      value['redis'] = {
        url: env[variable],
        ...(prefix !== undefined && { key_prefix: prefix }),
        ...(ca !== undefined && encrypted && { ca }),
      }
    }
  }
  return { value, problems, variableOf }
}
