import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Parts, table } from './table.ts'

const A11Y = 'test/browser/a11y/a11y.test.ts'
const PAGES = 'test/browser/a11y/pages.test.ts'
const GATE = 'test/browser/gate.test.ts'
const HEARD = 'test/heard/heard.test.ts'
const DASHBOARD = 'test/world/instances/dashboard.test.ts'
const WORDPRESS = 'test/wordpress/accessibility.test.ts'

/** What shows that a criterion holds: a test by its file and its name, as it stands there. */
const TESTS = {
  axe: [A11Y, 'axe-core finds no violation, %s'],
  contrast: [A11Y, 'text and marks stand out, with forced colours too, %s'],
  target: [A11Y, 'what can be pressed measures 24 px at least'],
  tree: [A11Y, 'a screen reader meets one group, one named check box and one polite live region'],
  reflow: [A11Y, 'nothing is cut off on a small screen, with large text or with spaced text'],
  turned: [A11Y, 'it says the same upright and lengthwise, and has no picture, sound or video'],
  flash: [A11Y, 'nothing flashes: what moves again and again takes a third of a second or more'],
  jump: [A11Y, 'the page does not jump while all goes well'],
  live: [A11Y, 'announces each thing once, through a whole flow'],
  unsent: [A11Y, 'announces once that a form was not sent, and nothing else about it'],
  tab: [A11Y, 'reaches the check box between field and button, and leaves again both ways'],
  focus: [A11Y, 'shows where it is, %s'],
  kept: [
    A11Y,
    '"Try again" is reached, sends the held form, and the focus does not fall out of the widget',
  ],
  switch: [
    A11Y,
    'two keys, pressed as a switch steps and selects, send the form and take the step',
  ],
  letters: [A11Y, 'letters alone press nothing'],
  click: [
    PAGES,
    'a press that leaves the check box presses nothing, and one click does, without a path or a drag',
  ],
  rests: [A11Y, 'no text appears where the pointer rests'],
  language: [A11Y, 'its texts are marked with their own language: %s'],
  step: [
    'test/browser/step.test.ts',
    'asks for the step by keyboard alone, and then sends the form automatically, once',
  ],
  renewed: [
    'test/browser/life.test.ts',
    'a form left open has its work renewed six times, is then left alone, and is sent at the first try after a night',
  ],
  senses: [
    PAGES,
    'no text of the widget or the gate points to a shape, a colour, a size, a place or a sound',
  ],
  gate: [GATE, 'a costly path shows the box in the language of the visitor, and a press opens it'],
  gateRefuses: [
    GATE,
    'stock Playwright gets no clearance: not silently at 0.33, and not by a press at 0.5',
  ],
  gateAdvises: [GATE, 'a browser that keeps no cookies is told so, and does not loop'],
  gateKeys: [PAGES, 'the gate’s page is passed by two keys'],
  pageAxe: [PAGES, 'axe-core finds nothing, targets of 24 px included: %j'],
  pageTitle: [PAGES, 'has a title and a heading that say what it is'],
  pageWalk: [PAGES, 'Tab stops at each control once, where it is seen, and leaves the page'],
  pageCut: [PAGES, 'nothing is cut off at 200 and 400 %, or with spaced text'],
  pageTurned: [PAGES, 'the page says the same upright and lengthwise'],
  pageMedia: [PAGES, 'there is no picture, sound or video'],
  pageLetters: [PAGES, 'letters alone press nothing'],
  pageRests: [PAGES, 'no text appears where the pointer rests'],
  pageMoves: [PAGES, 'nothing moves by itself, and no motion of the device is listened to'],
  heard: [HEARD, 'the widget, %s'],
  gateHeard: [HEARD, 'has the check box, and says that a press was not accepted'],
  tour: ['test/browser/tour.test.ts', 'the whole tour with the keyboard alone, %s, %i pixels wide'],
  dashboard: [DASHBOARD, 'has no accessibility violation (axe), light, dark and narrow'],
  dashboardTarget: [DASHBOARD, 'targets measure 24 pixels or have room around them'],
  dashboardWalk: [DASHBOARD, 'Tab stops where it is seen, and leaves the page'],
  dashboardCut: [DASHBOARD, 'nothing is cut off at 200 and 400 %, or with spaced text'],
  dashboardTurned: [
    DASHBOARD,
    'the page says the same upright and lengthwise, and has no picture, sound or video',
  ],
  dashboardLetters: [
    DASHBOARD,
    'letters alone press nothing, and no text appears where the pointer rests',
  ],
  formAxe: [WORDPRESS, 'axe-core finds nothing in the form with its box: %j'],
  formKeys: [WORDPRESS, 'is filled in and sent by keyboard alone'],
  formWalk: [WORDPRESS, 'Tab stops where it is seen, and leaves the page'],
  formCut: [WORDPRESS, 'nothing is cut off at 200 and 400 %, or with spaced text'],
  formTurned: [
    WORDPRESS,
    'the form says the same upright and lengthwise, and has no picture, sound or video',
  ],
  formLetters: [
    WORDPRESS,
    'letters alone press nothing, and no text appears where the pointer rests',
  ],
  formRefusal: [
    WORDPRESS,
    'a refusal is a sentence that says what to do, on a page without a fault',
  ],
  formKept: [
    'test/wordpress/wordpress.test.ts',
    'refuses a stock driver, and keeps what was entered as WordPress does',
  ],
} as const
type TestName = keyof typeof TESTS

