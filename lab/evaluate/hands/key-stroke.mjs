import { WITH_SHIFT } from './us-keyboard.mjs'

const CODES = {
  ' ': 'Space',
  '.': 'Period',
  ',': 'Comma',
  '-': 'Minus',
  "'": 'Quote',
  ';': 'Semicolon',
  '/': 'Slash',
  '=': 'Equal',
  Shift: 'ShiftLeft',
  Tab: 'Tab',
  Enter: 'Enter',
  BackSpace: 'Backspace',
}
const SHIFTED = new Map([...WITH_SHIFT].map(([character, plain]) => [plain, character]))

/**
 * Names a key as browsers do.
 *
 * @param {string} key as strokes name it: a character without Shift, or `Shift`, `BackSpace`, `Tab`, `Enter`
 * @param {boolean} [isShifted] whether Shift is down
 * @returns {{ key: string, code: string, isShifted: boolean }} `KeyboardEvent.key` and `.code`, of a US keyboard
 */
export function keyStroke(key, isShifted = false) {
  const code = CODES[key] ?? (/^\d$/.test(key) ? `Digit${key}` : /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : key)
  if (key.length > 1) return { key: key === 'BackSpace' ? 'Backspace' : key, code, isShifted }
  return { key: isShifted ? (SHIFTED.get(key) ?? key.toUpperCase()) : key, code, isShifted }
}
