<?php
/**
 * The table of the forms that can be protected: another plug-in is one row, a file of forms/ with its
 * check, the line of human-verification.php that loads it, and a test.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

add_action( 'init', __NAMESPACE__ . '\add_hooks_of_forms' );

/**
 * Returns the rows of the table.
 *
 * @return array<string, array{label: string, action: string, shown: string[], checked: array<string, string>}> By the
 *     name of the form: its label; the action that is bound into its tokens; the actions that print its box; the
 *     hooks that check it, each with the function of this plug-in that does; `button` for the filter of a button
 *     above which the box stands; and `script`, a file of assets/, where a script sends the form and its page
 *     stays. Hooks of another kind stand in the form's own file.
 */
function forms(): array {
	return forms_of_wordpress() + forms_of_woocommerce() + forms_of_builders();
}

/** Returns the rows of WordPress itself. */
function forms_of_wordpress(): array {
	return array(
		'login'           => array(
			'label'   => __( 'Log-in', 'human-verification' ),
			'action'  => 'login',
			'shown'   => array( 'login_form' ),
			'checked' => array( 'authenticate' => 'check_login' ),
		),
		'login-other'     => array(
			'label'   => __( 'Log-in by forms of themes and other plug-ins', 'human-verification' ),
			'action'  => 'login',
			'shown'   => array(),
			'checked' => array( 'wp_authenticate' => 'check_other_login' ),
		),
		'registration'    => array(
			'label'   => __( 'Registration', 'human-verification' ),
			'action'  => 'registration',
			'shown'   => array( 'register_form', 'signup_extra_fields', 'signup_blogform' ),
			'checked' => array( 'registration_errors' => 'check_registration' ),
		),
		'lost-password'   => array(
			'label'   => __( 'Lost password', 'human-verification' ),
			'action'  => 'lost-password',
			'shown'   => array( 'lostpassword_form' ),
			'checked' => array( 'lostpassword_post' => 'check_lost_password' ),
		),
		'comment'         => array(
			'label'   => __( 'Comments', 'human-verification' ),
			'action'  => 'comment',
			'shown'   => array(),
			'checked' => array(),
		),
		'comment-members' => array(
			'label'   => __( 'Comments of visitors who are logged in', 'human-verification' ),
			'action'  => 'comment',
			'shown'   => array(),
			'checked' => array(),
		),
		'rest'            => array(
			'label'   => __( 'REST: comments, registrations', 'human-verification' ),
			'action'  => 'rest',
			'shown'   => array(),
			'checked' => array( 'rest_request_before_callbacks' => 'check_rest' ),
		),
	);
}

/** Returns the rows of WooCommerce. */
function forms_of_woocommerce(): array {
	return array(
		'wc-login'         => array(
			'label'   => __( 'WooCommerce: log-in', 'human-verification' ),
			'action'  => 'login',
			'shown'   => array( 'woocommerce_login_form' ),
			'checked' => array( 'woocommerce_process_login_errors' => 'check_errors_of_woocommerce_login' ),
		),
		'wc-registration'  => array(
			'label'   => __( 'WooCommerce: registration', 'human-verification' ),
			'action'  => 'registration',
			'shown'   => array( 'woocommerce_register_form' ),
			'checked' => array( 'woocommerce_process_registration_errors' => 'check_woocommerce_registration' ),
		),
		'wc-lost-password' => array(
			'label'   => __( 'WooCommerce: lost password', 'human-verification' ),
			'action'  => 'lost-password',
			'shown'   => array( 'woocommerce_lostpassword_form' ),
			'checked' => array( 'lostpassword_post' => 'check_woocommerce_lost_password' ),
		),
		'wc-review'        => array(
			'label'   => __( 'WooCommerce: reviews', 'human-verification' ),
			'action'  => 'review',
			'shown'   => array(),
			'checked' => array(),
		),
		'wc-checkout'      => array(
			'label'   => __( 'WooCommerce: checkout, Store API', 'human-verification' ),
			'action'  => 'checkout',
			'shown'   => array(
				'woocommerce_review_order_before_submit',
				'woocommerce_pay_order_before_submit',
				'woocommerce_add_payment_method_form_bottom',
			),
			'checked' => array(
				'woocommerce_checkout_process'  => 'check_woocommerce_checkout',
				// A notice of an error keeps WooCommerce from calling the gateway.
				'woocommerce_before_pay_action' => 'check_woocommerce_checkout',
				'woocommerce_add_payment_method_form_is_valid' => 'check_added_payment_method',
				'rest_request_before_callbacks' => 'check_store_api',
			),
		),
	);
}

