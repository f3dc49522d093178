import { hitsOfPb } from './pb-units.ts'
import { hitsOf } from './units.ts'
import { answerMessages, type DoChunk } from './worker-messages.ts'

/** A worker for every algorithm, as captcha-frame.html carries it. */
export const hitsOfAny: DoChunk = (setUp, ...args) => (setUp.isPb ? hitsOfPb : hitsOf)(setUp, ...args)

answerMessages(hitsOfAny)
