package io.github.humanverification.keycloak;

import jakarta.ws.rs.core.UriBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jboss.logging.Logger;
import org.keycloak.forms.login.LoginFormsProvider;
import org.keycloak.models.AuthenticatorConfigModel;
import org.keycloak.models.KeycloakSession;
import org.keycloak.provider.ProviderConfigProperty;
import org.keycloak.provider.ProviderConfigurationBuilder;
import org.keycloak.services.Urls;
import org.keycloak.theme.Theme;

/** What the forms share: the settings, the box in the page, and the question to the service. */
final class Check {
  static final String ACCEPTED = "accepted";
  /** What an administrator types in. */
  static final List<ProviderConfigProperty> SETTINGS = ProviderConfigurationBuilder.create()
      .property().name("service").label("Address of the service").required(true)
      .helpText("As this server reaches it: https://verify.example.com")
      .type(ProviderConfigProperty.STRING_TYPE).add()
      .property().name("sitekey").label("Sitekey").required(true)
      .helpText("The public name of the site: hv_site_…")
      .type(ProviderConfigProperty.STRING_TYPE).add()
      .property().name("secret").label("Secret").required(true)
      .helpText("The secret of the same site: hv_secret_…")
      .type(ProviderConfigProperty.PASSWORD).secret(true).add()
      .property().name("public").label("Address for browsers")
      .helpText("Only if browsers reach the service at another address.")
      .type(ProviderConfigProperty.STRING_TYPE).add()
      .build();

  private static final Logger LOG = Logger.getLogger(Check.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(3);
  /** The field of the form that the widget fills. By this name Keycloak does not take it for an attribute of a user. */
  private static final String FIELD = "g-recaptcha-response";
  /** The rules that say nothing about the visitor: the service gave no verdict. */
  private static final Set<String> NO_VERDICT = Set.of("options", "transport", "status", "shape");

  private final String action;

  /** @param action of this form; a token that was made for another form is refused. */
  Check(String action) {
    this.action = action;
  }

  /** Puts the box into the page that is made next. Without settings there is no box. */
  void addTo(LoginFormsProvider page, KeycloakSession session, AuthenticatorConfigModel model) {
    var settings = settings(model);
    var service = settings.getOrDefault("public", "").isBlank()
        ? settings.get("service")
        : settings.get("public");
    if (service == null) return;
    page.addScript(UriBuilder.fromPath(resources(session)).path("js/human-verification.js")
        .queryParam("service", "{service}").queryParam("sitekey", "{sitekey}")
        .queryParam("action", "{action}")
        .build(service, settings.getOrDefault("sitekey", ""), action).toString());
  }

  /** Asks the service about the form that was sent. Returns ACCEPTED, or the rule that refused. */
  String verify(KeycloakSession session, AuthenticatorConfigModel model) {
    var settings = settings(model);
    var context = session.getContext();
    var token = context.getHttpRequest().getDecodedFormParameters().getFirst(FIELD);
    var hostname = Objects.requireNonNullElse(context.getUri().getBaseUri().getHost(), "");
    var question = new Verify(settings.get("service"), settings.get("secret"), action,
        List.of(hostname), "", 0, TIMEOUT);
    var rule = ask(question, token);
    if (NO_VERDICT.contains(rule)) LOG.warnf("%s: no verdict, by rule %s", action, rule);
    return rule;
  }

  /** Returns the key of the message for a refused visitor, which does not name the rule. */
  static String message(String rule) {
    return NO_VERDICT.contains(rule) ? "humanVerificationUnavailable" : "humanVerificationRefused";
  }

  private static String ask(Verify question, String token) {
    try {
      return question.verify(token);
    } catch (IllegalArgumentException e) {
      // The address of the service is none.
      return "options";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "transport";
    }
  }

  private static Map<String, String> settings(AuthenticatorConfigModel model) {
    return model == null || model.getConfig() == null ? Map.of() : model.getConfig();
  }

  /** Returns the path of the theme's own files, of which human-verification.js is one. */
  private static String resources(KeycloakSession session) {
    var root = Urls.themeRoot(session.getContext().getUri().getBaseUri()).getPath();
    try {
      var theme = session.theme().getTheme(Theme.Type.LOGIN);
      return root + "/" + theme.getType().toString().toLowerCase(Locale.ROOT) + "/" + theme.getName();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
