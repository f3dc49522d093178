/** What agent strings claim. Each string as its program sends it. */
import { describe, expect, test } from '@jest/globals'
import { isChromium, isFirefox, isLinux, isPhone, isTool, isWebkit } from '../../../src/score/agents.ts'

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

describe('an engine', () => {
  test.each([
    [blink(LINUX), true, false, false],
    [blink(LINUX, 'Chromium/156.0'), true, false, false],
    [blink('Windows NT 10.0; Win64; x64', 'Edg/156.0.0.0'), true, false, false],
    [gecko(LINUX), false, true, false],
    [safari(MACOS), false, false, true],
    ['Chrome/', false, false, false],
    ['Firefox/', false, false, false],
    ['NotChrome/9 NotFirefox/9', false, false, false],
  ])('of %j: Chromium %s, Firefox %s, WebKit %s', (agent, ...engines) => {
    expect([isChromium(agent), isFirefox(agent), isWebkit(agent)]).toEqual(engines)
  })
})

describe('a system', () => {
  test.each([
    [blink('Linux; Android 16; K'), false, true],
    [blink('X11; CrOS x86_64 14541.0.0'), false, false],
    [blink('Windows NT 10.0; Win64; x64'), false, false],
    [safari(MACOS), false, false],
    [blink(LINUX), true, false],
    ['X11; OpenBSD amd64', true, false],
    [safari('iPhone; CPU iPhone OS 26_0 like Mac OS X'), false, true],
    ['iPad', false, true],
    ['Mobile', false, true],
  ])('of %j: a Linux desktop %s, a phone %s', (agent, linux, phone) => {
    expect([isLinux(agent), isPhone(agent)]).toEqual([linux, phone])
  })
})
