<?php
/**
 * WordPress' own forms. Each check runs only where its form was sent: XML-RPC, REST, application passwords, pingbacks and
 * administrators' pages call the same functions, and have their own checks.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

/** Adds the hooks of the forms that are protected. */
function protect_core_forms(): void {
	if ( is_protected( 'login' ) ) {
		show_on( 'login_form', 'login' );
		// The same form in a theme's widget or block, which is sent to wp-login.php as well.
		add_filter( 'login_form_middle', fn( $html ) => $html . widget( 'login' ) );
		add_action( 'login_footer', __NAMESPACE__ . '\show_way_in' );
		add_action( 'login_init', __NAMESPACE__ . '\check_login_form', PHP_INT_MIN );
		// After the password was checked, at 20: core would replace an earlier error.
		add_filter( 'authenticate', __NAMESPACE__ . '\check_login', 99, 3 );
	}
	if ( is_protected( 'registration' ) ) {
		show_on( 'register_form', 'registration' );
		// Without a word about the name or the address.
		add_filter( 'registration_errors', fn( $errors ) => ( did_action( 'login_init' ) ? refusal( 'registration' ) : null ) ?? $errors, 99 );
		// Multisite. Both of its steps are forms, and each has a token.
		show_on( 'signup_extra_fields', 'registration' );
		show_on( 'signup_blogform', 'registration' );
		add_filter( 'wpmu_validate_user_signup', fn( $result ) => check_signup( $result, 'generic' ), 99 );
		// A member's next site has the second step alone.
		add_filter( 'wpmu_validate_blog_signup', fn( $result ) => check_signup( $result, 'blogname' ), 99 );
	}
	if ( is_protected( 'lost-password' ) ) {
		show_on( 'lostpassword_form', 'lost-password' );
	}
	add_action( 'lostpassword_post', __NAMESPACE__ . '\check_lost_password', 99 );
	$show = function ( $button ) {
		$form = comment_form_of( (int) get_the_ID() );
		return is_protected( $form ) ? widget( $form ) . $button : $button;
	};
	add_filter( 'comment_form_submit_field', $show );
	add_filter( 'preprocess_comment', __NAMESPACE__ . '\check_comment', 1 );
}

/**
 * Refuses a step of wp-signup.php. Administrators' pages call the same functions.
 *
 * @param array  $result What WordPress found.
 * @param string $code   Where the page of this step shows an error.
 */
function check_signup( array $result, string $code ): array {
	$refusal = did_action( 'before_signup_header' ) ? refusal( 'registration' ) : null;
	if ( $refusal ) {
		$result['errors'] = new \WP_Error( $code, $refusal->get_error_message() );
	}
	return $result;
}

/**
 * Takes the password out of a refused log-in form before anything reads it. To WordPress and to plug-ins that limit log-ins its
 * field was left empty: no password was tried, so there is no failure to count, and the answer cannot depend on the password.
 *
 * WordPress keeps the name that was entered.
 */
function check_login_form(): void {
	// WordPress' log-in form has no nonce.
	if ( empty( $_POST['log'] ) || empty( $_POST['pwd'] ) || is_open() ) { // phpcs:ignore WordPress.Security.NonceVerification
		return;
	}
	$refusal = refusal( 'login' );
	if ( $refusal ) {
		$_POST['pwd']    = '';
		$_REQUEST['pwd'] = '';
		answer_login( $refusal );
	}
}

/**
 * Sets what the log-in page answers. Its status is not that of a wrong password, 200, which programs count in the web server's log.
 *
 * @param \WP_Error $refusal The answer.
 */
function answer_login( \WP_Error $refusal ): void {
	status_header( (int) $refusal->get_error_data() );
	// Last, since plug-ins that hide what was wrong put one sentence in place of every other.
	add_filter( 'login_errors', fn() => esc_html( $refusal->get_error_message() ), PHP_INT_MAX );
}

/**
 * Refuses a log-in by wp-login.php, however its password was read, with the same words whether the password was right or wrong.
 *
 * @param mixed  $user     What WordPress found: a user, an error, or null.
 * @param string $username What was entered.
 * @param string $password What was entered.
 */
