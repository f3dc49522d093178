/**
 * The newest version of the browser proof whose tasks this widget can read; named in the challenge request, so that a
 * service of a later release asks a widget of an earlier cache for what it knows.
 */
export const KNOWN_PROOF = 1
