import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { withNewKey } from './clearances.ts'
import { doctor } from './doctor.ts'
import { readSettings, SettingsError, warningsOf } from './read-settings.ts'
import { serve } from './serve.ts'
import { onReloadSignal, stopSignal } from './signals.ts'

const USAGE = `hv-gate: protects whole sites with the human-verification service

  hv-gate serve  [--config FILE]     answers the checks of your proxies (SIGTERM ends, SIGHUP reloads)
  hv-gate check  [--config FILE]     reads the configuration, hv-gate.yaml in this folder, and names every mistake
  hv-gate keygen FILE                makes the key file, or puts a new key first and keeps two older ones
  hv-gate doctor URL [--echo PATH]   examines a protected page; PATH: an open one that shows the headers it got

Exit codes: 0 no problem found; 1 problems were found; 2 usage error; 70 internal error.`

const EXIT = { done: 0, problems: 1, usage: 2, defect: 70 } as const
type Print = (line: string) => void

/** Runs a command line. @returns the exit code. */
export async function run(args: readonly string[], out: Print, err: Print): Promise<number> {
  try {
    const help = { type: 'boolean', short: 'h' } as const
    const options = {
      config: { type: 'string', default: 'hv-gate.yaml' },
      echo: { type: 'string' },
      help,
    } as const
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [command = '', target = ''] = positionals
    const asked = `${command} ${positionals.length}`
    if (values.help === true) out(USAGE)
    else if (asked === 'serve 1') await untilSignal(values.config)
    else if (asked === 'check 1') check(values.config, out)
    else if (asked === 'keygen 2') keygen(target)
    else if (asked === 'doctor 2') return await examine(target, values.echo, out)
    else return (err(USAGE), EXIT.usage)
    return EXIT.done
  } catch (error) {
    const { code = '', message, stack } = error as NodeJS.ErrnoException
    const isExpected = error instanceof SettingsError || error instanceof SyntaxError || code !== ''
    err(isExpected ? message : `internal error, please report it: ${stack}`)
    return code.startsWith('ERR_PARSE_ARGS') ? EXIT.usage : isExpected ? EXIT.problems : EXIT.defect
  }
}

function check(file: string, out: Print): void {
  const settings = readSettings(file)
  for (const warning of warningsOf(settings)) out(`warning: ${warning}`)
  out(
    `${file}: no errors, ${settings.gates.length} ${settings.gates.length === 1 ? 'gate' : 'gates'}`,
  )
}

/** A reader sees the old file or the new one, and nobody but its owner reads either. */
function keygen(file: string): void {
  const text = withNewKey(existsSync(file) ? readFileSync(file, 'utf8') : undefined)
  // A full disk leaves a part of the file behind.
  rmSync(`${file}.new`, { force: true })
  writeFileSync(`${file}.new`, text, { mode: 0o600, flag: 'wx' })
  renameSync(`${file}.new`, file)
}

async function examine(url: string, echo: string | undefined, out: Print): Promise<number> {
  const findings = await doctor(url, echo)
  for (const { check: name, saw, advice } of findings) {
    out(`  ${advice === undefined ? 'good' : 'fix '}  ${name.padEnd(32)}  ${saw}`)
    if (advice !== undefined) out(`        → ${advice}`)
  }
  return findings.some(({ advice }) => advice !== undefined) ? EXIT.problems : EXIT.done
}

async function untilSignal(config: string): Promise<void> {
  const stopped = stopSignal()
  const gate = await serve(config, (line) => process.stdout.write(line))
  onReloadSignal(gate.reload)
  await stopped
  await gate.stop()
}
