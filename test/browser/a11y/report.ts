import type { Contrast } from './measure.ts'
import type { Shown } from './stage.ts'

export const report = {
  /** The axe-core rules that passed, for each state and theme. */
  rules: [] as number[],
  version: '',
  contrasts: [] as (Contrast & { readonly shown: Shown; readonly theme: 'light' | 'dark' })[],
  targets: [] as { what: string; width: number; height: number }[],
  lines: [] as string[],
  /** Ratios under forced colours. */
  forced: [] as number[],
}

/** Returns docs/widget/accessibility.md with these results: each block of it follows `<!-- measured: NAME -->`. */
export function withResults(page: string): string {
  const { rules, version, contrasts, targets, forced, lines } = report
  const lowest = (what: string, theme: string): string => {
    const found = contrasts.filter((one) => one.what === what && one.theme === theme)
    const worst = found.reduce((a, b) => (b.ratio < a.ratio ? b : a))
    return `${worst.ratio.toFixed(2)} (${worst.shown})`
  }
  const wanted = new Map(contrasts.map(({ what, least }) => [what, least]))
  const smallest = (kind: string): number =>
    Math.min(
      ...targets
        .filter(({ what }) => what === kind)
        .map(({ width, height }) => Math.min(width, height)),
    )
  const blocks: Readonly<Record<string, string>> = {
    rules: `axe-core ${version}: in each state and theme at least ${Math.min(...rules)} rules had something to look at, and passed.`,
    contrast: `| What | Wants | Light, lowest (in state) | Dark, lowest (in state) |
|---|---|---|---|
${[...wanted].map(([what, least]) => `| ${what} | ${least} | ${lowest(what, 'light')} | ${lowest(what, 'dark')} |`).join('\n')}`,
    sizes: `With forced colours, the lowest of all these ratios is ${Math.min(...forced).toFixed(2)}.
The smaller side of the check box is ${Math.floor(smallest('mark'))} px, of "Try again" ${Math.floor(smallest('retry'))} px; 24 px are wanted.`,
    lines: lines.map((line) => `- ${line}`).join('\n'),
  }
  return page.replaceAll(
    /(?<=<!-- measured: (\w+) -->\n)[^]*?(?=\n\n|\n$)/g,
    (_, name: string) => blocks[name]!,
  )
}
