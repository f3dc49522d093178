#!/usr/bin/env node
import './node-version.cjs'
import { catchSignals } from './cli/process-signals.ts'

/** The `hv` command. Nothing else is imported before the version of Node.js is known and signals are handled. */
catchSignals(process.argv[2])
await (await import('./cli/run.ts')).main()
