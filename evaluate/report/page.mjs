import { markdownTable } from './table.mjs'

/** docs/evaluation.md: the table, on what it was measured, and how to read it. */
export function evaluationPage({ date, commit, machine, browsers, runs, visitors, minutes }) {
  const loads = visitors.flatMap(({ visits }) => visits.map(({ load }) => load))
  return `# Evaluation

${visitors.length} visitors, ${runs} visits each, by \`npm run evaluate\` on ${date} at commit ${commit}; ${machine}; ${browsers.chromium.replace(/ built on.*/, '')}, ${browsers.firefox}.
Load average during the run: ${Math.min(...loads)} to ${Math.max(...loads)}; it took ${minutes} minutes. Each visit's contributions are in build/evaluation.json.

${markdownTable(visitors)}

${visitors.map(({ name, what }) => `- **${name}**: ${what}.`).join('\n')}
`
}
