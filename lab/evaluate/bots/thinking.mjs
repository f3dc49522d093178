import { pause } from '../../stand/processes.mjs'

/** Milliseconds: the median of how long a model thinks about its next action, and the pause before each screenshot. */
const MEDIAN = 2500
const SCREENSHOT = 2000
/** Spread of the logarithm: one answer in twenty takes three times the median. */
const SPREAD = 0.67
/**
 * Waits as a model does before its next action: log-normal, as the gaps between actions of agents are.
 *
 * @param {{ screenshot?: boolean }} [how] `screenshot`: whether it takes a picture after each action
 */
export const thinking =
  (dice, { screenshot = false } = {}) =>
  () =>
    pause(Math.min(12_000, MEDIAN * Math.exp(SPREAD * dice.bell())) + (screenshot ? SCREENSHOT : 0))

/** The fields of the form, by the names that a model reads in a tree of roles and names. */
export const FIELDS = [
  ['name', 'Name'],
  ['email', 'Email'],
  ['comment', 'How did you hear of us'],
]
