#!/usr/bin/env node
import { run } from './cli.ts'

process.exitCode = await run(
  process.argv.slice(2),
  (text) => console.log(text),
  (text) => console.error(text),
)
