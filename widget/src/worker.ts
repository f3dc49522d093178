import { hitsOf } from './units.ts'
import { answerMessages } from './worker-messages.ts'

/** A worker for `s32.2`, as captcha.js carries it. */
export { hitsOf }

answerMessages(hitsOf)
