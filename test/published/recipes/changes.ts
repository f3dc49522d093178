/**
 * The examples of docs/contribute/recipes.md as changes of files: the work of somebody who follows the recipe. A change
 * replaces a text that the file has; a file that does not exist begins empty.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../world/deploy/root.ts'

/** The first match of the anchor becomes the text, in which `$&` is the match. */
export type Change = readonly [anchor: RegExp, becomes: string | ((match: string) => string)]

/** Changes by file, in the order of the recipe's table. */
export type Changes = Readonly<Record<string, readonly Change[]>>

const LINE: Change = [/### Added\n\n/, '$&- An example of a recipe.\n']

/** "Add a score rule": a fine pointer that cannot hover. */
export const SCORE_RULE: Changes = {
  'src/domain/score/signals.ts': [
    [
      /    pointers: \{ max: 2.*\n/,
      "$&    hover: { max: 1, says: '1: some pointing device can hover, by media query' },\n",
    ],
  ],
  'widget/src/signals/environment.ts': [
    [/    pointers: matchMedia.*\n/, "$&    hover: Number(matchMedia('(any-hover: hover)').matches),\n"],
  ],
  'docs/design/risk.md': [
    [
      /\| <a id="background">/,
      '| <a id="hover"></a>a fine pointer that cannot hover | emulated screens | weak: some remote desktops too |\n$&',
    ],
  ],
  'src/domain/score/rules/environment.ts': [
    [
      /\n\]\n/,
      `
  {
    id: 116,
    name: 'mouse-cannot-hover',
    family: 'environment',
    reason: 'environment',
    weight: -0.2,
    when: ({ signals }) => signals.environment?.hover === 0 && signals.environment.pointers === 2,
    evidence: 'docs/design/risk.md#hover: emulated screens; some remote desktops too: weak.',
  },
]
`,
    ],
  ],
  'src/domain/score/score-model.ts': [[/  version: \d+,/, '  version: 99,']],
  'test/vectors/score-model.json': [
    [/ {2}"version": \d+,/, '  "version": 99,'],
    [/    \[114, "no-language".*\n/, '$&    [116, "mouse-cannot-hover", "environment", "environment", -0.2],\n'],
  ],
  'test/rooms/domain/score/rules.test.ts': [
    [/    pointers: 2,\n/, '$&    hover: 1,\n'],
    [
      /    \['no-language', .*\n/,
      "$&    ['mouse-cannot-hover', { environment: { hover: 0 } }, { environment: { hover: 0, pointers: 1 } }],\n",
    ],
  ],
  'test/browser/signals.test.ts': [
    [
      /$(?![^])/,
      `
test('a pointing device that hovers is seen', async () => {
  await open()
  await on.page.getByLabel('Email').focus()
  expect((await summary()).environment).toMatchObject({ hover: 1 })
})
`,
    ],
  ],
  'CHANGELOG.md': [LINE],
}

/** "Add a field to siteverify": `label`, sent in the request and returned in an accepted answer. */
export const SITEVERIFY_FIELD: Changes = {
  'src/wire.ts': [
    [
      /  \/\*\* UUID, version 4 or 7: one per form/,
      '  /** At most 64 characters; returned in an accepted answer. */\n  readonly label?: string\n$&',
    ],
    [
      /  readonly agent\?: string \| undefined\n  readonly 'error-codes': readonly \[\]/,
      '  /** Only when the request had one. */\n  readonly label?: string | undefined\n$&',
    ],
  ],
  'src/http/api/requests.ts': [[/remoteip: text, action: text, /, "$&label: { type: 'string', maxLength: 64 }, "]],
  'src/openapi/requests.ts': [
    [/    idempotency_key:\n/, "    label: 'Returned in an accepted answer; at most 64 characters.',\n$&"],
  ],
  'src/openapi/answers.ts': [
    [/  agent,\n  'error-codes': none,/, "  label: text('Only when the request had one.', { maxLength: 64 }),\n$&"],
    [/\['cdata', 'receipt', 'reasons', /, "$&'label', "],
  ],
  'src/http/api/answer.ts': [
    [/answerVerdict\(verdict: Verdict, receipt\?: string/, '$&, label?: string'],
    [/      agent,\n      'error-codes': \[\],/, '      label,\n$&'],
  ],
  'src/http/api/operations.ts': [[/await sign\(verdict\)/, '$&, request.label']],
  'src/protocol/verify-response.ts': [[/  remoteip: true,\n/, '$&  label: true,\n']],
  'docs/design/contract.md': [
    [/\| `idempotency_key` \| no \|/, '| `label` | no | at most 64 characters; returned in an accepted answer |\n$&'],
    [/\| `agent` \| string \|/, '| `label` | string | accepted, if the request had one |\n$&'],
    [/token, `action`, `remoteip`, /, '$&`label`, '],
  ],
  'docs/api/api.md': [[/token, `action`, `remoteip`, /, '$&`label`, ']],
  'test/whole/contract/spec.test.ts': [
    [
      /describe\('Processed and rejected/,
      `test('label: returned when it was sent', async () => {
  expect((await verify({ label: 'autumn' })).body).toEqual({ ...ACCEPTED, label: 'autumn' })
})

$&`,
    ],
  ],
  'test/rooms/protocol/verify-response.test.ts': [
    [/    \['another address', .*\n/, "$&    ['another label', { label: 'spring' }],\n"],
    [/'sign-up', '203\.0\.113\.7', null\]\)/, "'sign-up', '203.0.113.7', null, null])"],
    [/genuine\.response, null, null, null\]\)/, 'genuine.response, null, null, null, null])'],
  ],
  'test/whole/http/bad-input.test.ts': [
    [
      /    \['a remoteip of 10,000', .*\n/,
      "$&    ['a label of 65', `secret={S}&response={T}&label=${'l'.repeat(65)}`, 'bad-request'],\n",
    ],
    [/const fields = \[.*'action', /, "$&'label', "],
  ],
  'test/support/documented.ts': [[/field !== 'cdata'/, "$& && field !== 'label'"]],
  'test/fuzz/fuzz.test.ts': [[/remoteip: '127\.0\.0\.1', action: 'sign-up'/, "$&, label: 'autumn'"]],
  'CHANGELOG.md': [LINE],
}

/** "Add a metric": solved challenges with a part of the work, by site. */
export const METRIC: Changes = {
  'src/ops/metrics/metric-table.ts': [
    [
      /  step_ups: \{\n/,
      `  work_in_part: {
    name: 'hv_work_in_part_total',
    type: 'counter',
    help: 'Solved challenges with a part of the work, by site.',
    labels: ['site'],
  },
$&`,
    ],
  ],
  'src/ops/metrics/meters.ts': [
    [/  const stepUps = .*\n/, "$&  const inPart = counts.counter('work_in_part')\n"],
    [
      /work_ms: workMs \}\) \{\n.*\n/,
      (match) => `${match.replace('workMs }', 'workMs, in_part: isPart }')}      if (isPart) inPart(site)\n`,
    ],
  ],
  'src/ports/observing.ts': [
    [
      /  \/\*\* When the token ends that/,
      '  /** A part of the work was handed in. */\n  readonly in_part?: boolean\n$&',
    ],
  ],
  'src/protocol/solve-challenge.ts': [
    [/    const proof = proofOf\(claims, request\)\n/, '    if (part) caller.note({ in_part: true })\n$&'],
  ],
  'test/rooms/ops/metrics/metrics.test.ts': [
    [
      /  test\('with a score or a time that is no number/,
      `  test('with a part of the work is counted, and no other', async () => {
    const on = parts()
    on.request('solve', { sitekey: 'shop', code: 'solved', in_part: true, ms: 1 })
    on.request('solve', { sitekey: 'shop', code: 'solved', ms: 1 })
    expect(valueOf(await on.read(), 'hv_work_in_part_total', { site: 'shop' })).toBe(1)
  })

$&`,
    ],
  ],
  'CHANGELOG.md': [LINE],
}

/** "Add a command": `hv hash SECRET`. */
export const COMMAND: Changes = {
  'src/cli/hash.ts': [
    [
      /^/,
      `import { createHash } from 'node:crypto'
import { command } from './command.ts'
import { JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'

/** \`hv hash\`: a secret as the configuration has it. */
export const hashCommand = command(
  {
    name: 'hash',
    summary: 'prints the hash of a secret',
    about: 'Prints the SHA-256 of a secret, as the configuration has it.',
    operands: ['SECRET'],
    options: { ...JSON_OUTPUT },
    examples: ['hv hash hv_secret_…'],
  },
  async ({ json }, io, [secret = '']) => {
    const sha256 = createHash('sha256').update(secret).digest('hex')
    io.out(json ? JSON.stringify({ sha256 }) : sha256)
    return EXIT.done
  },
)
`,
    ],
  ],
  'src/cli/loaders.ts': [[/  keygen: .*\n/, "$&  hash: async () => (await import('./hash.ts')).hashCommand,\n"]],
  'test/world/cli/manners.test.ts': [[/  openapi: \{ args/, "  hash: { args: () => ['x'], progress: 'at once' },\n$&"]],
  'test/rooms/cli/hash.test.ts': [
    [
      /^/,
      `import { expect, test } from '@jest/globals'
import { hashCommand } from '../../../src/cli/hash.ts'

test('prints the SHA-256 of a secret', async () => {
  const out: string[] = []
  const io = { out: (text: string) => out.push(text), err: () => {}, env: {}, cwd: '.' }
  expect(await hashCommand.run(['abc'], io)).toBe(0)
  expect(out).toEqual(['ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'])
})
`,
    ],
  ],
  'CHANGELOG.md': [LINE],
}

/** "Add a locale": Estonian, in the words of a person who speaks it; here those of Finnish. */
export const LOCALE: Changes = {
  'widget/src/texts/et.json': [[/^/, readFileSync(join(ROOT, 'widget/src/texts/fi.json'), 'utf8')]],
  'widget/src/texts.ts': [[/ es fa /, ' es et fa ']],
  'test/rooms/widget/texts.test.ts': [
    [/  \{ wishes: \['zh'\], is: 'zh' \},\n/, "$&  { wishes: ['et-EE'], is: 'et' },\n"],
  ],
  'docs/widget/appearance.md': [
    [/Spanish `es`, /, '$&Estonian `et`, '],
    [/The 32 languages besides English/, 'The 33 languages besides English'],
  ],
  'CHANGELOG.md': [LINE],
}
