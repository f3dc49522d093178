/**
 * Marks the properties that only our own code reads, so that the minifier may give them short names.
 *
 * A property is our own if an interface of widget/src declares it, and every expression that names it is typed by such an interface.
 * The checker of TypeScript decides, so that `start` of an option keeps its name while `start` of a part of ours does not.
 */
import { fileURLToPath } from 'node:url'
import { SyntaxKind } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

const SOURCES = fileURLToPath(new URL('src/', import.meta.url))
/** A marked name: the name, and the number of the declarations that have it in common. */
export const MARKED = /\b(\w+)_own(\d+)\$/g

/** Scripts that have nothing to do with the others. */
const APART = /\/(compat|native|inline\.d)\.ts$/

/** Interfaces that describe what a page, an app, a browser or the service sees, and the exports of scripts. */
const SPOKEN = 'Options SvcCaptcha Window EventDetail Hired TrustedTypes SolveBody RareScript VisitScript Prover'.split(
  ' ',
)

/**
 * @returns
 *   texts: by file, its text with every property of our own marked.
 *   mayMeet: tells whether two names may be properties of one object; then they need two short names.
 */
export function markOwnProperties() {
  const api = new API({})
  try {
    const [project] = api
      .updateSnapshot({ openProject: fileURLToPath(new URL('tsconfig.json', import.meta.url)) })
      .getProjects()
    return mark(project)
  } finally {
    api.close()
  }
}

function mark({ program, checker }) {
  const files = program.getSourceFileNames().filter((name) => name.startsWith(SOURCES) && !APART.test(name))
  const own = new Set()
  const uses = []
  /** Names that stand where no type says whose they are. */
  const banned = new Set()
  /** Of each type and object: the names of its properties. */
  const objects = []
  /** An object of another type may be passed where these are missing, and must not seem to have them. */
  const optional = new Set()
  for (const file of files) visit(program.getSourceFile(file), file)

  function visit(node, file) {
    if (node.kind === SyntaxKind.InterfaceDeclaration) {
      objects.push(namesOf(checker.getTypeAtLocation(node.name)))
      if (!SPOKEN.includes(node.name.text)) declare(node.members)
    }
    if (node.kind === SyntaxKind.TypeLiteral) objects.push(namesOf(checker.getTypeAtLocation(node)))
    if (node.kind === SyntaxKind.TypeAliasDeclaration)
      for (const type of node.type.types ?? [node.type]) if (type.kind === SyntaxKind.TypeLiteral) declare(type.members)
    if (node.kind === SyntaxKind.BinaryExpression && node.operatorToken.kind === SyntaxKind.InKeyword)
      banned.add(node.left.text)
    if (node.kind === SyntaxKind.PropertyAccessExpression)
      uses.push({ file, node: node.name, keys: keysOf(checker.getSymbolAtLocation(node.name)), as: (name) => name })
    if (node.kind === SyntaxKind.ObjectLiteralExpression) {
      const types = typesOf(checker.getContextualType(node))
      objects.push([...types.flatMap(namesOf), ...node.properties.flatMap(({ name }) => name?.text ?? [])])
      for (const property of node.properties) {
        const { name } = property
        if (name?.kind !== SyntaxKind.Identifier) continue
        const keys = types.flatMap((type) => keysOf(checker.getPropertyOfType(type, name.text)))
        // Nothing says where the object goes, as with `Object.assign`.
        if (keys.includes(COMPUTED)) banned.add(name.text)
        const isShort = property.kind === SyntaxKind.ShorthandPropertyAssignment
        uses.push({ file, node: name, keys, as: (marked) => (isShort ? `${marked}: ${name.text}` : marked) })
      }
    }
    if (node.kind === SyntaxKind.ObjectBindingPattern) {
      const types = typesOf(checker.getTypeAtLocation(node))
      for (const { propertyName, name, dotDotDotToken } of node.elements) {
        const read = propertyName ?? name
        if (dotDotDotToken || read.kind !== SyntaxKind.Identifier) continue
        const keys = types.flatMap((type) => keysOf(checker.getPropertyOfType(type, read.text)))
        uses.push({ file, node: read, keys, as: (marked) => (propertyName ? marked : `${marked}: ${read.text}`) })
      }
    }
    node.forEachChild((child) => void visit(child, file))
  }

  function declare(members) {
    for (const { name, postfixToken } of members) {
      if (name?.kind !== SyntaxKind.Identifier) continue
      own.add(keysOf(checker.getSymbolAtLocation(name))[0])
      if (postfixToken) optional.add(name.text)
    }
  }

  function namesOf(type) {
    return checker.getPropertiesOfType(type).map(({ name }) => name)
  }

  function typesOf(type) {
    if (!type) return []
    const parts = type.getTypes?.()
    return parts ? parts.flatMap(typesOf) : [type]
  }

  // Declarations that one use means together have one name.
  const parents = new Map()
  const rootOf = (key) => {
    while (parents.has(key)) key = parents.get(key)
    return key
  }
  const join = (a, b) => {
    const [from, to] = [rootOf(a), rootOf(b)]
    if (from !== to) parents.set(from, to)
  }
  for (const { node, keys } of uses) {
    if (!keys.length) banned.add(node.text)
    for (const key of keys) {
      join(key, keys[0])
      if (!own.has(key)) join(key, FOREIGN)
    }
  }

  const roots = [...new Set(uses.map(({ keys }) => rootOf(keys[0])))]
  const marked = new Map(files.map((file) => [file, program.getSourceFile(file).text]))
  for (const { file, node, keys, as } of uses.sort((a, b) => b.node.end - a.node.end)) {
    if (banned.has(node.text) || rootOf(keys[0]) === rootOf(FOREIGN)) continue
    const text = marked.get(file)
    marked.set(
      file,
      text.slice(0, node.end - node.text.length) +
        as(`${node.text}_own${roots.indexOf(rootOf(keys[0]))}$`) +
        text.slice(node.end),
    )
  }
  const mayMeet = (a, b) =>
    optional.has(a) || optional.has(b) || objects.some((names) => names.includes(a) && names.includes(b))
  return { texts: marked, mayMeet }
}

const LITERAL = [SyntaxKind.PropertyAssignment, SyntaxKind.ShorthandPropertyAssignment, SyntaxKind.MethodDeclaration]

/** The declarations of a property that somebody wrote down as a type. */
const keysOf = (symbol) => {
  if (!symbol) return []
  const written = symbol.declarations.filter(({ kind }) => !LITERAL.includes(kind))
  return written.length ? written.map(({ path, index }) => `${path}:${index}`) : [COMPUTED]
}
/** Stand for a property whose type is inferred or computed, and for all declarations that are not ours. */
const [COMPUTED, FOREIGN] = ['computed', 'foreign']
