/** What the price list says of each browser at the gate, from the rows of the evaluation. */
import { expect, test } from '@jest/globals'
import { gateTable } from '../../../lab/evaluate/report/gate.mjs'

const silent = { kind: 'bot', threshold: 0.33, runs: 3, most: 0.48 }
const form = { kind: 'bot', runs: 3, most: 0.02 }
/** The cells of the only row. */
const cells = (...rows: object[]) => gateTable(rows).split('\n')[2]!.slice(2, -2).split(' | ')

test('a browser that is let in silently stands beside the same one at a form', () => {
  const rows = [
    { ...silent, name: 'untouched, driver', firsts: [0.48, 0.4, 0.48], passed: 3 },
    { ...form, name: 'driver', firsts: [0.02, 0.02, 0.02], passed: 0 },
  ]
  expect(cells(...rows)).toEqual(['driver', '0.48 (0.40–0.48): 3 of 3', '–', '0.02: 0 of 3', '–'])
})

test('a press counts from 0.5 on, though the page of the evaluation asks for less', () => {
  const asked = { ...silent, name: 'untouched, driver', firsts: [0.21, 0.21, 0.21], stepped: 3 }
  expect(cells({ ...asked, passed: 1, most: 0.65 })[2]).toBe('1 of 3')
  expect(cells({ ...asked, passed: 1, most: 0.4 })[2]).toBe('0 of 3')
})

test('a person is called one, and the form of another name is named', () => {
  const rows = [
    { ...silent, kind: 'person', name: 'untouched, in front', firsts: [0.48], passed: 1, runs: 1 },
    { ...form, kind: 'person', name: 'auto-type', firsts: [0.75], passed: 1, runs: 1 },
  ]
  expect(cells(...rows)).toEqual([
    'a person: in front',
    '0.48: 1 of 1',
    '–',
    '0.75: 1 of 1 (auto-type)',
    '–',
  ])
})
