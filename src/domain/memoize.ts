/**
 * Memoises `read`. At capacity it drops all results, which is cheaper than tracking the oldest.
 *
 * @param read a pure function of the name.
 * @param most maximum number of results.
 * @param later for results that must not stay long: called with a function that drops all results, whenever the first one is
 *   stored.
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
