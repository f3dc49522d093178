/** What agent strings claim. Each string as its program sends it. */
import { describe, expect, test } from '@jest/globals'
import { isTool } from '../../../src/score/agents.ts'

const blink = (system: string, product = 'Chrome/156.0.0.0') =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${product} Safari/537.36`
const gecko = (system: string) => `Mozilla/5.0 (${system}; rv:153.0) Gecko/20100101 Firefox/153.0`
const safari = (system: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15`
const LINUX = 'X11; Linux x86_64'
const MACOS = 'Macintosh; Intel Mac OS X 10_15_7'

describe('a program that names itself', () => {
  test.each([
    '',
    'curl/8.5.0',
    'Wget/1.21.4',
    'Python-urllib/3.11',
    'node',
    'undici',
    'axios/1.7.2',
    'Go-http-client/2.0',
    'Java/21.0.1',
    'okhttp/4.12.0',
    'libwww-perl/6.77',
    'Scrapy/2.11 (+https://scrapy.org)',
    'HTTPie/3.2.2',
    'Postman PostmanRuntime/7.39',
    'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.0.0',
    'Mozilla/5.0 HappyDOM/15.0.0',
  ])('%j is a tool', (agent) => expect(isTool(agent)).toBe(true))
  test.each([blink(LINUX), gecko(LINUX), safari(MACOS), 'Javascript', 'curly/1', ' '])('%j is none', (agent) =>
    expect(isTool(agent)).toBe(false),
  )
})
