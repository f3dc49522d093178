/** Ten questions of a newcomer: each answer is two clicks from README, and stands in the section that the link names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ROOT } from '../../world/deploy/root.ts'

const page = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
/** The words that the answer cannot do without, by question. */
const ANSWERS: Readonly<Record<string, RegExp>> = {
  'How do I add a second site?': /hv site add/,
  'What is kept about my visitors?': /address for a minute/,
  'Why was a visitor refused?': /`low-score`/,
  'What can a refused person do?': /channel/,
  'How do I change a weight of the score?': /weights:/,
  'What happens when Redis dies?': /503/,
  'Which Content-Security-Policy does my page need?': /script-src/,
  'How do I test my form without a browser?': /hv_test_response/,
  'How do I change colours and words of the widget?': /--svc-/,
  'How do I replace the signing key or a secret?': /hv keygen/,
}

const index = page('docs/README.md')
const asked = [...index.split('## Ten questions')[1]!.matchAll(/^\d+\. \[([^\]]+)\]\(([^)#]+)(?:#([^)]+))?\)$/gm)].map(
  ([, question, file, anchor]) => ({ question: question!, file: file!, anchor }),
)

/** The text under a heading, down to the next of its rank; without an anchor: the page. */
function section(text: string, anchor: string | undefined): string {
  if (anchor === undefined) return text
  const lines = text.split('\n')
  const slug = (line: string): string =>
    line
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
  const from = lines.findIndex((line) => /^#+ /.test(line) && slug(line) === anchor)
  const rank = /^#+/.exec(lines[from] ?? '')?.[0].length ?? 0
  const length = lines.slice(from + 1).findIndex((line) => /^#+ /.test(line) && /^#+/.exec(line)![0].length <= rank)
  return from < 0 ? '' : lines.slice(from, length < 0 ? undefined : from + 1 + length).join('\n')
}

test('README leads to the index, and the index asks the ten questions', () => {
  expect(page('README.md')).toContain('](docs/README.md)')
  expect(asked.map(({ question }) => question)).toEqual(Object.keys(ANSWERS))
})

test.each(asked)('$question', ({ question, file, anchor }) => {
  expect(section(page(join('docs', file)), anchor)).toMatch(ANSWERS[question]!)
})
