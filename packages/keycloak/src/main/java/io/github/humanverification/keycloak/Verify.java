package io.github.humanverification.keycloak;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Verifies a response token by all seven validation rules. Java 17 and jackson-databind.
 * remoteIp may be empty; threshold is 0 to 1; timeout is for the whole exchange (3 seconds).
 * A proxy is set by -Dhttps.proxyHost and -Dhttps.proxyPort.
 */
record Verify(String url, String secret, String action, List<String> hostnames,
    String remoteIp, double threshold, Duration timeout) {

  private static final Map<String, String> RULE_OF = Map.of(
      "timeout-or-duplicate", "fresh", "action-mismatch", "action", "low-score", "score");
  private static final String TIME = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}";
  /** Follows no redirect, which is no verdict. */
  private static final HttpClient CLIENT = HttpClient.newBuilder()
      .followRedirects(HttpClient.Redirect.NEVER).version(HttpClient.Version.HTTP_1_1).build();
  private static final ObjectMapper JSON = new ObjectMapper()
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** Returns "accepted" or the rule that failed. Refuses whatever is uncertain. */
  String verify(String response) throws InterruptedException {
    if (url == null || !url.matches("https?://.+")) return "options";
    if (isBlank(secret) || isBlank(action)) return "options";
    if (hostnames.isEmpty() || hostnames.contains("")) return "options";
    if (!(threshold >= 0 && threshold <= 1)) return "options";
    if (timeout.isNegative() || timeout.isZero() || timeout.toSeconds() > 60) return "options";
    if (isBlank(response) || response.length() > 2048) return "response";
    var form = form(Map.of("secret", secret, "response", response, "action", action,
        "remoteip", remoteIp, "idempotency_key", UUID.randomUUID().toString()));
    var address = URI.create(url.replaceAll("/$", "") + "/api/v1/siteverify");
    var request = HttpRequest.newBuilder(address)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(form)).build();
    long ends = System.nanoTime() + timeout.toNanos();
    // A lost answer is asked for once more: the key tells the service that it is the same question.
    for (int attempt = 0; attempt < 2 && System.nanoTime() < ends; attempt++) {
      var asked = CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
      try {
        // A time-out of the request would end with the headers; this one includes the body.
        var answer = asked.get(ends - System.nanoTime(), TimeUnit.NANOSECONDS);
        return answer.statusCode() == 200 ? judge(answer.body()) : "status";
      } catch (ExecutionException | TimeoutException e) {
        asked.cancel(true);
      }
    }
    return "transport";
  }

  /** Leaves the secret out, unlike the one that a record is given. */
  @Override
  public String toString() {
    return "Verify[" + url + ", " + action + "]";
  }

  private static boolean isBlank(String text) {
    return text == null || text.isEmpty();
  }

  private static String form(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(e -> e.getKey() + "=" + URLEncoder.encode(e.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  /** Applies the rules in order, to exact types: asBoolean() and asDouble() also read texts. */
  private String judge(byte[] body) {
    JsonNode answer;
    try {
      answer = JSON.readTree(body);
    } catch (IOException e) {
      return "shape";
    }
    if (!answer.isObject()) return "shape";
    var codes = answer.path("error-codes");
    var success = answer.path("success");
    if (!success.isBoolean() || !success.booleanValue()) {
      for (var code : codes) {
        if (RULE_OF.containsKey(code.asText())) return RULE_OF.get(code.asText());
      }
      return "success";
    }
    if (!codes.isArray() || !codes.isEmpty()) return "error-codes";
    if (!action.equals(answer.path("action").textValue())) return "action";
    var hostname = answer.path("hostname").textValue();
    if (hostnames.stream().noneMatch(own -> own.equalsIgnoreCase(hostname))) return "hostname";
    var score = answer.path("score");
    var least = answer.path("score_threshold");
    if (!isShare(score) || !isShare(least)) return "score";
    if (score.doubleValue() < Math.max(least.doubleValue(), threshold)) return "score";
    var moment = answer.path("challenge_ts").textValue();
    return moment != null && moment.matches(TIME) ? "accepted" : "shape";
  }

  private static boolean isShare(JsonNode value) {
    return value.isNumber() && value.doubleValue() >= 0 && value.doubleValue() <= 1;
  }
}
