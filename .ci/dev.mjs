/** `npm run dev`: compiles what changes in src, and starts the demonstration again. */
import { spawn } from 'node:child_process'

const tsc = ['node_modules/typescript/bin/tsc', '-p', 'src', '--watch', '--preserveWatchOutput']
const programs = [tsc, ['--watch', '--watch-preserve-output', 'dist/main.js', 'demo']].map((args) =>
  spawn(process.execPath, args, { stdio: 'inherit' }),
)
const end = () => programs.forEach((each) => each.kill())
for (const each of programs) each.once('exit', end)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end)
