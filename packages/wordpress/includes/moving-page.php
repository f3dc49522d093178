<?php
/**
 * The part of the settings page that moves from another plug-in.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

add_action( 'admin_post_' . PAGE . '-move', __NAMESPACE__ . '\handle_move' );

/** Prints what was found, a button for each plug-in, and the way back. */
function print_moving(): void {
	$found  = captchas_here();
	$before = get_option( OPTION_BEFORE );
	if ( ! $found && ! is_array( $before ) ) {
		return;
	}
	echo '<h2 id="hv-moving">' . esc_html__( 'Moving from another plug-in', 'human-verification' ) . '</h2>';
	foreach ( $found as $name => $forms ) {
		print_plugin_to_move_from( $name, $forms );
	}
	if ( is_array( $before ) ) {
		/* translators: %s: names of forms. */
		$sentence = __( 'Before the move these forms were protected here: %s.', 'human-verification' );
		$label    = __( 'Go back', 'human-verification' );
		print_move( sprintf( $sentence, labels_of( $before ) ), $label, '' );
	}
}

/**
 * Prints which forms a plug-in guards, and what to do.
 *
 * @param string   $name  Its name.
 * @param string[] $forms The forms that it guards, as keys of forms().
 */
function print_plugin_to_move_from( string $name, array $forms ): void {
	if ( ! array_diff( $forms, settings()['forms'] ) ) {
		/* translators: %s: a plug-in. */
		$sentence = __( 'Each form that %s guards is protected here.', 'human-verification' );
		$advice   = __(
			'Log in once in a private window, then deactivate it under Plugins, so that visitors are not asked twice.',
			'human-verification'
		);
		echo '<p>' . esc_html( sprintf( $sentence, $name ) . ' ' . $advice ) . '</p>';
		return;
	}
	/* translators: 1: a plug-in, 2: names of forms. */
	$sentence = __( '%1$s guards: %2$s.', 'human-verification' );
	$label    = __( 'Protect these forms here', 'human-verification' );
	print_move( sprintf( $sentence, $name, labels_of( $forms ) ), $label, $name );
}

/**
 * Prints a sentence with a button.
 *
 * @param string $sentence The sentence.
 * @param string $label    Of the button.
 * @param string $from     The plug-in to move from; '' goes back.
 */
function print_move( string $sentence, string $label, string $from ): void {
	echo '<form method="post" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '">';
	echo '<p>' . esc_html( $sentence ) . '</p>';
	echo '<input type="hidden" name="action" value="' . esc_attr( PAGE ) . '-move">';
	echo '<input type="hidden" name="from" value="' . esc_attr( $from ) . '">';
	wp_nonce_field( PAGE . '-move' );
	submit_button( $label, 'secondary', 'move' );
	echo '</form>';
}

/**
 * Returns the labels of forms.
 *
 * @param string[] $forms Keys of forms().
 */
function labels_of( array $forms ): string {
	$labels = array_column( array_intersect_key( forms(), array_flip( $forms ) ), 'label' );
	return $labels ? implode( ', ', $labels ) : __( 'none', 'human-verification' );
}

/** Moves, or goes back, and shows the settings page again. */
function handle_move(): void {
	check_admin_referer( PAGE . '-move' );
	if ( ! current_user_can( 'manage_options' ) ) {
		wp_die( esc_html__( 'Sorry, you are not allowed to do that.' ), 403 ); // phpcs:ignore WordPress.WP.I18n
	}
	$from = sanitize_text_field( wp_unslash( $_POST['from'] ?? '' ) );
	if ( '' === $from ) {
		move_back();
	} else {
		move_to_here( captchas_here()[ $from ] ?? array() );
	}
	set_transient( 'settings_errors', get_settings_errors(), 30 );
	wp_safe_redirect( admin_url( 'options-general.php?settings-updated=true&page=' . PAGE ) );
	exit;
}
