<?php
/**
 * The settings page, and what administrators are told.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

add_action( 'admin_init', fn() => register_setting( OPTION, OPTION, array( 'sanitize_callback' => __NAMESPACE__ . '\sanitize' ) ) );
add_filter( 'plugin_action_links_' . plugin_basename( dirname( __DIR__ ) . '/human-verification.php' ), fn( $links ) => array( 'settings' => '<a href="' . menu_page_url( PAGE, false ) . '">' . esc_html__( 'Settings', 'human-verification' ) . '</a>' ) + $links );
add_action( 'admin_menu', fn() => add_options_page( 'Human Verification', 'Human Verification', 'manage_options', PAGE, __NAMESPACE__ . '\settings_page' ) );
add_action(
	'admin_bar_menu',
	function ( $bar ) {
		if ( is_open() && current_user_can( 'manage_options' ) ) {
			$bar->add_node(
				array(
					'id'    => PAGE,
					'title' => esc_html__( 'HV_OPEN: administrators log in without the check', 'human-verification' ),
					'href'  => admin_url( 'options-general.php?page=' . PAGE ),
				)
			);
		}
	},
	100
);

/** Prints the settings page. */
function settings_page(): void {
	$settings = settings();
	$fields   = array(
		'service'   => array( __( 'Address of the service', 'human-verification' ), 'https://verify.example.com', '' ),
		'sitekey'   => array( __( 'Sitekey', 'human-verification' ), 'hv_site_…', '' ),
		'secret'    => array( __( 'Secret', 'human-verification' ), '' === $settings['secret'] ? 'hv_secret_…' : '••••••••', __( 'Better: define( \'HV_SECRET\', \'…\' ) in wp-config.php, so that the database does not hold it.', 'human-verification' ) ),
		'threshold' => array( __( 'Threshold', 'human-verification' ), '', __( 'From 0 to 1, if it should be stricter than the threshold of the service.', 'human-verification' ) ),
		'proxies'   => array( __( 'Trusted proxies', 'human-verification' ), '', __( 'Addresses or ranges (10.0.0.0/8) of your proxies, which may append to X-Forwarded-For, or "direct" without a proxy. Empty: the visitor\'s address is not compared.', 'human-verification' ) ),
	);
	echo '<div class="wrap"><h1>Human Verification</h1><form method="post" action="options.php">';
	settings_fields( OPTION );
	echo '<table class="form-table" role="presentation">';
	foreach ( $fields as $key => list( $label, $example, $help ) ) {
		$constant = constants()[ $key ] ?? null;
		/* translators: %s: name of a constant. */
		$help = $constant ? sprintf( __( 'The constant %s in wp-config.php sets this.', 'human-verification' ), $constant ) : $help;
		printf(
			'<tr><th scope="row"><label for="hv-%1$s">%2$s</label></th><td><input class="regular-text" id="hv-%1$s" name="%3$s[%1$s]" type="%4$s" value="%5$s" placeholder="%6$s" autocomplete="off"%7$s><p class="description">%8$s</p></td></tr>',
			esc_attr( $key ),
			esc_html( $label ),
			esc_attr( OPTION ),
			'secret' === $key ? 'password' : 'text',
			esc_attr( 'secret' === $key ? '' : $settings[ $key ] ),
			esc_attr( $example ),
			disabled( null !== $constant, true, false ),
			esc_html( $help )
		);
	}
	echo '<tr><th scope="row">' . esc_html__( 'Protected forms', 'human-verification' ) . '</th><td><fieldset>';
	foreach ( forms() as $form => list( $label ) ) {
		printf( '<label><input type="checkbox" name="%s[forms][]" value="%s"%s> %s</label><br>', esc_attr( OPTION ), esc_attr( $form ), checked( is_protected( $form ), true, false ), esc_html( $label ) );
	}
	echo '</fieldset><p class="description">' . esc_html__( 'XML-RPC and application passwords are not forms: switch off what you do not use. The checkout block and express buttons of WooCommerce cannot be protected.', 'human-verification' ) . '</p></td></tr></table>';
	submit_button();
	echo '</form><form method="post" action="#hv-connection"><h2 id="hv-connection">' . esc_html__( 'Connection', 'human-verification' ) . '</h2>';
	if ( isset( $_POST['hv-test'] ) && check_admin_referer( 'hv-test' ) ) {
		echo '<ul role="status">';
		foreach ( test_connection() as list( $is_good, $sentence ) ) {
			printf( '<li>%s %s</li>', $is_good ? '✓' : '✗', esc_html( $sentence ) );
		}
		echo '</ul>';
	}
	wp_nonce_field( 'hv-test' );
	submit_button( __( 'Test the connection', 'human-verification' ), 'secondary', 'hv-test' );
	echo '</form></div>';
}
