/** Which properties the build may rename: widget/own-properties.js, on the sources themselves. */
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from '@jest/globals'
import { markOwnProperties } from '../../../widget/own-properties.js'

let marked: ReturnType<typeof markOwnProperties>
beforeAll(() => {
  marked = markOwnProperties()
})
/** A file of widget/src, where `_own` ends each name that may become a short one. */
const source = (name: string): string =>
  marked.texts
    .get(fileURLToPath(new URL(`../../../widget/src/${name}`, import.meta.url)))!
    .replace(/_own\d+\$/g, '_own')
    .replace(/\s+/g, ' ')

test.each([
  { what: 'an option', file: 'widget.ts', text: "options.start === 'load'" },
  {
    what: 'the body of a solution',
    file: 'token-keeper.ts',
    text: 'const body: SolveBody = { challenge, solution, signals,',
  },
  {
    what: 'the detail of an event',
    file: 'announce.ts',
    text: '{ code, message: ERRORS[code], retryable: !isSetUp(code), directives:',
  },
  { what: 'a signal', file: 'visit.ts', text: 'page: { loneFocus }' },
  { what: 'a property of the browser', file: 'form.ts', text: 'event.defaultPrevented' },
  { what: 'an export of another script', file: 'work-source.ts', text: '.frameRung(' },
  // Bug: the functions of `announce` were renamed where they are called, and not in the object that `Object.assign` is given.
  { what: 'what an object has that no type describes', file: 'widget.ts', text: 'announce.report(107)' },
])('$what keeps its name', ({ file, text }) => {
  expect(source(file)).toContain(text)
})

test.each([
  { what: 'a part of ours that has the name of an option', file: 'widget.ts', text: 'supply.start_own(true)' },
  {
    what: 'a property that is taken out of an object',
    file: 'work.ts',
    text: '{ ask_own: ask, askOther_own: askOther, solve_own: solve,',
  },
  { what: 'a method where it is defined', file: 'form.ts', text: 'put_own(now) {' },
])('$what gets a short one', ({ file, text }) => {
  expect(source(file)).toContain(text)
})

test.each([
  { names: ['token', 'isHolding'], may: false, since: 'no object has both' },
  { names: ['token', 'deadline'], may: true, since: 'an interface has both' },
  { names: ['challenge', 'workerFacts'], may: true, since: 'one of them is inherited' },
  { names: ['fieldName', 'stop'], may: true, since: 'an object is passed with both' },
  {
    names: ['isBare', 'rungs'],
    may: true,
    since: 'one of them may be missing, and is looked for in other objects too',
  },
])('$names need two short names: $may, since $since', ({ names: [one, other], may }) => {
  expect([marked.mayMeet(one!, other!), marked.mayMeet(other!, one!)]).toEqual([may, may])
})
