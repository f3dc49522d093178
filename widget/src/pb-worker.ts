import { hitsOfPb } from './pb-units.ts'
import { answerMessages } from './worker-messages.ts'

/** A worker for `pb.1`, as captcha-rare.js carries it. */
export { hitsOfPb }

answerMessages(hitsOfPb)
