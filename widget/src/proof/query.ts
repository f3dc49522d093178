import type { QueryTask } from '../../../src/wire.ts'

/** Which elements each selector matches, as bits. The tree is in no document. */
export function matchElements([, elements, selectors]: QueryTask): number[] {
  // No element: the first one has no parent.
  const top = document.createDocumentFragment()
  const nodes = elements.map(([, written]) => {
    const [names, key] = written.split('|')
    const [tag, ...classes] = names!.split('.')
    const element = document.createElement(tag!)
    if (classes.length) element.className = classes.join(' ')
    element.dataset['k'] = key
    return element
  })
  elements.forEach(([parent], index) => (nodes[parent] ?? top).append(nodes[index]!))
  return selectors.map((selector) => {
    const matched = new Set(top.querySelectorAll(selector))
    return nodes.reduce((bits, element, index) => bits + (matched.has(element) ? 2 ** index : 0), 0)
  })
}
