<?php
/**
 * The comment form. A review of a product of WooCommerce is a comment as well.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

add_action( 'init', __NAMESPACE__ . '\protect_comments' );

/** Adds the hooks of the form. */
function protect_comments(): void {
	add_filter( 'comment_form_submit_field', __NAMESPACE__ . '\show_above_button' );
	add_filter( 'preprocess_comment', __NAMESPACE__ . '\check_comment', 1 );
}

/**
 * Returns the form to which a comment on a post belongs.
 *
 * @param int $post Id of the post.
 */
function comment_form_of( int $post ): string {
	if ( 'product' === get_post_type( $post ) ) {
		return 'wc-review';
	}
	return is_user_logged_in() ? 'comment-members' : 'comment';
}

/**
 * Puts the box above the button.
 *
 * @param string $button The button of the form.
 */
function show_above_button( $button ) {
	$form = comment_form_of( (int) get_the_ID() );
	return is_protected( $form ) ? widget( $form ) . $button : $button;
}

/**
 * Refuses a comment of the comment form.
 *
 * @param array $comment The comment.
 */
function check_comment( $comment ) {
	// Only wp-comments-post.php runs this action: REST, XML-RPC, pingbacks and replies on administrators' pages do not.
	if ( ! did_action( 'pre_comment_on_post' ) ) {
		return $comment;
	}
	$form    = comment_form_of( (int) $comment['comment_post_ID'] );
	$refusal = is_protected( $form ) ? refusal( $form ) : null;
	if ( null !== $refusal ) {
		refuse_comment( $refusal, $form );
	}
	return $comment;
}

/**
 * Ends the request with the comment in a form of its own, which has a box: the form that was sent
 * may have none. The browser's way back keeps the text, as with WordPress' own errors.
 *
 * @param \WP_Error $refusal The answer.
 * @param string    $form    A key of forms().
 */
function refuse_comment( \WP_Error $refusal, string $form ): void {
	$again    = sprintf(
		'<form method="post" action="%s">%s%s<button id="submit" class="button">%s</button></form>',
		esc_url( site_url( '/wp-comments-post.php' ) ),
		fields_of_this_request(),
		widget( $form ),
		esc_html__( 'Post Comment' ) // phpcs:ignore WordPress.WP.I18n -- WordPress has this text.
	);
	$sentence = '<p>' . esc_html( $refusal->get_error_message() ) . '</p>';
	wp_die(
		$sentence . $again, // phpcs:ignore WordPress.Security.EscapeOutput -- Escaped above.
		esc_html__( 'Comment Submission Failure' ), // phpcs:ignore WordPress.WP.I18n -- As above.
		array(
			'response'  => (int) $refusal->get_error_data(),
			'back_link' => true,
		)
	);
}

/** Returns what this request has sent, without its token, as hidden fields. */
function fields_of_this_request(): string {
	$sent = wp_unslash( $_POST ); // phpcs:ignore WordPress.Security.NonceVerification -- The comment form has no nonce.
	unset( $sent['svc-response'] );
	$fields = '';
	// Fields may be lists of lists. The encoded form names each value in full. esc_attr() would
	// keep an "&lt;" as it is, and the comment would have "<" instead.
	foreach ( array_filter( explode( '&', http_build_query( $sent ) ) ) as $pair ) {
		list( $name, $value ) = array_map( 'urldecode', explode( '=', $pair, 2 ) );

		$html    = '<input type="hidden" name="%s" value="%s">';
		$fields .= sprintf( $html, esc_textarea( $name ), esc_textarea( $value ) );
	}
	return $fields;
}
