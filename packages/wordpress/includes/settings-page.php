<?php
/**
 * The settings page, and what administrators are told.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** Slug of the settings page. */
const PAGE = 'human-verification';

add_action( 'admin_init', __NAMESPACE__ . '\register_settings' );
add_action( 'admin_menu', __NAMESPACE__ . '\add_settings_page' );
add_action( 'admin_bar_menu', __NAMESPACE__ . '\warn_in_admin_bar', 100 );
add_filter(
	'plugin_action_links_' . plugin_basename( dirname( __DIR__ ) . '/human-verification.php' ),
	__NAMESPACE__ . '\add_settings_link'
);

/** Registers the option. WordPress stores nothing of it that sanitize() has not returned. */
function register_settings(): void {
	register_setting( OPTION, OPTION, array( 'sanitize_callback' => __NAMESPACE__ . '\sanitize' ) );
}

/** Adds the page to the menu of settings. */
function add_settings_page(): void {
	$title = 'Human Verification';
	add_options_page( $title, $title, 'manage_options', PAGE, __NAMESPACE__ . '\settings_page' );
}

/**
 * Adds a link to the row of the plug-in in the list of plug-ins.
 *
 * @param string[] $links The other links.
 * @return string[]
 */
function add_settings_link( array $links ): array {
	$label = esc_html__( 'Settings', 'human-verification' );
	$link  = '<a href="' . menu_page_url( PAGE, false ) . '">' . $label . '</a>';
	return array( 'settings' => $link ) + $links;
}

/**
 * Reminds administrators on every page of a way in that is open.
 *
 * @param \WP_Admin_Bar $bar The bar.
 */
function warn_in_admin_bar( $bar ): void {
	if ( ! is_open() || ! current_user_can( 'manage_options' ) ) {
		return;
	}
	$bar->add_node(
		array(
			'id'    => PAGE,
			'title' => esc_html__( 'HV_OPEN: administrators log in without the check', 'human-verification' ),
			'href'  => admin_url( 'options-general.php?page=' . PAGE ),
		)
	);
}

/** Prints the settings page. */
function settings_page(): void {
	echo '<div class="wrap"><h1>Human Verification</h1><form method="post" action="options.php">';
	settings_fields( OPTION );
	print_table_of_settings( settings(), fixed_settings(), network_settings()['forms'] );
	submit_button();
	echo '</form>';
	print_moving();
	print_connection();
	echo '</div>';
}

/**
 * Prints the fields of the settings, for a site and for a network.
 *
 * @param array    $settings The settings.
 * @param array    $fixed    Those that cannot be changed here.
 * @param string[] $always   The forms that cannot be switched off here.
 */
function print_table_of_settings( array $settings, array $fixed, array $always ): void {
	echo '<table class="form-table" role="presentation">';
	foreach ( text_fields( $settings ) as $key => $field ) {
		print_text_field( $key, $field + array( 'value' => $settings[ $key ] ), isset( $fixed[ $key ] ) );
	}
	print_forms( $settings['forms'], $always );
	echo '</table>';
}

/**
 * Returns the fields that hold a text.
 *
 * @return array<string, array{label: string, example: string, help: string}> By the keys of settings().
 * @param array $settings The settings.
 */
function text_fields( array $settings ): array {
	$proxies = __(
		'Addresses or ranges (10.0.0.0/8) of your proxies, which may append to X-Forwarded-For.',
		'human-verification'
	);
	$others  = __(
		'Without a proxy: "direct". Empty: the visitor\'s address is not compared.',
		'human-verification'
	);
	return array(
		'service'   => array(
			'label'   => __( 'Address of the service', 'human-verification' ),
			'example' => 'https://verify.example.com',
			'help'    => '',
		),
		'sitekey'   => array(
			'label'   => __( 'Sitekey', 'human-verification' ),
			'example' => 'hv_site_…',
			'help'    => '',
		),
		'secret'    => array(
			'label'   => __( 'Secret', 'human-verification' ),
			'example' => '' === $settings['secret'] ? 'hv_secret_…' : '••••••••',
			'help'    => __(
				'Better: define( \'HV_SECRET\', \'…\' ) in wp-config.php, so that the database does not hold it.',
				'human-verification'
			),
		),
		'threshold' => array(
			'label'   => __( 'Threshold', 'human-verification' ),
			'example' => '',
			'help'    => __(
				'From 0 to 1, if it should be stricter than the threshold of the service.',
				'human-verification'
			),
		),
		'proxies'   => array(
			'label'   => __( 'Trusted proxies', 'human-verification' ),
			'example' => '',
			'help'    => "$proxies $others",
		),
	);
}