function check_login( $user, $username, $password ) {
	if ( ! did_action( 'login_init' ) || '' === (string) $username || '' === (string) $password ) {
		return $user;
	}
	$refusal = refusal( 'login' );
	if ( null === $refusal ) {
		return $user;
	}
	// WordPress reports no failed log-in (wp_login_failed) with this code.
	$code = 'empty_password';
	if ( is_open() ) {
		if ( $user instanceof \WP_User && user_can( $user, 'manage_options' ) ) {
			error_log( 'human-verification: an administrator logged in without the check, because HV_OPEN is set in wp-config.php' ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions
			return $user;
		}
		// Without the check only plug-ins that limit log-ins are left against guessing, so they must hear of each wrong password.
		$code = $user instanceof \WP_User ? $code : 'incorrect_password';
	}
	answer_login( $refusal );
	return new \WP_Error( $code, $refusal->get_error_message() );
}

/** Prints a button that the widget does not hold, after the form, so that Enter presses the usual one. */
function show_way_in(): void {
	if ( is_open() && did_action( 'login_form' ) ) {
		printf( '<p style="text-align:center"><button form="loginform" class="button" data-svc-captcha-skip>%s</button></p>', esc_html__( 'Administrators: log in without the check', 'human-verification' ) );
	}
}

/** Reports whether `define( 'HV_OPEN', 'login' )` lets administrators log in without the check. */
function is_open(): bool {
	return defined( 'HV_OPEN' ) && 'login' === \HV_OPEN;
}

/**
 * Refuses to mail a new password, without a word about the name or the address. WooCommerce's form fires the same hook.
 *
 * @param \WP_Error $errors Gets the error.
 */
function check_lost_password( $errors ): void {
	$is_core = did_action( 'login_init' );
	$form    = $is_core ? 'lost-password' : 'wc-lost-password';
	// Neither: an administrator sends the mail.
	if ( ! is_protected( $form ) || ! ( $is_core || isset( $_POST['wc_reset_password'] ) ) ) { // phpcs:ignore WordPress.Security.NonceVerification
		return;
	}
	$refusal = refusal( $form );
	if ( $refusal ) {
		array_map( array( $errors, 'remove' ), $errors->get_error_codes() );
		$errors->add( $refusal->get_error_code(), $refusal->get_error_message() );
	}
}

/**
 * Returns the form to which a comment on a post belongs.
 *
 * @param int $post Id of the post.
 */
function comment_form_of( int $post ): string {
	return 'product' === get_post_type( $post ) ? 'wc-review' : ( is_user_logged_in() ? 'comment-members' : 'comment' );
}

/**
 * Refuses a comment of the comment form. The browser's way back keeps the text, as with WordPress' own errors.
 *
 * @param array $comment The comment.
 */
function check_comment( $comment ) {
	$form = comment_form_of( (int) $comment['comment_post_ID'] );
	// Only wp-comments-post.php runs this action: REST, XML-RPC, pingbacks and replies on administrators' pages do not.
	$refusal = did_action( 'pre_comment_on_post' ) && is_protected( $form ) ? refusal( $form ) : null;
	if ( $refusal ) {
		refuse_comment( $refusal, $form );
	}
	return $comment;
}

/**
 * Ends the request with the comment in a form of its own, which has a box: the form that was sent may have none.
 *
 * @param \WP_Error $refusal The answer.
 * @param string    $form    A key of forms().
 */
function refuse_comment( \WP_Error $refusal, string $form ): void {
	$again = sprintf(
		'<form method="post" action="%s">%s%s<button id="submit" class="button">%s</button></form>',
		esc_url( site_url( '/wp-comments-post.php' ) ),
		fields_of_this_request(),
		widget( $form ),
		esc_html__( 'Post Comment' ) // phpcs:ignore WordPress.WP.I18n -- WordPress has this text.
	);
	wp_die(
		'<p>' . esc_html( $refusal->get_error_message() ) . '</p>' . $again, // phpcs:ignore WordPress.Security.EscapeOutput -- Escaped above.
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
	// Fields may be lists of lists. The encoded form names each value in full. esc_attr() would keep an "&lt;" as it is, and the
	// comment would have "<" instead.
	foreach ( array_filter( explode( '&', http_build_query( $sent ) ) ) as $pair ) {
		list( $name, $value ) = array_map( 'urldecode', explode( '=', $pair, 2 ) );
		$fields .= sprintf( '<input type="hidden" name="%s" value="%s">', esc_textarea( $name ), esc_textarea( $value ) );
	}
	return $fields;
}
