<?php
/** Installs a WordPress that `start.ts` has laid out: one administrator, one member, one post with comments, open registration. */
define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST'] = 'localhost';
require_once __DIR__ . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
wp_install( 'Shop', 'admin', 'admin@example.com', false, '', 'correct horse' );
update_option( 'siteurl', HV_TEST_URL );
update_option( 'home', HV_TEST_URL );
update_option( 'users_can_register', 1 );
update_option( 'comment_previously_approved', 0 );
update_option( 'permalink_structure', '' );
wp_insert_user( array( 'user_login' => 'member', 'user_pass' => 'correct horse', 'user_email' => 'member@example.com' ) );
// A log-in form of the theme beside the comment form: two forms on one page.
wp_insert_post( array( 'import_id' => 7, 'post_title' => 'Hello', 'post_content' => '<!-- wp:loginout {"displayLoginAsForm":true} /-->', 'post_status' => 'publish', 'comment_status' => 'open' ) );
activate_plugin( 'human-verification/human-verification.php' );
