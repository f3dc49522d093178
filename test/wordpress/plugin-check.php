<?php
/** Runs each static check of Plug-in Check on the plug-in, and prints what it found as JSON. */
use WordPress\Plugin_Check\Checker\Check_Context;
use WordPress\Plugin_Check\Checker\Check_Repository;
use WordPress\Plugin_Check\Checker\Check_Result;
use WordPress\Plugin_Check\Checker\Default_Check_Repository;

require_once ABSPATH . 'wp-admin/includes/admin.php';
$kinds  = Check_Repository::TYPE_STATIC | Check_Repository::INCLUDE_EXPERIMENTAL;
$checks = ( new Default_Check_Repository() )->get_checks( $kinds )->to_map();
$result = new Check_Result( new Check_Context( WP_PLUGIN_DIR . '/human-verification/human-verification.php' ) );
foreach ( $checks as $check ) {
	$check->run( $result );
}
$found = array();
foreach ( array( $result->get_errors(), $result->get_warnings() ) as $files ) {
	foreach ( $files as $file => $lines ) {
		foreach ( $lines as $line => $columns ) {
			foreach ( array_merge( ...$columns ) as $message ) {
				$found[] = "$file:$line {$message['code']} {$message['message']}";
			}
		}
	}
}
echo wp_json_encode( array( 'checks' => array_keys( $checks ), 'found' => $found ) );
