import { after } from './clock.ts'

/**
 * Returns the theme of the page around an element, by the colour of its text, which every kind of dark mode sets. The system's
 * preference says nothing about a page that has one theme only.
 */
export function pageTheme(element: Element): 'light' | 'dark' {
  return lightness(getComputedStyle(element).color) > 0.5 ? 'dark' : 'light'
}

/** Returns the approximate lightness, 0 to 1, of a computed colour: `rgb(…)`, `color(srgb …)`, `lab(…)`, `oklch(…)`. */
function lightness(color: string): number {
  const [a = 0, b = 0, c = 0] = (color.match(/-?[\d.]+(?=[\s,)/%])/g) ?? []).map(Number)
  if (color.startsWith('ok')) return a
  if (/^l(ab|ch)/.test(color)) return a / 100
  return (0.2126 * a + 0.7152 * b + 0.0722 * c) / (color.startsWith('rgb') ? 255 : 1)
}

/** The time that a transition of the page's colours may take. */
const SETTLING_MS = 300

/** Calls `changed` when the theme may have changed. Returns a function that observes the current elements, which routers replace. */
export function watchTheme(changed: () => void, signal: AbortSignal): () => void {
  let cancel: (() => void) | undefined
  const soon = (): void => {
    cancel?.()
    cancel = after(SETTLING_MS, () => signal.aborted || changed())
  }
  const observer = new MutationObserver(soon)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', soon, { signal })
  signal.addEventListener('abort', () => observer.disconnect())
  return () => {
    for (const node of [document.documentElement, document.body])
      observer.observe(node, { attributes: true })
  }
}
