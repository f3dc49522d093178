import { publishedOpenapi } from '../openapi/document.ts'
import { command, UsageError } from './command.ts'

const usage = `hv openapi

Prints the OpenAPI 3.1 document of the four operations: requests, answers, codes.

  hv openapi > openapi.json`

/** `hv openapi`: what can be asked and what is answered, for other programs. */
export const openapi = command({ usage }, async (args, io) => {
  if (args.length > 0) throw new UsageError('hv openapi takes no arguments')
  io.out(publishedOpenapi().trimEnd())
  return 0
})
