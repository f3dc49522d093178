import { command } from '../cli/command.ts'
import { DEMO } from '../cli/programs.ts'
import { startDemo } from '../demo/start.ts'
import { prettierLine } from '../ops/log/pretty.ts'
import { DEMO_CONFIG, PROGRAM, stopSignal } from './start.ts'

/** `npm start`: the service with the embedded ledger, and the demonstration site. */
export const demoCommand = command(DEMO, ({ config, 'site-listen': siteListen }, io) =>
  startDemo({
    program: PROGRAM,
    config: config ?? DEMO_CONFIG,
    siteListen,
    env: { ...io.env },
    out: io.out,
    // For people, where people look; a program behind a pipe gets the lines as the service wrote them.
    logLine: process.stdout.isTTY ? (line) => prettierLine(line, io.colours === true) : (line) => line,
    // Its children have no terminal, and so do not hear that ours was closed.
    stopped: stopSignal('SIGHUP'),
  }),
)
