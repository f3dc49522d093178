package io.github.humanverification.keycloak;

import java.util.List;
import org.keycloak.authentication.AuthenticationFlowContext;
import org.keycloak.authentication.authenticators.resetcred.ResetCredentialChooseUser;
import org.keycloak.provider.ProviderConfigProperty;

/** Keycloak's form that asks whose credentials to reset; no mail is sent until the visitor is accepted. */
public final class ResetCredentialsCheck extends ResetCredentialChooseUser {
  private static final Check CHECK = new Check("reset-credentials");

  @Override
  public void authenticate(AuthenticationFlowContext context) {
    addBox(context);
    super.authenticate(context);
  }

  @Override
  public void action(AuthenticationFlowContext context) {
    addBox(context);
    var rule = CHECK.verify(context.getSession(), context.getAuthenticatorConfig());
    if (rule.equals(Check.ACCEPTED)) {
      super.action(context);
      return;
    }
    context.getEvent().error("human_verification_" + rule);
    context.forceChallenge(context.form().setError(Check.message(rule)).createPasswordReset());
  }

  private static void addBox(AuthenticationFlowContext context) {
    CHECK.addTo(context.form(), context.getSession(), context.getAuthenticatorConfig());
  }

  @Override
  public String getId() {
    return "human-verification-reset-credentials";
  }

  @Override
  public String getDisplayType() {
    return "Human verification: choose user";
  }

  @Override
  public String getHelpText() {
    return "Asks whose credentials to reset, and verifies the visitor. Replaces Choose User.";
  }

  @Override
  public boolean isConfigurable() {
    return true;
  }

  @Override
  public List<ProviderConfigProperty> getConfigProperties() {
    return Check.SETTINGS;
  }
}
