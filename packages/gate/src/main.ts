#!/usr/bin/env node
import { catchSignals } from './process-signals.ts'

/** Nothing else is imported before signals are handled. */
catchSignals(process.argv[2])
const { run } = await import('./cli.ts')

// Exits at once: a listener may be open beside one that could not be opened.
process.exit(await run(process.argv.slice(2), console.log, console.error))
