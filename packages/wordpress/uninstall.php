<?php
/**
 * Removes the one option that the plug-in has stored.
 *
 * @package HumanVerification
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;
delete_option( 'human_verification' );
