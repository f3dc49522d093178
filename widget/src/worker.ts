import { hitsOfPb } from './pb-units.ts'
import { hitsOfS32 } from './s32-units.ts'
import { answerMessages, type DoChunk } from './worker-messages.ts'

/** Does a chunk of either algorithm, in a worker or on the main thread. */
export const hitsOf: DoChunk = (setUp, ...args) => (setUp.isPb ? hitsOfPb : hitsOfS32)(setUp, ...args)

answerMessages(hitsOf)
