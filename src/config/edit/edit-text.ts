import { type Document, isSeq } from 'yaml'
import type { UnixSeconds } from '../../domain/words.ts'
import type { Path } from '../../schema/schema.ts'
import type { SiteFile } from '../file.ts'
import { EditError } from './replace-file.ts'
import { formatMoment, parseMoment } from '../checks/secrets.ts'
import { BLOCK, insertItems, lineEnd, readYaml, removeItem, setMember } from './splice-yaml.ts'

/** A file that has no sites yet; what `hv site add` starts from when there is none. */
export const EMPTY_FILE = 'version: 1\nsites: []\n'
/** The same of a folder, whose sites have files of their own. */
export const EMPTY_MAIN = 'version: 1\n'

/** Adds sites at the end of `sites`. Every other byte of the text stays. */
export function addSites(text: string, sites: readonly SiteFile[]): string {
  const items = structuredClone(sites) as SiteFile[]
  return changed(text, {
    wish: (value) => void (value['sites'] = [...((value['sites'] as unknown[] | null | undefined) ?? []), ...items]),
    spliced: insertItems(text, ['sites'], items),
    rewrite: (document) => append(document, ['sites'], items),
  })
}

/** The text of a file that holds one site. */
export const siteText = (site: SiteFile): string => {
  const document = readYaml('').document
  document.contents = document.createNode(structuredClone(site))
  return document.toString(BLOCK)
}

/**
 * Adds a secret beside a site's others, which end at `until` unless they end earlier.
 *
 * @param place where the site stands: `['sites', 2]`, or `[]` in a file of its own.
 */
export function addSecret(text: string, place: Path, sha256: string, until: UnixSeconds): string {
  const end = formatMoment(until)
  const ending = (secret: Secret): boolean => {
    const own = secret.not_after === undefined ? undefined : parseMoment(secret.not_after)
    return own === undefined || own > until
  }
  const before = (at(readYaml(text).value, place) as SiteFile).secrets
  let spliced: string | undefined = text
  for (const [index, secret] of before.entries()) {
    if (spliced !== undefined && ending(secret)) {
      spliced = setMember(spliced, [...place, 'secrets', index], 'not_after', end)
    }
  }
  return changed(text, {
    wish(value) {
      const site = at(value, place) as { secrets: Secret[] }
      for (const secret of site.secrets) if (ending(secret)) secret.not_after = end
      site.secrets.push({ sha256 })
    },
    spliced: spliced === undefined ? undefined : insertItems(spliced, [...place, 'secrets'], [{ sha256 }]),
    rewrite(document) {
      for (const [index, secret] of before.entries()) {
        if (ending(secret)) document.setIn([...place, 'secrets', index, 'not_after'], end)
      }
      append(document, [...place, 'secrets'], [{ sha256 }])
    },
  })
}

/** Takes a site out of `sites`, with the comment lines right above it, which are about it. */
export function removeSite(text: string, index: number): string {
  return changed(text, {
    wish: (value) => void (value['sites'] as unknown[]).splice(index, 1),
    spliced: removeItem(text, ['sites'], index),
    rewrite: (document) => void document.deleteIn(['sites', index]),
  })
}

interface Change {
  /** Makes of what the text says what it is to say. */
  readonly wish: (value: Record<string, unknown>) => void
  /** The new text, with every other byte as it was; undefined where the text has no style to go by (`sites: []`). */
  readonly spliced: string | undefined
  /** The same with the document's own writer, which keeps comments too, but respaces the whole file. */
  readonly rewrite: (document: Document) => void
}

/** A new text that says just what it should and nothing else. @throws {EditError} when there is none to be had. */
function changed(text: string, { wish, spliced, rewrite }: Change): string {
  const target = structuredClone(readYaml(text).value ?? {}) as Record<string, unknown>
  wish(target)
  const says = (candidate: string): boolean => {
    const { document, value } = readYaml(candidate)
    return document.errors.length === 0 && JSON.stringify(value) === JSON.stringify(target)
  }
  if (spliced !== undefined && says(spliced)) return spliced

  const rewritten = written(text, rewrite)
  if (rewritten !== undefined && says(rewritten)) return rewritten
  throw new EditError('this change meets an alias (*name) or an anchor that others use: make it by hand, then hv check')
}

/** @returns undefined when the writer refuses: an alias would be left without its anchor, or is in the way. */
function written(text: string, rewrite: (document: Document) => void): string | undefined {
  const { document } = readYaml(text)
  try {
    rewrite(document)
    // A list written as `[]` gets its items on lines of their own.
    const sites = document.get('sites', true)
    if (isSeq(sites) && sites.flow === true) sites.flow = false
    return document.toString(BLOCK).replaceAll('\n', lineEnd(text))
  } catch {
    return undefined
  }
}

interface Secret {
  readonly sha256: string
  not_after?: string
}

const at = (value: unknown, place: Path): unknown =>
  place.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], value)

/** As the last items, of a new list where there is none (`sites:`). */
function append(document: Document, place: Path, items: readonly unknown[]): void {
  if (isSeq(document.getIn(place, true))) {
    for (const item of items) document.addIn(place, document.createNode(item))
  } else document.setIn(place, document.createNode(items))
}
