import type { Command } from './io.ts'

/** Reads the files of one command, and no others. */
export type Load = () => Promise<Command>

/** The commands that come to an end, each loaded alone, so that `hv check` starts without what `hv doctor` needs. hv.ts adds those that run until a signal. */
export const LOADERS: Readonly<Record<string, Load>> = {
  // `hv constructor` is no command.
  __proto__: null as never,
  check: async () => (await import('./check.ts')).check,
  doctor: async () => (await import('./doctor.ts')).doctor,
  site: async () => (await import('./site.ts')).site,
  keygen: async () => (await import('./keygen.ts')).keygen,
  explain: async () => (await import('./explain.ts')).explainCommand,
  pass: async () => (await import('./pass.ts')).passCommands,
  agents: async () => (await import('./agents.ts')).agents,
  rules: async () => (await import('./rules.ts')).rules,
  openapi: async () => (await import('./openapi.ts')).openapi,
}
