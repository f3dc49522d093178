import { expect, test } from '@jest/globals'
import { mergeMetrics } from '../../../src/processes/merge-metrics.ts'

const of = (count: number): string => `# HELP hv_a_total What is counted.
# TYPE hv_a_total counter
hv_a_total{site="x {y} z",code="ok"} ${count}
hv_a_total{site="x",code="no"} 0

# HELP hv_up Whether it works.
# TYPE hv_up gauge
hv_up 1
`

test('lines of one family stand together under one head, each with the number of its process', () => {
  const all = [
    { process: 1, text: of(3) },
    { process: 2, text: of(4) },
  ]
  expect(mergeMetrics(all)).toBe(`# HELP hv_a_total What is counted.
# TYPE hv_a_total counter
hv_a_total{process="1",site="x {y} z",code="ok"} 3
hv_a_total{process="1",site="x",code="no"} 0
hv_a_total{process="2",site="x {y} z",code="ok"} 4
hv_a_total{process="2",site="x",code="no"} 0

# HELP hv_up Whether it works.
# TYPE hv_up gauge
hv_up{process="1"} 1
hv_up{process="2"} 1
`)
})

test('a family that one process has alone is kept', () => {
  const text = '# HELP hv_b B.\n# TYPE hv_b gauge\nhv_b 2\n'
  expect(
    mergeMetrics([
      { process: 1, text: of(1) },
      { process: 2, text },
    ]),
  ).toContain('# HELP hv_b B.\n# TYPE hv_b gauge\nhv_b{process="2"} 2\n')
})
