import { publishedOpenapi } from '../openapi/document.ts'
import { command } from './command.ts'
import { JSON_ALWAYS } from './describe.ts'
import { EXIT } from './exit-codes.ts'

/** `hv openapi`: what can be asked and what is answered, for other programs. */
export const openapi = command(
  {
    name: 'openapi',
    summary: 'prints the OpenAPI document',
    about: 'Prints the OpenAPI 3.1 document of the four operations: requests, answers, codes.',
    options: { ...JSON_ALWAYS },
    examples: ['hv openapi > openapi.json'],
  },
  async (_given, io) => {
    io.out(publishedOpenapi().trimEnd())
    return EXIT.done
  },
)
