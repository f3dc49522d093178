// Makes a pass: you vouch for one visitor, who then needs no score. JDK 17, nothing else. Protocol: README.md beside this.
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Pass {
    /** Returns a pass, made offline, that lives for 1 to 1,440 minutes. @throws IllegalArgumentException for what is missing or wrong */
    static String make(String secret, String action, String hostname, int minutes) {
        byte[] id = new byte[16];
        new SecureRandom().nextBytes(id);
        return make(secret, action, hostname, minutes, Instant.now().getEpochSecond(), base64url(id));
    }

    /** The same at a moment and with an id that are given: for tests. */
    static String make(String secret, String action, String hostname, int minutes, long now, String jti) {
        if (secret.isEmpty()) throw new IllegalArgumentException("secret");
        if (!action.matches("[A-Za-z0-9_\\-/.]{1,64}")) throw new IllegalArgumentException("action");
        if (!hostname.matches("[A-Za-z0-9_.\\-]{1,253}")) throw new IllegalArgumentException("hostname");
        if (minutes < 1 || minutes > 1440) throw new IllegalArgumentException("minutes");
        // Nothing in these texts has to be escaped.
        String claims = String.format(Locale.ROOT, "{\"act\":\"%s\",\"hst\":\"%s\",\"iat\":%d,\"exp\":%d,\"jti\":\"%s\"}",
            action, hostname.toLowerCase(Locale.ROOT), now, now + minutes * 60L, jti);
        String signed = base64url(utf8("{\"alg\":\"HS256\",\"typ\":\"hv-pass+jwt\"}")) + "." + base64url(utf8(claims));
        return signed + "." + base64url(hmac(keyOf(secret), utf8(signed)));
    }

    /** HKDF-SHA-256 (RFC 5869) of the secret's hash, without a salt: the service holds that hash. */
    private static byte[] keyOf(String secret) {
        try {
            byte[] prk = hmac(new byte[32], MessageDigest.getInstance("SHA-256").digest(utf8(secret)));
            return hmac(prk, utf8("human-verification/1/pass\u0001"));
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static byte[] hmac(byte[] key, byte[] message) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(message);
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String base64url(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public static void main(String[] args) {
        var env = System.getenv();
        String secret = env.getOrDefault("HV_SECRET", ""), action = env.getOrDefault("HV_ACTION", "");
        String hostname = env.getOrDefault("HV_HOSTNAME", ""), now = env.get("HV_NOW");
        try {
            int minutes = Integer.parseInt(env.getOrDefault("HV_MINUTES", "30"));
            System.out.println(now == null ? make(secret, action, hostname, minutes)
                : make(secret, action, hostname, minutes, Long.parseLong(now), env.get("HV_ID")));
        } catch (IllegalArgumentException wrong) {
            System.out.println("options");
            System.exit(1);
        }
    }
}
