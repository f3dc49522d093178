/**
 * Plug-in Check, which the directory of WordPress asks for, and the WordPress Coding Standards, which are among its files:
 * HV_WORDPRESS_PLUGINS names a folder that has it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { needProgram } from '../support/programs.mjs'
import { ROOT } from '../support/root.ts'
import { OTHER_PLUGINS, startWordPress } from './start.ts'

const FOLDER = join(OTHER_PLUGINS ?? '', 'plugin-check')
const VENDOR = join(FOLDER, 'vendor')
const STANDARDS = [
  'wp-coding-standards/wpcs',
  'phpcsstandards/phpcsextra',
  'phpcsstandards/phpcsutils',
]
/** Plug-ins of the directory may have no updates of their own. This one is not in it: docs/start/wordpress.md, "Updates". */
const EXPECTED = ['plugin_updater_detected']

interface Report {
  checks: string[]
  found: string[]
}

;(OTHER_PLUGINS !== undefined && existsSync(FOLDER) ? describe : describe.skip)(
  'the plug-in is written as WordPress asks:',
  () => {
    test('Plug-in Check finds nothing but the updates of its own', async () => {
      const wordpress = await startWordPress(['plugin-check'])
      await wordpress.php(
        `require_once ABSPATH . 'wp-admin/includes/plugin.php'; activate_plugin( 'plugin-check/plugin.php' );`,
      )
      const check = join(ROOT, 'test/wordpress/plugin-check.php')
      const said = await wordpress.php(`ini_set( 'memory_limit', '2G' ); require '${check}';`)
      const { checks, found } = JSON.parse(said) as Report
      expect(checks.length).toBeGreaterThanOrEqual(20)
      expect(checks).toContain('plugin_review_phpcs')
      const codeOf = (line: string) => line.split(' ')[1]!
      expect(found.filter((line) => !EXPECTED.includes(codeOf(line)))).toEqual([])
      expect(found.map(codeOf)).toEqual(EXPECTED)
    }, 900_000)

    test('the WordPress Coding Standards find nothing, and no line has more than 120 characters', () => {
      const installed = STANDARDS.map((name) => join(VENDOR, name)).join(',')
      const program = ['-d', 'memory_limit=1G', join(VENDOR, 'squizlabs/php_codesniffer/bin/phpcs')]
      const report = ['--report=emacs', '-q', '--extensions=php']
      const standard = `--standard=${join(ROOT, 'test/wordpress/phpcs.xml')}`
      const where = ['--runtime-set', 'installed_paths', installed, standard]
      const phpcs = (file: string) =>
        spawnSync(needProgram('php'), [...program, ...where, ...report, file], { encoding: 'utf8' })
      expect(phpcs(join(ROOT, 'test/wordpress/quiet.php')).stdout).toContain('Missing')
      const { stdout, stderr, status } = phpcs(join(ROOT, 'packages/wordpress'))
      expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 })
    }, 300_000)
  },
)
