/**
 * Writes the files of `deploy/kubernetes` that are the chart's rendered default: `node .ci/render-chart.mjs`. It needs helm, which
 * `npm test -- --install` brings; test/world/deploy/chart.test.ts says when they differ.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { needProgram } from '../test/support/programs.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DEFAULT = ['template', 'verify', 'deploy/chart', '--namespace', 'human-verification']
/** Labels that are true only of what helm itself has installed. */
const OF_HELM = /^ *(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): .*\n/gm
/** Of these Kustomize has its own: config.yaml is a file that `hv site add` edits. */
const NOT_FOR_KUSTOMIZE = new Set(['config.yaml', 'verdict.yaml'])

/** @returns {Map<string, string>} by its name in `deploy/kubernetes`: the text that each file has to have. */
export function renderedDefault() {
  const all = execFileSync(needProgram('helm'), DEFAULT, { cwd: ROOT, encoding: 'utf8' })
  const files = new Map()
  for (const part of all.split(/^---\n/m).filter(Boolean)) {
    const [, name, text] = /^# Source: .*\/([a-z]+\.yaml)\n([^]*)$/.exec(part)
    if (!NOT_FOR_KUSTOMIZE.has(name))
      files.set(
        name,
        `# From deploy/chart: node .ci/render-chart.mjs\n${text.replaceAll(OF_HELM, '').trimEnd()}\n`,
      )
  }
  return files
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, text] of renderedDefault())
    writeFileSync(`${ROOT}deploy/kubernetes/${name}`, text)
