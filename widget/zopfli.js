import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { gzipAsync } from '@gfx/zopfli'

/**
 * Puts NAME.gz beside each file: the same bytes, compressed by zopfli, which searches longer than zlib and makes 2 to 3 % less.
 * The service sends it where a browser takes gzip; see src/http/api/assets.ts.
 *
 * @param folder where the bundle is written. A NAME.gz of the build before stays, where its file did not change.
 */
export const zopfli = (folder) => ({
  name: 'zopfli',
  async generateBundle(_, bundle) {
    for (const { fileName, code, source } of Object.values(bundle)) {
      const name = `${fileName}.gz`
      const bytes = Buffer.from(code ?? source)
      const last = existsSync(join(folder, name)) && readFileSync(join(folder, name))
      const gzip = last && unpacksTo(last, bytes) ? last : await gzipAsync(bytes, {})
      if (!unpacksTo(gzip, bytes)) throw new Error(`${name}: zopfli lost something`)
      this.emitFile({ type: 'asset', fileName: name, source: gzip })
    }
  },
})

function unpacksTo(gzip, bytes) {
  try {
    return gunzipSync(gzip).equals(bytes)
  } catch {
    return false
  }
}
