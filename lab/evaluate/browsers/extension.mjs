import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Options of openChromium with which the browser has one extension: a content script, in its own world as always.
 *
 * @param {{ name: string, script: string }} what
 */
export function extension({ name, script }) {
  const args = []
  return {
    args,
    prepare({ folder, give }) {
      mkdirSync(join(folder, 'extension'))
      const manifest = {
        manifest_version: 3,
        name,
        version: '1.0',
        content_scripts: [{ matches: ['http://localhost/*'], js: ['script.js'], run_at: 'document_start' }],
      }
      writeFileSync(join(folder, 'extension/manifest.json'), JSON.stringify(manifest))
      writeFileSync(join(folder, 'extension/script.js'), script)
      for (const path of ['extension', 'extension/manifest.json', 'extension/script.js']) give(path)
      args.push(
        `--load-extension=${join(folder, 'extension')}`,
        '--disable-features=DisableLoadExtensionCommandLineSwitch',
      )
    },
  }
}
