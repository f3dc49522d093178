<?php
/**
 * Moves from another plug-in with a captcha: finds it, reads which forms it guards, protects the same forms
 * here, and can go back. It changes nothing of the other plug-in.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** Where the forms are kept that were protected before a move. */
const OPTION_BEFORE = 'human_verification_before';

/** Names of forms in the settings of hCaptcha, each with ours. */
const FORMS_OF_HCAPTCHA = array(
	'wp_status'            => array(
		'login'     => 'login',
		'register'  => 'registration',
		'signup'    => 'registration',
		'lost_pass' => 'lost-password',
		'comment'   => 'comment',
	),
	'woocommerce_status'   => array(
		'login'     => 'wc-login',
		'register'  => 'wc-registration',
		'lost_pass' => 'wc-lost-password',
		'checkout'  => 'wc-checkout',
	),
	'cf7_status'           => array( 'form' => 'contact' ),
	'wpforms_status'       => array( 'form' => 'wpforms' ),
	'fluent_status'        => array( 'form' => 'fluent' ),
	'forminator_status'    => array( 'form' => 'forminator' ),
	'ninja_status'         => array( 'form' => 'ninja' ),
	'elementor_pro_status' => array( 'form' => 'elementor' ),
	'gravity_status'       => array( 'form' => 'gravity' ),
);

/** Options of Simple Cloudflare Turnstile that switch a form on, each with ours. */
const OPTIONS_OF_TURNSTILE = array(
	'cfturnstile_login'            => 'login',
	'cfturnstile_register'         => 'registration',
	'cfturnstile_reset'            => 'lost-password',
	'cfturnstile_comment'          => 'comment',
	'cfturnstile_cf7_all'          => 'contact',
	'cfturnstile_wpforms'          => 'wpforms',
	'cfturnstile_fluent'           => 'fluent',
	'cfturnstile_forminator'       => 'forminator',
	'cfturnstile_elementor'        => 'elementor',
	'cfturnstile_gravity'          => 'gravity',
	'cfturnstile_woo_login'        => 'wc-login',
	'cfturnstile_woo_register'     => 'wc-registration',
	'cfturnstile_woo_reset'        => 'wc-lost-password',
	'cfturnstile_woo_checkout'     => 'wc-checkout',
	'cfturnstile_woo_checkout_pay' => 'wc-checkout',
);

/** Options of ALTCHA that switch a form on, each with ours. */
const OPTIONS_OF_ALTCHA = array(
	'altcha_integration_wordpress_login'            => 'login',
	'altcha_integration_wordpress_register'         => 'registration',
	'altcha_integration_wordpress_reset_password'   => 'lost-password',
	'altcha_integration_wordpress_comments'         => 'comment',
	'altcha_integration_contact_form_7'             => 'contact',
	'altcha_integration_wpforms'                    => 'wpforms',
	'altcha_integration_forminator'                 => 'forminator',
	'altcha_integration_elementor'                  => 'elementor',
	'altcha_integration_gravityforms'               => 'gravity',
	'altcha_integration_woocommerce_login'          => 'wc-login',
	'altcha_integration_woocommerce_register'       => 'wc-registration',
	'altcha_integration_woocommerce_reset_password' => 'wc-lost-password',
);

/** Keys of the option of reCaptcha by BestWebSoft, each with ours. */
const FORMS_OF_RECAPTCHA = array(
	'login_form'        => 'login',
	'registration_form' => 'registration',
	'reset_pwd_form'    => 'lost-password',
	'comments_form'     => 'comment',
);

/**
 * Returns the plug-ins that are moved from.
 *
 * @return array<string, array{name: string, forms: string}> By their files: the name, and the function that reads
 *     which forms they guard.
 */
function other_captchas(): array {
	return array(
		'hcaptcha-for-forms-and-more/hcaptcha.php' => array(
			'name'  => 'hCaptcha',
			'forms' => 'forms_of_hcaptcha',
		),
		'simple-cloudflare-turnstile/simple-cloudflare-turnstile.php' => array(
			'name'  => 'Simple Cloudflare Turnstile',
			'forms' => 'forms_of_turnstile',
		),
		'altcha-spam-protection/altcha.php'        => array(
			'name'  => 'ALTCHA',
			'forms' => 'forms_of_altcha',
		),
		'google-captcha/google-captcha.php'        => array(
			'name'  => 'reCaptcha by BestWebSoft',
			'forms' => 'forms_of_recaptcha',
		),
	);
}

/**
 * Returns the plug-ins of the table that are active here.
 *
 * @return array<string, string[]> The forms that each guards, by its name.
 */
function captchas_here(): array {
	require_once ABSPATH . 'wp-admin/includes/plugin.php';
	$found = array();
	foreach ( other_captchas() as $file => $row ) {
		if ( is_plugin_active( $file ) ) {
			$read_forms = __NAMESPACE__ . '\\' . $row['forms'];

			$found[ $row['name'] ] = array_values( array_unique( $read_forms() ) );
		}
	}
	return $found;
}

/** Returns the settings of hCaptcha, which a multisite may keep for its whole network. */
function settings_of_hcaptcha(): array {
	$is_of_network = is_multisite() && array( 'on' ) === get_site_option( 'hcaptcha_settings_network_wide' );
	$settings      = $is_of_network ? get_site_option( 'hcaptcha_settings' ) : get_option( 'hcaptcha_settings' );
	return is_array( $settings ) ? $settings : array();
}

/** Returns the forms that hCaptcha guards. */
function forms_of_hcaptcha(): array {
	$settings = settings_of_hcaptcha();
	$forms    = array();
	foreach ( FORMS_OF_HCAPTCHA as $status => $names ) {
		$chosen = array_flip( array_filter( (array) ( $settings[ $status ] ?? array() ), 'is_string' ) );
		$forms  = array_merge( $forms, array_values( array_intersect_key( $names, $chosen ) ) );
	}
	return $forms;
}

/** Returns the forms that Simple Cloudflare Turnstile guards. */
function forms_of_turnstile(): array {
	return array_values( array_filter( OPTIONS_OF_TURNSTILE, 'get_option', ARRAY_FILTER_USE_KEY ) );
}

/** Returns the forms that ALTCHA guards. */
function forms_of_altcha(): array {
	return array_values( array_filter( OPTIONS_OF_ALTCHA, 'get_option', ARRAY_FILTER_USE_KEY ) );
}

/** Returns the forms that reCaptcha by BestWebSoft guards. */
function forms_of_recaptcha(): array {
	$chosen = array_filter( (array) get_option( 'gglcptch_options', array() ) );
	return array_values( array_intersect_key( FORMS_OF_RECAPTCHA, $chosen ) );
}

/**
 * Protects the forms that another plug-in guards, beside those that are protected already.
 *
 * @param string[] $forms Keys of forms().
 */
function move_to_here( array $forms ): void {
	if ( false === get_option( OPTION_BEFORE ) ) {
		add_option( OPTION_BEFORE, settings()['forms'], '', false );
	}
	protect_forms( array_merge( settings()['forms'], $forms ) );
}

/** Protects the forms that were protected before the first move. */
function move_back(): void {
	$before = get_option( OPTION_BEFORE );
	if ( is_array( $before ) ) {
		protect_forms( $before );
		delete_option( OPTION_BEFORE );
	}
}

/**
 * Stores which forms are protected.
 *
 * @param string[] $forms Keys of forms().
 */
function protect_forms( array $forms ): void {
	$stored          = (array) get_option( OPTION, array() );
	$stored['forms'] = sanitize_forms( $forms, settings() );
	update_option( OPTION, $stored );
}
