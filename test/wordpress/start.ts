/** Debian's WordPress with the plug-in, on MariaDB and PHP's own server, each a process of this test. */
import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { closeLater, newFolder } from '../support/close-later.ts'
import { freePort } from '../support/ports.mjs'
import { needProgram } from '../support/programs.mjs'
import { listening } from '../support/redis.ts'
import { ROOT } from '../support/root.ts'

/** Runs a program to its end, while this process serves. @throws {Error} with what it said. */
const run = async (command: string, args: readonly string[], cwd: string): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd })).stdout

/** Starts a server that ends with the tests of the file, its workers included. */
async function server(command: string, args: string, cwd: string, port: number): Promise<void> {
  const env = { ...process.env, PHP_CLI_SERVER_WORKERS: '4' }
  const { pid } = spawn(command, args.split(' '), { cwd, env, stdio: 'ignore', detached: true })
  closeLater(pid!, (it) => process.kill(-it, 'SIGKILL'))
  await listening(port)
}

/**
 * Has PHP compile a file once, until it changes: WooCommerce has thousands. A file that is younger than two seconds is compiled each
 * time (opcache.file_update_protection), since a change of the same second would not be seen.
 */
const COMPILED_ONCE =
  '-d opcache.enable=1 -d opcache.revalidate_freq=0 -d opcache.max_accelerated_files=30000 -d opcache.memory_consumption=256'

/** Lines of debug.log: one with which PHP complains, and one of a stack that goes through the plug-in. */
const COMPLAINT = /\] PHP (Notice|Warning|Deprecated|\w+( \w+)? error)/
const NAMED = /plugins\/human-verification|Fatal/
/** What WordPress says where its own directory is not reached. */
const OFFLINE = /: An unexpected error occurred\. Something may be wrong with WordPress\.org/

export type WordPress = Awaited<ReturnType<typeof startWordPress>>

/** A folder of other people's plug-ins as their zips unpack, which are in no registry: one folder for each. */
export const OTHER_PLUGINS = process.env['HV_WORDPRESS_PLUGINS']

/** @param others names of folders in OTHER_PLUGINS, which are copied and not activated. */
export async function startWordPress(others: readonly string[] = []) {
  const [database, port] = [await freePort(), await freePort()]
  const [folder, php] = [newFolder(), needProgram('php')]
  const root = join(folder, 'site')
  const log = join(folder, 'debug.log')
  const url = `http://localhost:${port}`
  const data = `--user=root --datadir=${join(folder, 'data')}`
  await run(
    'mariadb-install-db',
    `${data} --auth-root-authentication-method=normal --skip-test-db`.split(' '),
    folder,
  )
  const user =
    "CREATE DATABASE wp; CREATE USER wp@'127.0.0.1' IDENTIFIED BY 'wp'; GRANT ALL ON wp.* TO wp@'127.0.0.1';"
  writeFileSync(join(folder, 'init.sql'), user.replaceAll('; ', ';\n'))
  const own = `--socket=${folder}/sql --pid-file=${folder}/pid --init-file=${folder}/init.sql --skip-log-bin`
  const sql = `--no-defaults ${data} ${own} --bind-address=127.0.0.1 --port=${database}`
  await server(needProgram('mariadb'), sql, folder, database)

  const isNeeded = (file: string): boolean => !/wp-content\/languages\/.|\.htaccess/.test(file)
  cpSync(process.env['HV_WORDPRESS'] ?? '/usr/share/wordpress', root, {
    recursive: true,
    dereference: true,
    filter: isNeeded,
  })
  cpSync(join(ROOT, 'packages/wordpress'), join(root, 'wp-content/plugins/human-verification'), {
    recursive: true,
  })
  for (const plugin of others)
    cpSync(join(OTHER_PLUGINS!, plugin), join(root, 'wp-content/plugins', plugin), {
      recursive: true,
      dereference: true,
    })
  mkdirSync(join(root, 'wp-content/mu-plugins'))
  // The stand-ins would be declared twice beside what they stand for.
  const beside = others.length > 0 ? 'quiet.php' : 'fixture.php'
  cpSync(join(import.meta.dirname, beside), join(root, 'wp-content/mu-plugins', beside))
  cpSync(join(import.meta.dirname, 'install.php'), join(root, 'install.php'))
  /** Writes wp-config.php with these lines of PHP in front. */
  const configure = (lines = ''): void =>
    writeFileSync(
      join(root, 'wp-config.php'),
      `<?php
${lines}
define( 'HV_TEST_URL', '${url}' );
define( 'DB_HOST', '127.0.0.1:${database}' ); define( 'DB_NAME', 'wp' ); define( 'DB_USER', 'wp' ); define( 'DB_PASSWORD', 'wp' );
define( 'WP_DEBUG', true ); define( 'WP_DEBUG_DISPLAY', false ); define( 'WP_DEBUG_LOG', '${log}' );
define( 'DISABLE_WP_CRON', true ); define( 'WP_HTTP_BLOCK_EXTERNAL', true ); define( 'WP_ACCESSIBLE_HOSTS', '127.0.0.1' );
$table_prefix = 'wp_';
defined( 'ABSPATH' ) || define( 'ABSPATH', __DIR__ . '/' );
require_once ABSPATH . 'wp-settings.php';
`,
    )
  configure()
  const said = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '')
  await run(php, ['install.php'], root)
  await server(php, `${COMPILED_ONCE} -S 127.0.0.1:${port} -t ${root}`, root, port)
  return {
    url,
    root,
    configure,
    /** Runs a line of PHP inside of WordPress, after another that comes before it. @returns what it printed. */
    php: (line: string, before = ''): Promise<string> =>
      run(
        php,
        [
          '-r',
          `${before} $_SERVER['HTTP_HOST'] = 'localhost:${port}'; require 'wp-load.php'; ${line}`,
        ],
        root,
      ),
    log: said,
    /** Returns what debug.log has against the plug-in; where no other one is there, whatever it has. */
    complaints: (): string[] => {
      const isAlone = others.length === 0
      const isOurs = (line: string) => isAlone || /human.?verification/i.test(line)
      return said()
        .split('\n')
        .filter((line) => !OFFLINE.test(line))
        .filter((line) => NAMED.test(line) || (COMPLAINT.test(line) && isOurs(line)))
    },
  }
}
