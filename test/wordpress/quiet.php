<?php
/** What the tests with other people's plug-ins put beside the plug-in, as mu-plugin: no mail leaves the machine. */
add_filter( 'pre_wp_mail', '__return_true' );
add_action( 'human_verification_refused', fn( $form, $rule ) => error_log( "refused: $form by $rule" ), 10, 2 );
