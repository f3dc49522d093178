<?php
/**
 * The forms of Elementor Pro.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

add_action( 'init', __NAMESPACE__ . '\protect_elementor' );

/** Adds the hook of the form that is not in the table. */
function protect_elementor(): void {
	if ( is_protected( 'elementor' ) ) {
		add_filter( 'elementor/widget/render_content', __NAMESPACE__ . '\show_in_elementor', 10, 2 );
	}
}

/**
 * Puts the box above the button of a form.
 *
 * @param string $html   What a widget of Elementor shows.
 * @param object $widget The widget.
 */
function show_in_elementor( $html, $widget ) {
	if ( 'form' !== $widget->get_name() ) {
		return $html;
	}
	// The fields stand in rows that wrap: the box is a row.
	$row = '<div class="elementor-field-group elementor-column elementor-col-100">' . widget( 'elementor' ) . '</div>';
	return put_above( '~<div\b[^>]*\belementor-field-type-submit\b|</form>~', $row, $html );
}

/**
 * Refuses an entry: the sentence stands below the form.
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
