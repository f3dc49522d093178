import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Parts, table } from './table.ts'

const A11Y = 'test/browser/a11y/a11y.test.ts'

/** What shows that a criterion holds: a test by its file and its name, as it stands there. */
const TESTS = {
  axe: [A11Y, 'axe-core finds no violation, %s'],
  contrast: [A11Y, 'text and marks stand out, with forced colours too, %s'],
  target: [A11Y, 'what can be pressed measures 24 px at least'],
  tree: [A11Y, 'a screen reader meets one group, one named check box and one polite live region'],
  reflow: [A11Y, 'nothing is cut off on a small screen, with large text or with spaced text'],
  jump: [A11Y, 'the page does not jump while all goes well'],
  live: [A11Y, 'announces each thing once, through a whole flow'],
  unsent: [A11Y, 'announces once that a form was not sent, and nothing else about it'],
  tab: [A11Y, 'reaches the check box between field and button, and leaves again both ways'],
  focus: [A11Y, 'shows where it is, %s'],
  kept: [
    A11Y,
    '"Try again" is reached, sends the held form, and the focus does not fall out of the widget',
  ],
  step: [
    'test/browser/step.test.ts',
    'asks for the step by keyboard alone, and then sends the form automatically, once',
  ],
  gate: [
    'test/browser/gate.test.ts',
    'a costly path shows the box in the language of the visitor, and a press opens it',
  ],
  tour: ['test/browser/tour.test.ts', 'the whole tour with the keyboard alone, %s, %i pixels wide'],
  dashboard: [
    'test/world/instances/dashboard.test.ts',
    'has no accessibility violation (axe), light, dark and narrow',
  ],
} as const
type TestName = keyof typeof TESTS

const PRODUCTS = ['Widget', 'Gate’s page', 'Demonstration', 'Dashboard', 'WordPress forms'] as const
type Product = (typeof PRODUCTS)[number]
type Shown = Readonly<Partial<Record<Product, readonly TestName[]>>>

/** What axe-core has rules for, and looked at in these pages. */
const SEEN_BY_AXE: Shown = {
  Widget: ['axe'],
  'Gate’s page': ['gate'],
  Demonstration: ['tour'],
  Dashboard: ['dashboard'],
}
const byAxe = (...more: readonly TestName[]): Shown => ({
  ...SEEN_BY_AXE,
  Widget: ['axe', ...more],
})