const PRODUCTS = ['Widget', 'Gate’s page', 'Demonstration', 'Dashboard', 'WordPress forms'] as const
/** The tests of each product, in the order of `PRODUCTS`; an empty list: not evaluated. */
type Shown = readonly (readonly TestName[])[]

/** What axe-core has rules for, and looked at in these pages. */
const byAxe = (...more: readonly TestName[]): Shown => [
  ['axe', ...more],
  ['gate', 'pageAxe'],
  ['pageAxe', 'tour'],
  ['dashboard'],
  ['formAxe'],
]
const NO_MEDIA: Shown = [
  ['turned'],
  ['pageMedia'],
  ['pageMedia'],
  ['dashboardTurned'],
  ['formTurned'],
]
const ZOOMED: Shown = [['reflow'], ['pageCut'], ['pageCut'], ['dashboardCut'], ['formCut']]
const WALKED: Shown = [['focus'], ['pageWalk'], ['pageWalk'], ['dashboardWalk'], ['formWalk']]

/** Every criterion of WCAG 2.2 at the levels A and AA, and what shows it. One without a test was not evaluated. */
const CRITERIA: readonly (readonly [
  number: string,
  name: string,
  level: 'A' | 'AA',
  shown?: Shown,
])[] = [
  ['1.1.1', 'Non-text Content', 'A', byAxe('tree')],
  ['1.2.1', 'Audio-only and Video-only', 'A', NO_MEDIA],
  ['1.2.2', 'Captions (Prerecorded)', 'A', NO_MEDIA],
  ['1.2.3', 'Audio Description or Media Alternative', 'A', NO_MEDIA],
  ['1.2.4', 'Captions (Live)', 'AA', NO_MEDIA],
  ['1.2.5', 'Audio Description (Prerecorded)', 'AA', NO_MEDIA],
  ['1.3.1', 'Info and Relationships', 'A', byAxe('tree')],
  ['1.3.2', 'Meaningful Sequence', 'A', [['tree']]],
  ['1.3.3', 'Sensory Characteristics', 'A', [['senses'], ['senses']]],
  [
    '1.3.4',
    'Orientation',
    'AA',
    [['turned'], ['pageTurned'], ['pageTurned'], ['dashboardTurned'], ['formTurned']],
  ],
  ['1.3.5', 'Identify Input Purpose', 'AA', [[], [], ['tour']]],
  ['1.4.1', 'Use of Color', 'A', [['contrast']]],
  ['1.4.2', 'Audio Control', 'A', NO_MEDIA],
  ['1.4.3', 'Contrast (Minimum)', 'AA', byAxe('contrast')],
  ['1.4.4', 'Resize Text', 'AA', ZOOMED],
  ['1.4.5', 'Images of Text', 'AA', NO_MEDIA],
  ['1.4.10', 'Reflow', 'AA', ZOOMED],
  ['1.4.11', 'Non-text Contrast', 'AA', [['contrast']]],
  ['1.4.12', 'Text Spacing', 'AA', ZOOMED],
  [
    '1.4.13',
    'Content on Hover or Focus',
    'AA',
    [['rests'], ['pageRests'], ['pageRests'], ['dashboardLetters'], ['formLetters']],
  ],
  [
    '2.1.1',
    'Keyboard',
    'A',
    [['tab', 'step', 'switch'], ['gateKeys'], ['tour'], ['dashboardWalk'], ['formKeys']],
  ],
  [
    '2.1.2',
    'No Keyboard Trap',
    'A',
    [['tab'], ['pageWalk'], ['pageWalk', 'tour'], ['dashboardWalk'], ['formWalk']],
  ],
  [
    '2.1.4',
    'Character Key Shortcuts',
    'A',
    [['letters'], ['pageLetters'], ['pageLetters'], ['dashboardLetters'], ['formLetters']],
  ],
  ['2.2.1', 'Timing Adjustable', 'A', [['renewed']]],
  ['2.2.2', 'Pause, Stop, Hide', 'A'],
  [
    '2.3.1',
    'Three Flashes or Below Threshold',
    'A',
    [['flash'], ['pageMoves', 'flash'], ['pageMoves', 'flash']],
  ],
  ['2.4.1', 'Bypass Blocks', 'A'],
  ['2.4.2', 'Page Titled', 'A', [[], ['pageTitle'], ['pageTitle'], ['dashboard']]],
  [
    '2.4.3',
    'Focus Order',
    'A',
    [['tab', 'kept'], ['pageWalk'], ['pageWalk', 'tour'], [], ['formKeys']],
  ],
  ['2.4.4', 'Link Purpose (In Context)', 'A', [[], [], ['tour'], ['dashboard']]],
  ['2.4.5', 'Multiple Ways', 'AA'],
  ['2.4.6', 'Headings and Labels', 'AA', [['tree'], ['pageTitle'], ['pageTitle']]],
  ['2.4.7', 'Focus Visible', 'AA', WALKED],
  ['2.4.11', 'Focus Not Obscured (Minimum)', 'AA', WALKED],
  ['2.5.1', 'Pointer Gestures', 'A', [['click'], ['click']]],
  ['2.5.2', 'Pointer Cancellation', 'A', [['click'], ['click']]],
  ['2.5.3', 'Label in Name', 'A', byAxe('tree')],
  ['2.5.4', 'Motion Actuation', 'A', [[], ['pageMoves'], ['pageMoves']]],
  ['2.5.7', 'Dragging Movements', 'AA', [['click'], ['click']]],
  [
    '2.5.8',
    'Target Size (Minimum)',
    'AA',
    [['target'], ['pageAxe'], ['pageAxe'], ['dashboardTarget']],
  ],
  ['3.1.1', 'Language of Page', 'A', byAxe()],
  ['3.1.2', 'Language of Parts', 'AA', [['language']]],
  [
    '3.2.1',
    'On Focus',
    'A',
    [['tab'], ['pageWalk'], ['pageWalk', 'tour'], ['dashboardWalk'], ['formWalk']],
  ],
  ['3.2.2', 'On Input', 'A', [['jump'], [], ['tour'], [], ['formKeys']]],
  ['3.2.3', 'Consistent Navigation', 'AA'],
  ['3.2.4', 'Consistent Identification', 'AA', [['tree']]],
  ['3.2.6', 'Consistent Help', 'A'],
  [
    '3.3.1',
    'Error Identification',
    'A',
    [['unsent'], ['gateRefuses'], ['tour'], [], ['formRefusal']],
  ],
  ['3.3.2', 'Labels or Instructions', 'A', byAxe('tree')],
  ['3.3.3', 'Error Suggestion', 'AA', [['kept'], ['gateAdvises'], [], [], ['formRefusal']]],
  ['3.3.4', 'Error Prevention (Legal, Financial, Data)', 'AA'],
  ['3.3.7', 'Redundant Entry', 'A', [['kept'], [], [], [], ['formKept']]],
  [
    '3.3.8',
    'Accessible Authentication (Minimum)',
    'AA',
    [['step', 'switch'], ['gateKeys'], [], [], ['formKeys']],
  ],
  ['4.1.2', 'Name, Role, Value', 'A', byAxe('tree', 'heard')],
  ['4.1.3', 'Status Messages', 'AA', [['live', 'unsent', 'heard'], ['gateHeard']]],
]

/** Criteria for what none of the products has; a test shows that it is not there. */
const ABSENT = new Set(['1.2.1', '1.2.2', '1.2.3', '1.2.4', '1.2.5', '1.4.2'])

const NUMBERS = new Map(Object.keys(TESTS).map((name, at) => [name, `T${at + 1}`]))
function cellOf(number: string, tests: readonly TestName[] = []): string {
  if (tests.length === 0) return 'not evaluated'
  const verdict = ABSENT.has(number) ? 'not applicable' : 'supports'
  return `${verdict}: ${tests.map((name) => NUMBERS.get(name)).join(', ')}`
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
    ...PRODUCTS.map((_, at) => cellOf(number, shown?.[at])),
  ])
  const cells = criteria.flatMap((row) => row.slice(3))
  const open = cells.filter((cell) => cell === 'not evaluated').length
  return {
    criteria: table(['WCAG 2.2', 'Level', 'EN 301 549', ...PRODUCTS], criteria),
    tests: table(['Test', 'File', 'Name'], tests),
    sum: `${cells.length} cells: ${cells.length - open} are shown by a test, ${open} were not evaluated.`,
  }
}
