// Makes a pass: you vouch for one visitor, who then needs no score. .NET 8, nothing else. Protocol: README.md beside this.
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

public static class Passes
{
    /// <summary>Returns a pass, made offline. Now and id are for tests. Throws ArgumentException for what is missing or wrong.</summary>
    public static string Make(string secret, string action, string hostname, int minutes = 30, long? now = null, string? id = null)
    {
        if (secret == "") throw new ArgumentException("secret");
        if (!Regex.IsMatch(action, @"\A[A-Za-z0-9_\-/.]{1,64}\z")) throw new ArgumentException("action");
        if (!Regex.IsMatch(hostname, @"\A[A-Za-z0-9_.\-]{1,253}\z")) throw new ArgumentException("hostname");
        if (minutes is < 1 or > 1440) throw new ArgumentException("minutes");
        var issued = now ?? DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        var jti = id ?? Base64Url(RandomNumberGenerator.GetBytes(16));
        // Nothing in these texts has to be escaped.
        var claims = FormattableString.Invariant(
            $"{{\"act\":\"{action}\",\"hst\":\"{hostname.ToLowerInvariant()}\",\"iat\":{issued},\"exp\":{issued + minutes * 60},\"jti\":\"{jti}\"}}");
        var signed = $"{Spelled("{\"alg\":\"HS256\",\"typ\":\"hv-pass+jwt\"}")}.{Spelled(claims)}";
        return $"{signed}.{Base64Url(HMACSHA256.HashData(KeyOf(secret), Encoding.UTF8.GetBytes(signed)))}";
    }

    /// <summary>HKDF-SHA-256 (RFC 5869) of the secret's hash, without a salt: the service holds that hash.</summary>
    private static byte[] KeyOf(string secret) =>
        HKDF.DeriveKey(HashAlgorithmName.SHA256, SHA256.HashData(Encoding.UTF8.GetBytes(secret)), 32,
            salt: [], info: Encoding.UTF8.GetBytes("human-verification/1/pass"));

    private static string Spelled(string text) => Base64Url(Encoding.UTF8.GetBytes(text));

    private static string Base64Url(byte[] bytes) => Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');

    public static int Main()
    {
        static string? Env(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? text : null;
        try
        {
            Console.WriteLine(Make(Env("HV_SECRET") ?? "", Env("HV_ACTION") ?? "", Env("HV_HOSTNAME") ?? "",
                int.Parse(Env("HV_MINUTES") ?? "30"), Env("HV_NOW") is { } now ? long.Parse(now) : null, Env("HV_ID")));
            return 0;
        }
        catch (Exception wrong) when (wrong is ArgumentException or FormatException or OverflowException)
        {
            Console.WriteLine("options");
            return 1;
        }
    }
}
