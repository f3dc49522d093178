<?php
/**
 * Plugin Name: Human Verification
 * Description: Protects forms with a verification service that you run yourself. No puzzle, no cookie, no third party.
 * Version: 0.1.0
 * Requires at least: 5.9
 * Requires PHP: 7.4
 * License: Apache-2.0
 * License URI: https://www.apache.org/licenses/LICENSE-2.0
 * Text Domain: human-verification
 * Update URI: https://github.com/human-verification/human-verification
 *
 * Apache-2.0 is compatible with version 3 of the GPL, under which WordPress ("version 2 or later")
 * may be combined with it.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** The file that WordPress knows the plug-in by. */
const PLUGIN_FILE = __FILE__;

require_once __DIR__ . '/includes/settings.php';
require_once __DIR__ . '/includes/integrations.php';
require_once __DIR__ . '/includes/sanitize.php';
require_once __DIR__ . '/includes/addresses.php';
require_once __DIR__ . '/includes/verify.php';
require_once __DIR__ . '/includes/refusal.php';
require_once __DIR__ . '/includes/widget.php';
require_once __DIR__ . '/includes/connection.php';
require_once __DIR__ . '/includes/pages.php';
require_once __DIR__ . '/includes/settings-page.php';
require_once __DIR__ . '/includes/network.php';
require_once __DIR__ . '/includes/moving.php';
require_once __DIR__ . '/includes/moving-page.php';
require_once __DIR__ . '/includes/status.php';
require_once __DIR__ . '/includes/updates.php';

// Each file protects a form, or several alike. A form that is not protected gets no box and is not checked.
require_once __DIR__ . '/includes/forms/login.php';
require_once __DIR__ . '/includes/forms/other-login.php';
require_once __DIR__ . '/includes/forms/registration.php';
require_once __DIR__ . '/includes/forms/lost-password.php';
require_once __DIR__ . '/includes/forms/comment.php';
require_once __DIR__ . '/includes/forms/rest.php';
require_once __DIR__ . '/includes/forms/contact-form-7.php';
require_once __DIR__ . '/includes/forms/wpforms.php';
require_once __DIR__ . '/includes/forms/fluent-forms.php';
require_once __DIR__ . '/includes/forms/forminator.php';
require_once __DIR__ . '/includes/forms/ninja-forms.php';
require_once __DIR__ . '/includes/forms/elementor.php';
require_once __DIR__ . '/includes/forms/gravity-forms.php';
require_once __DIR__ . '/includes/forms/woocommerce-login.php';
require_once __DIR__ . '/includes/forms/woocommerce-registration.php';
require_once __DIR__ . '/includes/forms/woocommerce-lost-password.php';
require_once __DIR__ . '/includes/forms/woocommerce-checkout.php';
require_once __DIR__ . '/includes/forms/woocommerce-checkout-block.php';

if ( defined( 'WP_CLI' ) && \WP_CLI ) {
	require_once __DIR__ . '/includes/class-command.php';
}
