import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { EMPTY_FILE, addSecret, addSites, removeSite } from '../../../../src/config/edit/edit-text.ts'
import { checkConfig } from '../../../../src/config/load.ts'
import { unixSeconds } from '../../../../src/domain/words.ts'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const [A, B, NEW] = [hash('fixture a'), hash('fixture b'), hash('fixture new')]
const UNTIL = unixSeconds(Date.UTC(2027, 5, 1) / 1000)
const UNTIL_TEXT = '2027-06-01T00:00:00Z'
const sites = (text: string): unknown[] => [...checkConfig(text, 'edit.yaml', {}).sites]

/** Every comment, in order. */
const comments = (of: string): string[] => of.match(/#.*/g)?.map((each) => each.trim()) ?? []

/** The lines of `after` that are not in `before`, and the other way round. */
function lineDiff(before: string, after: string): { added: string[]; removed: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')]
  return { added: now.filter((line) => !old.includes(line)), removed: old.filter((line) => !now.includes(line)) }
}

const hand = `# top comment
version:   1   # odd spacing stays

listen: '127.0.0.1:8080'
sites:

    # the shop
    - sitekey: hv_site_fixture1      # public
      secrets:
          - sha256: ${A}   # from spring
            not_after: 2027-01-01T00:00:00Z   # soon
          - sha256: "${B}"  # from autumn
      hostnames: [ shop.example.com,   "*.shop.example.com" ]
      work: {level: 3}
      # a comment that ends the shop
# bottom comment
trusted_proxies: []
`

describe('adding a site', () => {
  const added = { sitekey: 'hv_site_addedsite', secrets: [{ sha256: NEW }], hostnames: ['a.example', '*.a.example'] }

  test('changes no line that was there, in a file formatted by hand', () => {
    const after = addSites(hand, [added])
    const block = [
      '    - sitekey: hv_site_addedsite',
      '      secrets:',
      `        - sha256: ${NEW}`,
      '      hostnames:',
      '        - a.example',
      '        - "*.a.example"',
    ]
    expect(after).toContain(`\n${block.join('\n')}\n`)
    expect(after.replace(`${block.join('\n')}\n`, '')).toBe(hand)
    expect(after.indexOf('hv_site_addedsite')).toBeGreaterThan(after.indexOf('ends the shop'))
    expect(after.indexOf('hv_site_addedsite')).toBeLessThan(after.indexOf('# bottom comment'))
    expect(sites(after)).toHaveLength(2)
    expect(sites(after)[1]).toMatchObject({ sitekey: 'hv_site_addedsite', hostnames: ['a.example', '*.a.example'] })
  })

  test.each([
    { when: 'there is no site yet', text: EMPTY_FILE, count: 1 },
    { when: 'the list is missing', text: 'version: 1\n', count: 1 },
    { when: 'the list is left empty', text: 'version: 1\nsites:\n', count: 1 },
    { when: 'nothing ends the last line', text: hand.trimEnd().replace('\ntrusted_proxies: []', ''), count: 2 },
    {
      when: 'the last item ends the file without a line end',
      text: hand.slice(0, hand.indexOf('\n      # a comment')),
      count: 2,
    },
    { when: 'lines end as on Windows', text: hand.replaceAll('\n', '\r\n'), count: 2 },
    {
      when: 'the list is not indented',
      text: `version: 1\nsites:\n- sitekey: hv_site_fixture1\n  secrets: [{sha256: ${A}}]\n  hostnames: [a.example]\n`,
      count: 2,
    },
    {
      when: 'the list is in brackets',
      text: `version: 1\nsites: [{sitekey: hv_site_fixture1, secrets: [{sha256: ${A}}], hostnames: [a.example]}]  # all\n`,
      count: 2,
    },
    {
      when: 'the file is JSON',
      text: JSON.stringify(
        { version: 1, sites: [{ sitekey: 'hv_site_fixture1', secrets: [{ sha256: A }], hostnames: ['a.example'] }] },
        undefined,
        2,
      ),
      count: 2,
    },
    {
      when: 'the dash stands alone',
      text: `version: 1\nsites:\n  -\n    # a - b\n    sitekey: hv_site_fixture1\n    secrets: [{sha256: ${A}}]\n    hostnames: [a.example]\n`,
      count: 2,
    },
    {
      when: 'the last value has several lines',
      text: `version: 1\nsites:\n  - sitekey: hv_site_fixture1\n    secrets: [{sha256: ${A}}]\n    hostnames: [a.example]\n    name: >-\n      Example\n      shop\n\n`,
      count: 2,
    },
  ])('leaves a file that loads when $when', ({ text, count }) => {
    const after = addSites(text, [added])
    expect(sites(after)).toHaveLength(count)
    expect(sites(after).at(-1)).toMatchObject({ sitekey: 'hv_site_addedsite' })
    expect(comments(after)).toEqual(comments(text))
  })
})

test('line ends stay those of Windows', () => {
  const windows = hand.replaceAll('\n', '\r\n')
  const site = { sitekey: 'hv_site_addedsite', secrets: [{ sha256: NEW }], hostnames: ['a.example'] }
  const after = addSecret(addSites(windows, [site]), ['sites', 0], hash('another'), UNTIL)
  expect(after).toContain('version:   1   # odd spacing stays')
  expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
})

describe('adding a secret', () => {
  test('gives the old ones an end and changes no other line', () => {
    const after = addSecret(hand, ['sites', 0], NEW, UNTIL)
    expect(lineDiff(hand, after)).toEqual({
      removed: [],
      added: [`            not_after: ${UNTIL_TEXT}`, `          - sha256: ${NEW}`],
    })
    expect(sites(after)[0]).toMatchObject({
      secrets: [
        { sha256: A, notAfter: Date.UTC(2027, 0, 1) / 1000 },
        { sha256: B, notAfter: UNTIL },
        { sha256: NEW, notAfter: undefined },
      ],
    })
  })

  test('replaces an end that is later', () => {
    const after = addSecret(hand, ['sites', 0], NEW, unixSeconds(Date.UTC(2026, 11, 1) / 1000))
    expect(after).toContain('not_after: 2026-12-01T00:00:00Z   # soon')
    expect(after).not.toContain('2027')
  })

  test.each([
    {
      when: 'the secrets are in brackets',
      secrets: `[{sha256: ${A}}, { sha256: ${B}, not_after: "2028-01-01T00:00:00Z" }]  # two`,
    },
    { when: 'the brackets end with a comma', secrets: `[{sha256: ${A},}, {sha256: ${B}},]` },
    { when: 'groups in braces stand on lines', secrets: `\n    - {sha256: ${A}} # one\n    - {sha256: ${B}} # two` },
    { when: 'brackets go over lines', secrets: `[\n      {sha256: ${A}}, # one\n      {sha256: ${B}} # two\n    ]` },
    { when: 'the dashes are not indented', secrets: `\n    - sha256: ${A}\n    - sha256: ${B}` },
  ])('works when $when', ({ secrets }) => {
    const text = `version: 1\nsites:\n  - sitekey: hv_site_fixture1\n    secrets: ${secrets}\n    hostnames: [a.example] # here\n`
    const after = addSecret(text, ['sites', 0], NEW, UNTIL)
    expect(sites(after)[0]).toMatchObject({
      secrets: [
        { sha256: A, notAfter: UNTIL },
        { sha256: B, notAfter: UNTIL },
        { sha256: NEW, notAfter: undefined },
      ],
    })
    expect(comments(after)).toEqual(comments(text))
  })

  test('a hash that reads as a number is quoted', () => {
    const digits = '1'.repeat(63) + '2'
    expect(sites(addSecret(hand, ['sites', 0], digits, UNTIL))[0]).toMatchObject({
      secrets: [{}, {}, { sha256: digits }],
    })
  })
})

describe('removing a site', () => {
  const two = addSites(hand, [{ sitekey: 'hv_site_addedsite', secrets: [{ sha256: NEW }], hostnames: ['a.example'] }])

  test('what was added is gone again, to the byte', () => {
    expect(removeSite(two, 1)).toBe(hand)
  })
  test('takes the comment lines right above it along, and no other', () => {
    const after = removeSite(two, 0)
    expect(comments(after)).toEqual(['# top comment', '# odd spacing stays', '# bottom comment'])
    expect(sites(after)).toMatchObject([{ sitekey: 'hv_site_addedsite' }])
  })
  test.each([
    ['the first of a list in brackets', (list: string) => `sites: [${list}] # all\n`, 0],
    ['the last of a list in brackets', (list: string) => `sites: [${list}] # all\n`, 1],
    [
      'one of JSON over lines',
      (list: string) => `"sites":\n  [\n    ${list.replace('}, {', '},\n    {')}\n  ] # all\n`,
      0,
    ],
  ])('%s', (_what, around, index) => {
    const list = [A, B]
      .map((each, i) => `{sitekey: hv_site_fixture${i}, secrets: [{sha256: ${each}}], hostnames: [a.example]}`)
      .join(', ')
    const after = removeSite(`version: 1 # one\n${around(list)}`, index)
    expect(sites(after)).toMatchObject([{ sitekey: `hv_site_fixture${1 - index}` }])
    expect(comments(after)).toEqual(['# one', '# all'])
  })
  // Behind a comment inside a site, YAML counts all up to the next value to it.
  test.each(['\n', '\r\n'])('leaves the comment of the setting below alone, as adding does', (lineEnd) => {
    const shop = (sitekey: string, digest: string): string =>
      `  - sitekey: ${sitekey}\n    secrets: [{sha256: ${digest}}]\n    hostnames:\n      - c.example.com\n`
    const first = `version: 1\nsites:\n${shop('hv_site_fixture1', A)}`
    const last = `${shop('hv_site_fixture2', B)}      # the old shop\n`
    const below = '\n# agreed with Anna: never raise\nlog_level: warn\n'
    const text = `${first}${last}${below}`.replaceAll('\n', lineEnd)
    expect(removeSite(text, 1)).toBe(`${first}${below}`.replaceAll('\n', lineEnd))
    const after = addSites(text, [
      { sitekey: 'hv_site_addedsite', secrets: [{ sha256: NEW }], hostnames: ['a.example'] },
    ])
    expect(after.startsWith(`${first}${last}  - sitekey: hv_site_addedsite\n`.replaceAll('\n', lineEnd))).toBe(true)
    expect(after.endsWith(below.replaceAll('\n', lineEnd))).toBe(true)
  })
  test('lines end as they did', () => {
    expect(removeSite(two.replaceAll('\n', '\r\n'), 1)).toBe(hand.replaceAll('\n', '\r\n'))
  })
})

describe('anchors and aliases', () => {
  const shared = readFileSync('test/rooms/config/good/shared.yaml', 'utf8')

  test('stay where a site is added, rotated or removed that has none of them', () => {
    const added = addSites(shared, [
      { sitekey: 'hv_site_addedsite', secrets: [{ sha256: NEW }], hostnames: ['a.example'] },
    ])
    expect(added.startsWith(shared.trimEnd())).toBe(true)
    expect(removeSite(addSecret(added, ['sites', 2], B, UNTIL), 2)).toBe(shared)
  })
  test('stay where the site that is rotated or removed has an alias', () => {
    const after = addSecret(shared, ['sites', 1], NEW, UNTIL)
    expect(after).toContain('actions: &forms [sign-up, contact-form] # all of ours')
    expect(after).toContain('actions: *forms\n')
    expect(removeSite(shared, 1)).toBe(shared.slice(0, shared.indexOf('  - sitekey: hv_site_fixture2')))
  })
  test('an anchor that others use is not taken away', () => {
    expect(() => removeSite(shared, 0)).toThrow('make it by hand')
  })
  test('what stands behind an alias is not changed for everybody', () => {
    const text = `version: 1\nx: &both [{sha256: ${A}}]\nsites:\n  - {sitekey: hv_site_fixture1, secrets: *both, hostnames: [a.example]}\n`
    expect(() => addSecret(text, ['sites', 0], NEW, UNTIL)).toThrow('make it by hand')
  })
})
