/**
 * The same function, which keeps what it made of the texts it was asked last: for what is asked again and again.
 *
 * @param read same text, same result.
 * @param most texts that are kept; then all are forgotten, which costs less than to know the oldest.
 */
export function kept<T>(read: (text: string) => T, most: number): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    if (results.has(text)) return results.get(text)!
    const result = read(text)
    if (results.size >= most) results.clear()
    results.set(text, result)
    return result
  }
}
