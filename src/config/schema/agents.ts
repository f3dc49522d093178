import { AGENT_NAME } from '../../domain/named-agent.ts'
import type { JsonSchema } from '../../schema/schema.ts'

const path = (description: string, example: string): JsonSchema => ({
  type: 'string',
  examples: [example],
  pattern: '^[^\\u0000]{1,1000}$',
  wants: 'the path of a file',
  description,
})

/** `agents`: programs that say who they are and prove it. docs/operate/agents.md */
export const AGENTS_SCHEMA: JsonSchema = {
  type: 'array',
  maxItems: 100,
  wants: 'a list of agents, each with name, and keys or ranges',
  default: [],
  description:
    'Agents and crawlers that rules may name: by a signature (keys) or an address (ranges). Files are read at start and whenever they change; nothing is asked of others.',
  items: {
    type: 'object',
    wants: 'an agent: name, url, and keys or ranges',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: {
        type: 'string',
        pattern: AGENT_NAME.source,
        wants: '1 to 20 of a-z 0-9 _ -',
        examples: ['chatgpt'],
        description: 'For rules, the log and siteverify. "any" is no name: in a rule it is every agent.',
      },
      url: {
        type: 'string',
        pattern: '^https://[!-~]{1,300}$',
        wants: 'an https address',
        examples: ['https://chatgpt.com'],
        description:
          'With keys: what Signature-Agent has to name. With ranges: where the list is published. `hv agents fetch` asks it.',
      },
      keys: path(
        'A JWK Set with the agent’s public keys (Ed25519), relative to this file. Needs public_url.',
        'agents/chatgpt.json',
      ),
      ranges: path('The agent’s addresses and CIDR ranges, one a line, relative to this file.', 'agents/googlebot.txt'),
    },
  },
}
