/** Counts calls, and reports their number a second after the first. */
export function eachSecond(report: (count: number) => void): () => void {
  let count = 0
  function tell(): void {
    report(count)
    count = 0
  }
  return () => {
    if (count++ === 0) setTimeout(tell, 1000).unref()
  }
}
