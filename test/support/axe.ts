/** Accessibility as axe-core sees it, in any page that Playwright has open. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
declare const axe: { run(root: unknown, options: RunOptions): Promise<AxeResults> }

/** @param root a selector for the part that is looked at. */
export async function askAxe(
  page: Page,
  options: RunOptions = {},
  root = ':root',
): Promise<AxeResults> {
  await page.evaluate(AXE)
  return page.evaluate(([selector, wanted]) => axe.run(selector, wanted), [root, options] as const)
}

/** A line for each rule that the page breaks: its name, and the elements that break it. */
export const brokenRules = ({ violations }: AxeResults): string[] =>
  violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)

/** A line for each rule that the page breaks, by all rules of axe-core that are on, and those that the options switch on. */
export const axeFinds = async (page: Page, ...asked: [RunOptions?, string?]): Promise<string[]> =>
  brokenRules(await askAxe(page, ...asked))
