#!/usr/bin/env node
import './node-version.cjs'

/** The `hv` command. Nothing else is imported before the version of Node.js was looked at. */
await (await import('./cli/run.ts')).main()
