/**
 * The same function, which keeps what it made of the texts it was asked last: for what is asked again and again.
 *
 * @param read same text, same result.
 * @param most texts that are kept; then all are forgotten, which costs less than to know the oldest.
 * @param later for what must not stay: called with what forgets them all when the first is kept, and again after that.
 */
export function kept<T>(
  read: (text: string) => T,
  most: number,
  later: (forget: () => void) => void = () => {},
): (text: string) => T {
  const results = new Map<string, T>()
  let isAwaited = false

  function forget(): void {
    isAwaited = false
    results.clear()
  }

  return (text) => {
    if (results.has(text)) return results.get(text)!
    const result = read(text)
    if (results.size >= most) results.clear()
    if (!isAwaited) later(forget)
    isAwaited = true
    results.set(text, result)
    return result
  }
}
