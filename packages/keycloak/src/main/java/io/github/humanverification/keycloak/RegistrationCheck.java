package io.github.humanverification.keycloak;

import java.util.List;
import org.keycloak.Config;
import org.keycloak.authentication.FormAction;
import org.keycloak.authentication.FormActionFactory;
import org.keycloak.authentication.FormContext;
import org.keycloak.authentication.ValidationContext;
import org.keycloak.forms.login.LoginFormsProvider;
import org.keycloak.models.AuthenticationExecutionModel.Requirement;
import org.keycloak.models.KeycloakSession;
import org.keycloak.models.KeycloakSessionFactory;
import org.keycloak.models.RealmModel;
import org.keycloak.models.UserModel;
import org.keycloak.models.utils.FormMessage;
import org.keycloak.provider.ProviderConfigProperty;

/** A step of the registration form: no account is made until the service has accepted the visitor. */
public final class RegistrationCheck implements FormAction, FormActionFactory {
  private static final Check CHECK = new Check("registration");

  @Override
  public void buildPage(FormContext context, LoginFormsProvider page) {
    CHECK.addTo(page, context.getSession(), context.getAuthenticatorConfig());
  }

  @Override
  public void validate(ValidationContext context) {
    var rule = CHECK.verify(context.getSession(), context.getAuthenticatorConfig());
    if (rule.equals(Check.ACCEPTED)) {
      context.success();
      return;
    }
    context.error("human_verification_" + rule);
    var form = context.getHttpRequest().getDecodedFormParameters();
    context.validationError(form, List.of(new FormMessage(Check.message(rule))));
    // The other steps would say which usernames are taken.
    context.excludeOtherErrors();
  }

  @Override
  public void success(FormContext context) {
  }

  @Override
  public boolean requiresUser() {
    return false;
  }

  @Override
  public boolean configuredFor(KeycloakSession session, RealmModel realm, UserModel user) {
    return true;
  }

  @Override
  public void setRequiredActions(KeycloakSession session, RealmModel realm, UserModel user) {
  }

  @Override
  public String getId() {
    return "human-verification-registration";
  }

  @Override
  public String getDisplayType() {
    return "Human verification";
  }

  @Override
  public String getHelpText() {
    return "Verifies the visitor before an account is made.";
  }

  @Override
  public String getReferenceCategory() {
    return null;
  }

  @Override
  public boolean isConfigurable() {
    return true;
  }

  @Override
  public Requirement[] getRequirementChoices() {
    return new Requirement[] {Requirement.REQUIRED, Requirement.DISABLED};
  }

  @Override
  public boolean isUserSetupAllowed() {
    return false;
  }

  @Override
  public List<ProviderConfigProperty> getConfigProperties() {
    return Check.SETTINGS;
  }

  @Override
  public FormAction create(KeycloakSession session) {
    return this;
  }

  @Override
  public void init(Config.Scope config) {
  }

  @Override
  public void postInit(KeycloakSessionFactory factory) {
  }

  @Override
  public void close() {
  }
}
