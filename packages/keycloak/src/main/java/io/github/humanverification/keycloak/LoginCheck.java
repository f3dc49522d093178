package io.github.humanverification.keycloak;

import jakarta.ws.rs.core.MultivaluedMap;
import java.util.List;
import org.keycloak.authentication.AuthenticationFlowContext;
import org.keycloak.authentication.Authenticator;
import org.keycloak.authentication.authenticators.browser.UsernamePasswordForm;
import org.keycloak.authentication.authenticators.browser.UsernamePasswordFormFactory;
import org.keycloak.models.KeycloakSession;
import org.keycloak.provider.ProviderConfigProperty;

/** Keycloak's form for username and password, which reads neither until the service has accepted the visitor. */
public final class LoginCheck extends UsernamePasswordForm {
  private static final Check CHECK = new Check("login");

  LoginCheck(KeycloakSession session) {
    super(session);
  }

  @Override
  public void authenticate(AuthenticationFlowContext context) {
    addBox(context);
    super.authenticate(context);
  }

  @Override
  public void action(AuthenticationFlowContext context) {
    addBox(context);
    super.action(context);
  }

  /** Keycloak calls it for a password only; a passkey, which nobody can guess, is not asked for a token. */
  @Override
  protected boolean validateForm(
      AuthenticationFlowContext context, MultivaluedMap<String, String> form) {
    var rule = CHECK.verify(context.getSession(), context.getAuthenticatorConfig());
    if (rule.equals(Check.ACCEPTED)) return super.validateForm(context, form);
    context.getEvent().error("human_verification_" + rule);
    // A failure would count as a wrong password of the user.
    context.forceChallenge(challenge(context, Check.message(rule), null));
    return false;
  }

  private static void addBox(AuthenticationFlowContext context) {
    CHECK.addTo(context.form(), context.getSession(), context.getAuthenticatorConfig());
  }

  /** What the admin console lists among the steps of a log-in. */
  public static final class Factory extends UsernamePasswordFormFactory {
    @Override
    public String getId() {
      return "human-verification-login";
    }

    @Override
    public String getDisplayType() {
      return "Human verification: username password form";
    }

    @Override
    public String getHelpText() {
      return "Username and password, after the visitor is verified. Replaces the Username Password Form.";
    }

    @Override
    public boolean isConfigurable() {
      return true;
    }

    @Override
    public List<ProviderConfigProperty> getConfigProperties() {
      return Check.SETTINGS;
    }

    @Override
    public Authenticator create(KeycloakSession session) {
      return new LoginCheck(session);
    }
  }
}
