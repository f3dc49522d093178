import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { TYPES } from '../api/assets.ts'
import { send } from '../api/response-head.ts'

/** The files of a page that is read on this machine or over a tunnel: as they are, not compressed. */
export type PageFiles = ReadonlyMap<string, { readonly type: string; readonly bytes: Buffer }>

/** Reads every file of a folder, once, at start. */
export function loadPageFiles(folder: string): PageFiles {
  return new Map(
    readdirSync(folder).flatMap((name) => {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
      return type === undefined ? [] : [[name, { type, bytes: readFileSync(join(folder, name)) }] as const]
    }),
  )
}

/** @throws {Error} at start, when there is no such file. */
export function pageFile(files: PageFiles, name: string): RequestHandler {
  const file = files.get(name)
  if (!file) throw new Error(`${name} of the dashboard is missing: npm run build:dashboard makes it`)
  return (_req, res) => {
    send(res, 200, file.type, file.bytes)
  }
}
