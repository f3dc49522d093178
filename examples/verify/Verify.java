// Verifies a response token by every rule of the specification; JDK 17, nothing else. Protocol: README.md beside this.
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

public final class Verify {
    static final Map<String, String> RULE_OF =
        Map.of("timeout-or-duplicate", "fresh", "action-mismatch", "action", "low-score", "score");

    /** What a handler knows beforehand. Threshold 0 to 1; remoteip may be empty; timeout in seconds, for everything. */
    record Site(String url, String secret, String action, List<String> hostnames, double threshold, String remoteip, double timeout) {}

    /** Returns "accepted" or the rule that failed. Refuses whatever is uncertain, and throws nothing. */
    static String verify(String response, Site site) {
        URI address;
        try {
            address = URI.create(site.url.replaceAll("/$", "") + "/api/v1/siteverify");
        } catch (IllegalArgumentException malformed) {
            return "options";
        }
        if (!List.of("http", "https").contains(String.valueOf(address.getScheme())) || address.getHost() == null) return "options";
        if (site.secret.isEmpty() || site.action.isEmpty() || site.hostnames.isEmpty()) return "options";
        if (!(site.threshold >= 0 && site.threshold <= 1) || !(site.timeout > 0 && site.timeout <= 60)) return "options";
        if (response == null || response.isEmpty() || response.length() > 2048) return "response";

        var fields = new LinkedHashMap<>(Map.of("secret", site.secret, "response", response, "action", site.action));
        fields.put("idempotency_key", UUID.randomUUID().toString());
        if (!site.remoteip.isEmpty()) fields.put("remoteip", site.remoteip);
        String form = fields.entrySet().stream()
            .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
        HttpRequest request = HttpRequest.newBuilder(address)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form)).build();
        long millis = Math.max(1, Math.round(site.timeout * 1000));
        // HTTP/1.1: no upgrade is offered to the service. Redirects are not followed unless one asks for it.
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofMillis(millis)).build();
        HttpResponse<String> answer = null;
        long ends = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        // Once more when the answer was lost on the way: the key tells the service that it is the same question.
        for (int tries = 0; answer == null && tries < 2 && System.nanoTime() < ends; tries++) {
            try {
                // The request's own time-out ends with the head of the answer; this one covers the body too.
                answer = client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).get(ends - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (Exception lost) {
                answer = null;
            }
        }
        if (answer == null) return "transport";
        return answer.statusCode() == 200 ? judge(answer.body(), site) : "status";
    }

    /** The rules in their order; a field of another type fails its own rule. */
    static String judge(String body, Site site) {
        Object json;
        try {
            json = new Json(body).whole();
        } catch (IllegalArgumentException | StackOverflowError malformed) {
            return "shape";
        }
        if (!(json instanceof Map<?, ?> answer)) return "shape";
        Object codes = answer.get("error-codes");
        if (!Boolean.TRUE.equals(answer.get("success"))) {
            if (codes instanceof List<?> list)
                for (Object code : list)
                    if (code instanceof String text && RULE_OF.containsKey(text)) return RULE_OF.get(text);
            return "success";
        }
        if (!List.of().equals(codes)) return "error-codes";
        if (!site.action.equals(answer.get("action"))) return "action";
        if (!(answer.get("hostname") instanceof String hostname)
            || site.hostnames.stream().noneMatch(own -> lower(own).equals(lower(hostname)))) return "hostname";
        if (!(answer.get("score") instanceof Double score) || !(answer.get("score_threshold") instanceof Double least)
            || !isShare(score) || !isShare(least) || score < least || score < site.threshold) return "score";
        if (!(answer.get("challenge_ts") instanceof String time)
            || !time.matches("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")) return "shape";
        return "accepted";
    }

    static String lower(String text) {
        return text.toLowerCase(Locale.ROOT); // never the machine's: in Turkish, I is not i
    }

    static boolean isShare(double value) {
        return value >= 0 && value <= 1;
    }

    /** The JDK reads no JSON: RFC 8259 into Map, List, String, Double, Boolean and null. A program with a JSON library uses that. */
    static final class Json {
        static final Pattern STRING = Pattern.compile("\"((?:[^\"\\\\\\x00-\\x1f]|\\\\(?:[\"\\\\/bfnrt]|u[0-9a-fA-F]{4}))*+)\"");
        static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");
        static final Pattern WORD = Pattern.compile("true|false|null");
        static final Pattern SPACE = Pattern.compile("[ \\t\\r\\n]*+");
        final String text;
        int at = 0;

        Json(String text) {
            this.text = text;
        }

        Object whole() {
            Object value = value();
            if (at < text.length()) throw new IllegalArgumentException();
            return value;
        }

        Object value() {
            take(SPACE);
            Object value;
            if (eat("{")) {
                var members = new HashMap<String, Object>();
                for (boolean more = !eat("}"); more; more = next("}")) {
                    take(SPACE);
                    String name = string(need(take(STRING)));
                    take(SPACE);
                    if (!eat(":")) throw new IllegalArgumentException();
                    members.put(name, value());
                }
                value = members;
            } else if (eat("[")) {
                var items = new ArrayList<Object>();
                for (boolean more = !eat("]"); more; more = next("]")) items.add(value());
                value = items;
            } else if (text.startsWith("\"", at)) {
                value = string(need(take(STRING)));
            } else {
                Matcher word = take(WORD);
                if (word == null) value = Double.valueOf(need(take(NUMBER)).group());
                else value = word.group().equals("null") ? null : Boolean.valueOf(word.group());
            }
            take(SPACE);
            return value;
        }

        boolean next(String end) {
            if (eat(end)) return false;
            if (!eat(",")) throw new IllegalArgumentException();
            return true;
        }

        boolean eat(String sign) {
            if (sign.equals("}") || sign.equals("]")) take(SPACE);
            if (!text.startsWith(sign, at)) return false;
            at += sign.length();
            return true;
        }

        Matcher take(Pattern pattern) {
            Matcher matcher = pattern.matcher(text).region(at, text.length());
            if (!matcher.lookingAt()) return null;
            at = matcher.end();
            return matcher;
        }

        Matcher need(Matcher matcher) {
            if (matcher == null) throw new IllegalArgumentException();
            return matcher;
        }

        String string(Matcher matcher) {
            return Pattern.compile("\\\\(u(....)|.)").matcher(matcher.group(1)).replaceAll(escape -> Matcher.quoteReplacement(
                escape.group(2) != null ? String.valueOf((char) Integer.parseInt(escape.group(2), 16))
                    : String.valueOf("\"\\/\b\f\n\r\t".charAt("\"\\/bfnrt".indexOf(escape.group(1))))));
        }
    }

    static double number(String name, double standard) {
        String text = System.getenv().getOrDefault(name, "");
        try {
            return text.isEmpty() ? standard : Double.parseDouble(text);
        } catch (NumberFormatException malformed) {
            return Double.NaN;
        }
    }

    public static void main(String[] args) throws IOException {
        var env = System.getenv();
        List<String> hostnames = Arrays.stream(env.getOrDefault("HV_HOSTNAMES", "").split(",")).filter(name -> !name.isEmpty()).toList();
        String verdict = verify(
            new String(System.in.readAllBytes(), StandardCharsets.UTF_8),
            new Site(env.getOrDefault("HV_URL", ""), env.getOrDefault("HV_SECRET", ""), env.getOrDefault("HV_ACTION", ""),
                hostnames, number("HV_THRESHOLD", 0), env.getOrDefault("HV_REMOTEIP", ""), number("HV_TIMEOUT", 3)));
        System.out.println(verdict);
        System.exit(verdict.equals("accepted") ? 0 : 1);
    }
}