/** Every criterion of WCAG 2.2 at the levels A and AA, and what shows it. One without a test was not evaluated. */
const CRITERIA: readonly (readonly [
  number: string,
  name: string,
  level: 'A' | 'AA',
  shown?: Shown,
])[] = [
  ['1.1.1', 'Non-text Content', 'A', byAxe('tree')],
  ['1.2.1', 'Audio-only and Video-only', 'A'],
  ['1.2.2', 'Captions (Prerecorded)', 'A'],
  ['1.2.3', 'Audio Description or Media Alternative', 'A'],
  ['1.2.4', 'Captions (Live)', 'AA'],
  ['1.2.5', 'Audio Description (Prerecorded)', 'AA'],
  ['1.3.1', 'Info and Relationships', 'A', byAxe('tree')],
  ['1.3.2', 'Meaningful Sequence', 'A', { Widget: ['tree'] }],
  ['1.3.3', 'Sensory Characteristics', 'A'],
  ['1.3.4', 'Orientation', 'AA'],
  ['1.3.5', 'Identify Input Purpose', 'AA', { Demonstration: ['tour'] }],
  ['1.4.1', 'Use of Color', 'A', { Widget: ['contrast'] }],
  ['1.4.2', 'Audio Control', 'A'],
  ['1.4.3', 'Contrast (Minimum)', 'AA', byAxe('contrast')],
  ['1.4.4', 'Resize Text', 'AA', { Widget: ['reflow'] }],
  ['1.4.5', 'Images of Text', 'AA'],
  [
    '1.4.10',
    'Reflow',
    'AA',
    { Widget: ['reflow'], Demonstration: ['tour'], Dashboard: ['dashboard'] },
  ],
  ['1.4.11', 'Non-text Contrast', 'AA', { Widget: ['contrast'] }],
  ['1.4.12', 'Text Spacing', 'AA', { Widget: ['reflow'] }],
  ['1.4.13', 'Content on Hover or Focus', 'AA'],
  ['2.1.1', 'Keyboard', 'A', { Widget: ['tab', 'step'], Demonstration: ['tour'] }],
  ['2.1.2', 'No Keyboard Trap', 'A', { Widget: ['tab'], Demonstration: ['tour'] }],
  ['2.1.4', 'Character Key Shortcuts', 'A'],
  ['2.2.1', 'Timing Adjustable', 'A'],
  ['2.2.2', 'Pause, Stop, Hide', 'A'],
  ['2.3.1', 'Three Flashes or Below Threshold', 'A'],
  ['2.4.1', 'Bypass Blocks', 'A'],
  ['2.4.2', 'Page Titled', 'A', { Demonstration: ['tour'], Dashboard: ['dashboard'] }],
  ['2.4.3', 'Focus Order', 'A', { Widget: ['tab', 'kept'], Demonstration: ['tour'] }],
  [
    '2.4.4',
    'Link Purpose (In Context)',
    'A',
    { Demonstration: ['tour'], Dashboard: ['dashboard'] },
  ],
  ['2.4.5', 'Multiple Ways', 'AA'],
  ['2.4.6', 'Headings and Labels', 'AA', { Widget: ['tree'] }],
  ['2.4.7', 'Focus Visible', 'AA', { Widget: ['focus'] }],
  ['2.4.11', 'Focus Not Obscured (Minimum)', 'AA', { Widget: ['focus'] }],
  ['2.5.1', 'Pointer Gestures', 'A'],
  ['2.5.2', 'Pointer Cancellation', 'A'],
  ['2.5.3', 'Label in Name', 'A', byAxe('tree')],
  ['2.5.4', 'Motion Actuation', 'A'],
  ['2.5.7', 'Dragging Movements', 'AA'],
  ['2.5.8', 'Target Size (Minimum)', 'AA', { Widget: ['target'] }],
  ['3.1.1', 'Language of Page', 'A', SEEN_BY_AXE],
  ['3.1.2', 'Language of Parts', 'AA'],
  ['3.2.1', 'On Focus', 'A', { Widget: ['tab'], Demonstration: ['tour'] }],
  ['3.2.2', 'On Input', 'A', { Widget: ['jump'] }],
  ['3.2.3', 'Consistent Navigation', 'AA'],
  ['3.2.4', 'Consistent Identification', 'AA'],
  ['3.2.6', 'Consistent Help', 'A'],
  ['3.3.1', 'Error Identification', 'A', { Widget: ['unsent'] }],
  ['3.3.2', 'Labels or Instructions', 'A', byAxe('tree')],
  ['3.3.3', 'Error Suggestion', 'AA', { Widget: ['kept'] }],
  ['3.3.4', 'Error Prevention (Legal, Financial, Data)', 'AA'],
  ['3.3.7', 'Redundant Entry', 'A'],
  ['3.3.8', 'Accessible Authentication (Minimum)', 'AA', { Widget: ['step'] }],
  ['4.1.2', 'Name, Role, Value', 'A', byAxe('tree')],
  ['4.1.3', 'Status Messages', 'AA', { Widget: ['live', 'unsent'] }],
]

const NUMBERS = new Map(Object.keys(TESTS).map((name, at) => [name, `T${at + 1}`]))
const cellOf = (shown: Shown | undefined, product: Product): string => {
  const tests = shown?.[product]
  if (tests === undefined) return 'not evaluated'
  return `supports: ${tests.map((name) => NUMBERS.get(name)).join(', ')}`
}

/**
 * The tables of docs/widget/conformance.md.
 *
 * @throws {Error} for a test that its file does not have
 */
export function conformanceParts(root: string): Parts {
  const tests = Object.entries(TESTS).map(([name, [file, title]]) => {
    if (!readFileSync(join(root, file), 'utf8').includes(title))
      throw new Error(`${file} has no test "${title}"`)
    return [NUMBERS.get(name)!, `\`${file}\``, title]
  })
  const criteria = CRITERIA.map(([number, name, level, shown]) => [
    `${number} ${name}`,
    level,
    `9.${number}`,
    ...PRODUCTS.map((product) => cellOf(shown, product)),
  ])
  const cells = criteria.flatMap((row) => row.slice(3))
  const open = cells.filter((cell) => cell === 'not evaluated').length
  return {
    criteria: table(['WCAG 2.2', 'Level', 'EN 301 549', ...PRODUCTS], criteria),
    tests: table(['Test', 'File', 'Name'], tests),
    sum: `${cells.length} cells: ${cells.length - open} are shown by a test, ${open} were not evaluated.`,
  }
}
