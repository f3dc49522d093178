/**
 * The same function, which keeps what it made of the names it was asked last: for what is asked again and again.
 *
 * @param read same name, same result.
 * @param most names that are kept; then all are forgotten, which costs less than to know the oldest.
 * @param later for what must not stay: called with what forgets them all when the first is kept, and again after that.
 */
export function kept<T, Name extends string | number = string>(
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
