/** What agent strings and TLS fingerprints claim. Each string as its program sends it. */
import { describe, expect, test } from '@jest/globals'
import { isChromium, isFirefox, isPhone, isTool, systemOf } from '../../../../src/domain/score/agents.ts'

const blink = (system: string, product = 'Chrome/156.0.0.0') =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${product} Safari/537.36`
const gecko = (system: string) => `Mozilla/5.0 (${system}; rv:153.0) Gecko/20100101 Firefox/153.0`
const safari = (system: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15`
const LINUX = 'X11; Linux x86_64'

describe('a program that names itself', () => {
  test.each([
    '',
    'curl/8.5.0',
    'Wget/1.21.4',
    'Python-urllib/3.11',
    'python-requests/2.32',
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
  test.each([blink(LINUX), gecko(LINUX), safari('Macintosh; Intel Mac OS X 10_15_7'), 'Javascript', 'curly/1', ' '])(
    '%j is none',
    (agent) => expect(isTool(agent)).toBe(false),
  )
})

describe('an engine', () => {
  test.each([
    [blink(LINUX), true, false],
    [blink(LINUX, 'Chromium/156.0'), true, false],
    [blink('Windows NT 10.0; Win64; x64', 'Edg/156.0.0.0'), true, false],
    [gecko(LINUX), false, true],
    [safari('Macintosh; Intel Mac OS X 10_15_7'), false, false],
    ['Chrome/', false, false],
    ['Firefox/', false, false],
    ['NotChrome/9 NotFirefox/9', false, false],
  ])('of %j: Chromium %s, Firefox %s', (agent, chromium, firefox) => {
    expect([isChromium(agent), isFirefox(agent)]).toEqual([chromium, firefox])
  })
})

describe('a system', () => {
  test.each([
    ['Android', blink('Linux; Android 16; K'), true],
    ['Chrome OS', blink('X11; CrOS x86_64 14541.0.0'), false],
    ['Windows', blink('Windows NT 10.0; Win64; x64'), false],
    ['macOS', safari('Macintosh; Intel Mac OS X 10_15_7'), false],
    ['macOS', gecko('Macintosh; Intel'), false],
    ['macOS', 'Intel Mac OS X 10.15', false],
    ['Linux', blink(LINUX), false],
    ['Linux', 'X11; OpenBSD amd64', false],
    ['Linux', 'Linux armv8l', false],
    ['macOS', safari('iPhone; CPU iPhone OS 26_0 like Mac OS X'), true],
    [undefined, 'iPad', true],
    [undefined, 'iPod', true],
    [undefined, 'Mobile', true],
    [undefined, 'Haiku', false],
  ])('%s is of %j; a phone: %s', (system, agent, phone) => {
    expect([systemOf(agent), isPhone(agent)]).toEqual([system, phone])
  })
})
