<?php
/**
 * The settings of a multisite: what they set, no site can change.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

add_action( 'network_admin_menu', __NAMESPACE__ . '\add_network_page' );
add_action( 'network_admin_edit_' . PAGE, __NAMESPACE__ . '\save_network_page' );

/** Adds the page to the menu of the network's settings. */
function add_network_page(): void {
	add_submenu_page(
		'settings.php',
		'Human Verification',
		'Human Verification',
		'manage_network_options',
		PAGE,
		__NAMESPACE__ . '\network_page'
	);
}

/** Prints the page. */
function network_page(): void {
	echo '<div class="wrap"><h1>Human Verification</h1>';
	settings_errors( OPTION );
	echo '<p>';
	esc_html_e( 'What is set here is set for each site. A site may protect more forms.', 'human-verification' );
	echo '</p><form method="post" action="edit.php?action=' . esc_attr( PAGE ) . '">';
	wp_nonce_field( PAGE );
	print_table_of_settings( network_settings(), array(), array() );
	submit_button();
	echo '</form></div>';
}

/** Stores what was entered on the page, and shows it again. */
function save_network_page(): void {
	check_admin_referer( PAGE );
	if ( ! current_user_can( 'manage_network_options' ) ) {
		wp_die( esc_html__( 'Sorry, you are not allowed to do that.' ), 403 ); // phpcs:ignore WordPress.WP.I18n
	}
	// sanitize_network() checks each field.
	$input = wp_unslash( $_POST[ OPTION ] ?? array() ); // phpcs:ignore WordPress.Security.ValidatedSanitizedInput
	update_site_option( OPTION, sanitize_network( (array) $input ) );
	if ( ! get_settings_errors( OPTION ) ) {
		add_settings_error( OPTION, 'saved', __( 'Settings saved.' ), 'success' ); // phpcs:ignore WordPress.WP.I18n
	}
	set_transient( 'settings_errors', get_settings_errors(), 30 );
	wp_safe_redirect( network_admin_url( 'settings.php?settings-updated=true&page=' . PAGE ) );
	exit;
}

/**
 * Returns what is stored of what was entered for a network. Its forms need the address, the sitekey and
 * the secret for each site, so they are switched on for the network only where it has all three.
 *
 * @param array $input What was entered.
 */
function sanitize_network( array $input ): array {
	$new          = sanitize_texts( $input, network_settings(), array() );
	$new['forms'] = sanitize_forms( (array) ( $input['forms'] ?? array() ), with_constants( $new ) );
	return $new;
}