/**
 * Prints a row of the page. The stored secret is never shown.
 *
 * @param string $key      A key of settings().
 * @param array  $field    A row of text_fields(), with its `value`.
 * @param bool   $is_fixed Whether it cannot be changed here.
 */
function print_text_field( string $key, array $field, bool $is_fixed ): void {
	$is_secret = 'secret' === $key;
	$help      = $is_fixed ? help_of_fixed_field( $key ) : $field['help'];
	$id        = "hv-$key";
	echo '<tr><th scope="row"><label for="' . esc_attr( $id ) . '">';
	echo esc_html( $field['label'] ) . '</label></th><td>';
	printf(
		'<input class="regular-text" id="%s" name="%s" type="%s" value="%s" placeholder="%s" autocomplete="off"%s>',
		esc_attr( $id ),
		esc_attr( OPTION . "[$key]" ),
		$is_secret ? 'password' : 'text',
		esc_attr( $is_secret ? '' : $field['value'] ),
		esc_attr( $field['example'] ),
		disabled( $is_fixed, true, false )
	);
	echo '<p class="description">' . esc_html( $help ) . '</p></td></tr>';
}

/**
 * Returns what a row says that cannot be changed.
 *
 * @param string $key A key of settings().
 */
function help_of_fixed_field( string $key ): string {
	$constant = CONSTANTS[ $key ] ?? '';
	if ( ! defined( $constant ) ) {
		return __( 'The network sets this.', 'human-verification' );
	}
	/* translators: %s: name of a constant. */
	return sprintf( __( 'The constant %s in wp-config.php sets this.', 'human-verification' ), $constant );
}

/**
 * Prints a box to tick for each form that can be protected.
 *
 * @param string[] $chosen The forms that are protected.
 * @param string[] $always Those that cannot be switched off here.
 */
function print_forms( array $chosen, array $always ): void {
	echo '<tr><th scope="row">' . esc_html__( 'Protected forms', 'human-verification' ) . '</th><td><fieldset>';
	foreach ( forms() as $form => $row ) {
		printf(
			'<label><input type="checkbox" name="%s[forms][]" value="%s"%s%s> %s</label><br>',
			esc_attr( OPTION ),
			esc_attr( $form ),
			checked( in_array( $form, $chosen, true ), true, false ),
			disabled( in_array( $form, $always, true ), true, false ),
			esc_html( $row['label'] )
		);
	}
	echo '</fieldset><p class="description">';
	esc_html_e(
		'XML-RPC and application passwords are not forms: switch off what you do not use.',
		'human-verification'
	);
	echo '</p></td></tr>';
}

/** Prints the button that tests the connection, and what the test found. */
function print_connection(): void {
	echo '<form method="post" action="#hv-connection"><h2 id="hv-connection">';
	echo esc_html__( 'Connection', 'human-verification' ) . '</h2>';
	if ( isset( $_POST['hv-test'] ) && check_admin_referer( 'hv-test' ) ) {
		echo '<ul role="status">';
		foreach ( test_connection() as list( $is_good, $sentence ) ) {
			printf( '<li>%s %s</li>', $is_good ? '✓' : '✗', esc_html( $sentence ) );
		}
		echo '</ul>';
	}
	wp_nonce_field( 'hv-test' );
	submit_button( __( 'Test the connection', 'human-verification' ), 'secondary', 'hv-test' );
	echo '</form>';
}
