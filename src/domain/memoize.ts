/**
 * Memoises `read`. When full it forgets everything, which is cheaper than tracking the oldest entry.
 *
 * @param read same name, same result.
 * @param most how many results are remembered.
 * @param later called with a function that forgets all results when the first is remembered, and again after each
 *   forgetting: for results that must not stay long.
 */
export function memoize<T, Name extends string | number = string>(
  read: (name: Name) => T,
  most: number,
  later: (forget: () => void) => void = () => {},
): (name: Name) => T {
  const results = new Map<Name, T>()
  let isAwaited = false

  function forget(): void {
    isAwaited = false
    results.clear()
  }

  return (name) => {
    if (results.has(name)) return results.get(name)!
    const result = read(name)
    if (results.size >= most) results.clear()
    if (!isAwaited) later(forget)
    isAwaited = true
    results.set(name, result)
    return result
  }
}
