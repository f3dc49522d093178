/**
 * Slows a process group down to a quarter: `node slow-down.mjs GROUP`. It runs for 1 ms of every 4, all threads of all its processes.
 * Chromium's own `Emulation.setCPUThrottlingRate` slows the page's main thread alone, and every widget works in workers.
 */
import { setPriority } from 'node:os'

const group = -Number(process.argv[2])
const lock = new Int32Array(new SharedArrayBuffer(4))
const wait = (ms) => Atomics.wait(lock, 0, 0, ms)
// Where others are at work as well, it comes late, and the group runs for too long.
if (process.getuid() === 0) setPriority(-20)
for (;;) {
  process.kill(group, 'SIGSTOP')
  wait(3)
  process.kill(group, 'SIGCONT')
  wait(1)
}
