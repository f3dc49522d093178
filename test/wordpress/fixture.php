<?php
/**
 * What the tests put beside the plug-in, as mu-plugin: no mail leaves the machine, comments may come fast, and another plug-in has a field in the log-in
 * form. Plug-ins that are in no registry: `?fixture=NAME` fires their hooks in the order of their documentation.
 */
add_filter( 'pre_wp_mail', '__return_true' );
add_filter( 'wp_is_comment_flood', '__return_false', 99 );
add_action( 'login_form', fn() => print '<p><label>Code <input name="two-factor-code"></label></p>' );
add_filter( 'authenticate', fn( $user ) => $user instanceof WP_User && '' === ( $_POST['two-factor-code'] ?? '1' ) ? new WP_Error( 'code', 'The code is missing.' ) : $user, 200 );
add_action( 'human_verification_refused', fn( $form, $rule ) => error_log( "refused: $form by $rule" ), 10, 2 );

// What plug-ins that lock people out listen to: the action, and what the filter returns, before and after us.
add_action( 'wp_login_failed', fn( $name, $error ) => error_log( "failed log-in: $name by {$error->get_error_code()}" ), 10, 2 );
foreach ( array( 20, 35, PHP_INT_MAX ) as $hv_at ) {
	$hv_listener = function ( $user, $name ) use ( $hv_at ) {
		if ( is_wp_error( $user ) && array_diff( $user->get_error_codes(), array( 'empty_username', 'empty_password' ) ) ) {
			error_log( "wrong password at $hv_at: $name" );
		}
		return $user;
	};
	add_filter( 'authenticate', $hv_listener, $hv_at, 2 );
}
// They hide which part was wrong.
add_filter( 'login_errors', fn( $html ) => empty( $_POST['log'] ) ? $html : 'Incorrect user name or password.', 20 );
add_action( 'application_password_failed_authentication', fn( $error ) => error_log( "failed log-in: application by {$error->get_error_code()}" ) );
// WooCommerce's handler of its log-in form, and what it reports.
add_action( 'woocommerce_login_failed', fn() => error_log( 'failed log-in: shop' ) );
add_action(
	'wp_loaded',
	function () {
		if ( isset( $_POST['login'], $_POST['username'], $_POST['password'] ) ) {
			$errors = apply_filters( 'woocommerce_process_login_errors', new WP_Error(), $_POST['username'], $_POST['password'] );
			if ( $errors->get_error_code() ) {
				wc_add_notice( apply_filters( 'login_errors', $errors->get_error_message() ) );
				do_action( 'woocommerce_login_failed' );
			}
			wp_send_json( $GLOBALS['hv_notices'] ?? 'handled' );
		}
	},
	20
);
add_action( 'template_redirect', fn() => isset( $_POST['woocommerce-login-nonce'] ) && wp_send_json( $GLOBALS['hv_notices'] ) );

function wc_add_notice( string $text ): void {
	$GLOBALS['hv_notices'][] = $text;
}
// A template without wp_footer().
add_action(
	'template_redirect',
	function () {
		if ( ! isset( $_GET['bare'] ) ) {
			return;
		}
		$GLOBALS['post'] = get_post( 7 );
		setup_postdata( $GLOBALS['post'] );
		echo '<!doctype html><title>Landing</title>';
		'' === $_GET['bare'] ? comment_form( array(), 7 ) : hv_own_comment_form( 'tagged' === $_GET['bare'] );
		exit;
	}
);

/** The comment form of a theme that does not call comment_form(), with or without the template tag. */
function hv_own_comment_form( bool $is_tagged ): void {
	echo '<form method="post" action="/wp-comments-post.php"><input type="hidden" name="comment_post_ID" value="7">';
	echo '<input name="author"><input name="email"><textarea name="comment"></textarea>';
	echo '<input type="hidden" name="extra[a][]" value="one &amp;lt; &quot;two&quot;">';
	if ( $is_tagged ) {
		do_action( 'human_verification_widget', 'comment' );
	}
	echo '<button id="submit">Post</button></form>';
}

// WooCommerce's page of the account, whose template a theme has replaced: it fires no hook.
if ( get_option( 'hv_test_shop' ) ) {
	function wc_get_page_permalink( string $page ): string {
		return home_url( "/?shop=$page" );
	}
	function wc_lostpassword_url(): string {
		return home_url( '/?shop=lost' );
	}
}
add_action(
	'template_redirect',
	function () {
		if ( 'myaccount' === ( $_GET['shop'] ?? '' ) ) {
			exit( '<form method="post"><input name="username"><input type="hidden" name="woocommerce-login-nonce"></form>' );
		}
	}
);

