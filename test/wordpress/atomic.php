<?php
/**
 * Plugin Name: Stand-in for the sold part of Elementor's atomic forms
 *
 * Elementor has the form, its children and its script; Elementor Pro the fields, the button and the action that takes an
 * entry. These are as small as they can be.
 */
use Elementor\Modules\AtomicWidgets\Elements\Base\Atomic_Widget_Base;

defined( 'ELEMENTOR_PRO_VERSION' ) || define( 'ELEMENTOR_PRO_VERSION', '4.2.3' );

add_action(
	'elementor/experiments/default-features-registered',
	fn( $experiments ) => $experiments->add_feature( array( 'name' => 'e_pro_atomic_form', 'title' => 'Atomic Form', 'default' => 'active' ) )
);
add_action(
	'elementor/widgets/register',
	function ( $widgets ) {
		abstract class HV_Atomic_Widget extends Atomic_Widget_Base {
			public static function get_element_type(): string {
				return static::TYPE;
			}
			public function get_title() {
				return static::TYPE;
			}
			protected static function define_props_schema(): array {
				return array();
			}
			protected function define_atomic_controls(): array {
				return array();
			}
			protected function render() {
				printf( static::HTML, esc_attr( $this->get_interaction_id() ) );
			}
		}
		final class HV_Atomic_Input extends HV_Atomic_Widget {
			const TYPE = 'e-form-input';
			const HTML = '<input type="text" name="text" data-interaction-id="%s">';
		}
		final class HV_Atomic_Button extends HV_Atomic_Widget {
			const TYPE = 'e-form-submit-button';
			const HTML = '<button type="submit" data-interaction-id="%s">Send</button>';
		}
		$widgets->register( new HV_Atomic_Input() );
		$widgets->register( new HV_Atomic_Button() );
	}
);

/** Answers as Elementor Pro does, and logs the fields that it would mail: a token among them fails the test of the log. */
function hv_take_atomic_form(): void {
	if ( ! wp_verify_nonce( $_POST['_nonce'] ?? '', 'elementor_pro_atomic_forms_send_form' ) ) {
		wp_send_json_error( array( 'message' => 'nonce' ) );
	}
	error_log( 'mailed: ' . wp_json_encode( $_POST['form_fields'] ) );
	wp_send_json_success( array( 'message' => 'Sent' ) );
}
add_action( 'wp_ajax_elementor_pro_atomic_forms_send_form', 'hv_take_atomic_form' );
add_action( 'wp_ajax_nopriv_elementor_pro_atomic_forms_send_form', 'hv_take_atomic_form' );
