#!/usr/bin/env node
import { run } from './cli.ts'

// At once: a listener may be open beside one that could not be opened.
process.exit(await run(process.argv.slice(2), console.log, console.error))
