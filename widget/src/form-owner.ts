type Form = HTMLFormElement

/** Reads a member of a form through the prototype: a field named `target`, `elements` or `requestSubmit` hides the member of that name. */
export const formMember = <Name extends keyof Form>(form: Form, name: Name): Form[Name] =>
  Reflect.get(HTMLFormElement.prototype, name, form) as Form[Name]

export const formAttribute = (form: Form, name: string): string | null =>
  formMember(form, 'getAttribute').call(form, name)

/** Returns the form that a node belongs to: its form owner, or else its ancestor. */
export function formOf(node: EventTarget | null | undefined): Form | null {
  if (!(node instanceof Element)) return null
  if (node instanceof HTMLFormElement) return node
  const { form } = node as Partial<HTMLInputElement>
  return form instanceof HTMLFormElement ? form : node.closest('form')
}

/**
 * Returns the form of a container: the one that its attribute `form` or `data-form` names, or the one around it. In `<table><form>` the
 * parser associates fields with a form that is not their ancestor; then it is the form of the fields in the same table.
 */
export function formOfContainer(container: HTMLElement): Form | null {
  const id = container.getAttribute('form') ?? container.dataset['form']
  const root = container.getRootNode() as Document | ShadowRoot
  const named = id && root.getElementById?.(id)
  if (named instanceof HTMLFormElement) return named
  const around = formOf(container)
  if (around) return around
  for (
    let table = container.closest('table');
    table;
    table = table.parentElement?.closest('table') ?? null
  )
    for (const field of table.querySelectorAll<HTMLInputElement>('input,button,select,textarea'))
      if (field.form) return field.form
  return null
}