// Plug-ins that filter the markup of their form.
const HV_FIELDS = array(
	'contact'     => '<p><input class="wpcf7-form-control wpcf7-submit" type="submit" value="Send"></p>',
	'elementor'   => '<div class="elementor-field-group elementor-field-type-submit"></div>',
	'gravity'     => '<input type="submit" class="gform_button" value="Send">',
	'login-other' => '[human_verification form="login-other"]<input name="log" value="member"><input name="pwd" value="correct horse">',
);
const HV_BUILDERS = array(
	'elementor'   => 'hv_send_to_elementor',
	'gravity'     => 'hv_send_to_gravity_forms',
	'login-other' => 'hv_log_in_by_signon',
);

/** Elementor's widget of a form, and what takes its errors: https://developers.elementor.com/docs/hooks/forms/ */
final class HV_Widget_Of_Elementor {
	public $errors   = array();
	public $messages = array();

	function get_name(): string {
		return 'form';
	}
	function add_error( $field, $sentence ): void {
		$this->errors[ $field ] = $sentence;
	}
	function add_error_message( $sentence ): void {
		$this->messages[] = $sentence;
	}
}

function hv_send_to_elementor(): array {
	$handler = new HV_Widget_Of_Elementor();
	do_action( 'elementor_pro/forms/validation', new stdClass(), $handler );
	return $handler->errors ? array( 'errors' => $handler->messages ) : array( 'sent' => true );
}

/** https://docs.gravityforms.com/gform_validation/ and /gform_abort_submission_with_confirmation/: `pages` has two, and the first is sent with `next`. */
function hv_send_to_gravity_forms(): array {
	$types  = isset( $_POST['pages'] ) ? array( 'text', 'page', 'text' ) : array( 'text' );
	$form   = array( 'fields' => array_map( fn( $type ) => (object) array( 'type' => $type ), $types ) );
	$result = apply_filters( 'gform_validation', array( 'is_valid' => true, 'form' => $form ), 'form-submit' );
	if ( ! $result['is_valid'] ) {
		return array( 'errors' => apply_filters( 'gform_validation_message', '', $form ) );
	}
	if ( isset( $_POST['next'] ) ) {
		return array( 'page' => 2 );
	}
	if ( apply_filters( 'gform_abort_submission_with_confirmation', false, $form ) ) {
		return array( 'errors' => apply_filters( 'gform_confirmation', '', $form, array(), false ) );
	}
	return array( 'sent' => true );
}

/** What a theme does with a log-in form of its own. */
function hv_log_in_by_signon(): array {
	$user = wp_signon( array( 'user_login' => $_POST['log'], 'user_password' => $_POST['pwd'] ) );
	return is_wp_error( $user ) ? array( 'errors' => $user->get_error_message() ) : array( 'sent' => true );
}

add_action(
	'template_redirect',
	function () {
		$name = $_GET['fixture'] ?? null;
		if ( null === $name ) {
			return;
		}
		$errors = new WP_Error();
		if ( 'POST' === $_SERVER['REQUEST_METHOD'] ) {
			if ( isset( HV_BUILDERS[ $name ] ) ) {
				wp_send_json( ( HV_BUILDERS[ $name ] )() );
			} elseif ( 'contact' === $name ) {
				wp_send_json( array( 'spam' => apply_filters( 'wpcf7_spam', false, null ) ) );
			} elseif ( 'wc-login' === $name ) {
				$errors = apply_filters( 'woocommerce_process_login_errors', $errors, 'member', 'x' );
			} elseif ( 'wc-registration' === $name ) {
				$errors = apply_filters( 'woocommerce_process_registration_errors', $errors, 'new', 'x', 'new@example.com' );
			} elseif ( 'wc-lost-password' === $name ) {
				do_action( 'lostpassword_post', $errors, false );
			} else {
				do_action( 'woocommerce_checkout_process' );
				// The checkout makes an account by the function that WooCommerce's other forms use, too.
				$errors = apply_filters( 'woocommerce_registration_errors', $errors, 'new', 'new@example.com' );
			}
			wp_send_json( array( 'errors' => $errors->get_error_messages(), 'notices' => $GLOBALS['hv_notices'] ?? array() ) );
		}
		ob_start();
		if ( isset( HV_FIELDS[ $name ] ) ) {
			echo apply_filters( $_GET['hook'] ?? 'wpcf7_form_elements', HV_FIELDS[ $name ], new HV_Widget_Of_Elementor() );
		} else {
			do_action( $_GET['hook'] );
		}
		$fields = ob_get_clean();
		printf( '<!doctype html><title>%1$s</title><form method="post" action="?fixture=%1$s"><input name="text" value="kept"><input type="hidden" name="wc_reset_password" value="true">%2$s<button>Go</button></form>', esc_html( $name ), $fields );
		exit;
	}
);

// The Store API of WooCommerce: its route, which a batch may call as well.
add_action(
	'rest_api_init',
	fn() => register_rest_route(
		'wc/store/v1',
		'/checkout',
		array(
			array(
				'methods'             => 'POST',
				'callback'            => fn() => array( 'order_id' => 1 ),
				'permission_callback' => '__return_true',
			),
			'allow_batch' => array( 'v1' => true ),
		)
	)
);
