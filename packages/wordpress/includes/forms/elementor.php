<?php
/**
 * The forms of Elementor Pro: those of its widget "Form", and the atomic forms of Elementor 4, which are sent by
 * another action and take only fields that have an attribute of Elementor.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** The action of admin-ajax.php by which atomic forms are sent. */
const ACTION_OF_ATOMIC_FORMS = 'elementor_pro_atomic_forms_send_form';

add_action( 'init', __NAMESPACE__ . '\protect_elementor' );

/** Adds the hooks of the forms that are not in the table. */
function protect_elementor(): void {
	if ( ! is_protected( 'elementor' ) ) {
		return;
	}
	add_filter( 'elementor/widget/render_content', __NAMESPACE__ . '\show_in_elementor', 10, 2 );
	// Whatever sends the entry comes later.
	add_action( 'wp_ajax_' . ACTION_OF_ATOMIC_FORMS, __NAMESPACE__ . '\check_atomic_form', PHP_INT_MIN );
	add_action( 'wp_ajax_nopriv_' . ACTION_OF_ATOMIC_FORMS, __NAMESPACE__ . '\check_atomic_form', PHP_INT_MIN );
}

/**
 * Puts the box above the button of a form.
 *
 * @param string $html   What a widget of Elementor shows.
 * @param object $widget The widget.
 */
function show_in_elementor( $html, $widget ) {
	if ( 'form' === $widget->get_name() ) {
		// The fields stand in rows that wrap: the box is a row.
		$classes = 'elementor-field-group elementor-column elementor-col-100';
		$row     = "<div class=\"$classes\">" . widget( 'elementor' ) . '</div>';
		return put_above( '~<div\b[^>]*\belementor-field-type-submit\b|</form>~', $row, $html );
	}
	if ( 'e-form-submit-button' === $widget->get_name() ) {
		return '<div style="flex-basis:100%">' . widget( 'elementor' ) . script_of_atomic_forms() . '</div>' . $html;
	}
	return $html;
}

/** Returns the script that adds the token to an atomic form, to stand beside the box: Elementor caches the markup. */
function script_of_atomic_forms(): string {
	$attributes = array(
		'src'   => plugins_url( 'assets/elementor-atomic.js', PLUGIN_FILE ),
		'defer' => true,
	);
	return wp_get_script_tag( $attributes + UNTOUCHED );
}

/**
 * Refuses an entry of the widget "Form": the sentence stands below the form.
 *
 * @param object $record  The entry.
 * @param object $handler Takes the errors.
 */
function check_elementor( $record, $handler ): void {
	$refusal = empty( $handler->errors ) ? refusal( 'elementor' ) : null;
	if ( null !== $refusal ) {
		$sentence = esc_html( $refusal->get_error_message() );
		// Elementor goes on unless a field has an error. It shows none for a field that the form does not have.
		$handler->add_error( 'human-verification', $sentence );
		$handler->add_error_message( $sentence );
	}
}

/** Refuses an entry of an atomic form, which shows its own message of an error. */
function check_atomic_form(): void {
	$refusal = refusal_of_request( 'elementor', take_token_of_atomic_form() );
	if ( null !== $refusal ) {
		wp_send_json_error( array( 'message' => $refusal->get_error_message() ) );
	}
}

/** Takes the token out of the fields of this request, so that it is neither mailed nor stored, and returns it. */
function take_token_of_atomic_form() {
	// Elementor checks the nonce; the service reads the token.
	$fields = wp_unslash( $_POST['form_fields'] ?? array() ); // phpcs:ignore WordPress.Security
	$token  = null;
	foreach ( is_array( $fields ) ? $fields : array() as $at => $field ) {
		if ( 'svc-response' === ( $field['id'] ?? null ) ) {
			$token = $field['value'] ?? null;
			unset( $_POST['form_fields'][ $at ] );
		}
	}
	return $token;
}