/** Returns the rows of plug-ins that make contact forms. */
function forms_of_builders(): array {
	return array(
		'contact'    => array(
			'label'   => 'Contact Form 7',
			'action'  => 'contact-form',
			'shown'   => array(),
			'checked' => array(),
		),
		'wpforms'    => array(
			'label'   => 'WPForms',
			'action'  => 'contact-form',
			'shown'   => array( 'wpforms_display_submit_before' ),
			'checked' => array( 'wpforms_process_initial_errors' => 'check_wpforms' ),
			'script'  => 'refused',
		),
		'fluent'     => array(
			'label'   => 'Fluent Forms',
			'action'  => 'contact-form',
			'shown'   => array( 'fluentform/render_item_submit_button' ),
			'checked' => array( 'fluentform/validation_errors' => 'check_fluent_forms' ),
			'script'  => 'refused',
		),
		'forminator' => array(
			'label'   => 'Forminator',
			'action'  => 'contact-form',
			'shown'   => array(),
			'button'  => 'forminator_render_button_markup',
			'checked' => array( 'forminator_custom_form_submit_errors' => 'check_forminator' ),
			'script'  => 'refused',
		),
		'ninja'      => array(
			'label'   => 'Ninja Forms',
			'action'  => 'contact-form',
			'shown'   => array( 'ninja_forms_after_form_display' ),
			'checked' => array( 'ninja_forms_submit_data' => 'check_ninja_forms' ),
			'script'  => 'ninja-forms',
		),
		'elementor'  => array(
			'label'   => 'Elementor Pro',
			'action'  => 'contact-form',
			'shown'   => array(),
			'checked' => array( 'elementor_pro/forms/validation' => 'check_elementor' ),
			'script'  => 'refused',
		),
		'gravity'    => array(
			'label'   => 'Gravity Forms',
			'action'  => 'contact-form',
			'shown'   => array(),
			'button'  => 'gform_submit_button',
			'checked' => array(
				'gform_validation'                         => 'check_gravity_forms',
				'gform_abort_submission_with_confirmation' => 'abort_gravity_forms',
			),
		),
	);
}

/** Adds the hooks of the forms that are protected. */
function add_hooks_of_forms(): void {
	foreach ( forms() as $form => $row ) {
		if ( is_protected( $form ) ) {
			add_hooks_of( $form, $row );
		}
	}
}

/**
 * Adds the hooks of a form.
 *
 * @param string $form Its name.
 * @param array  $row  Its row.
 */
function add_hooks_of( string $form, array $row ): void {
	foreach ( $row['shown'] as $hook ) {
		show_on( $hook, $form );
	}
	if ( isset( $row['button'] ) ) {
		add_filter( $row['button'], fn( $html ) => widget( $form ) . $html );
	}
	foreach ( $row['checked'] as $hook => $check ) {
		// After the checks of others, so that a form which they refuse keeps its token. A log-in is checked
		// before: see forms/login.php.
		add_filter( $hook, __NAMESPACE__ . '\\' . $check, 99, 4 );
	}
}

/**
 * Returns the action that is bound into the tokens of a form.
 *
 * @param string $form A key of forms().
 */
function action_of( string $form ): string {
	return forms()[ $form ]['action'];
}
