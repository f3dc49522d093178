using System.Text.Json;
using System.Text.RegularExpressions;

namespace HumanVerification;

/// <summary>Verifies a response token by all seven validation rules, with the base class library of
/// .NET 8. The threshold is 0 to 1, stricter than the site's own.</summary>
public sealed partial class Verifier(
    string url, string secret, string action, string[] hostnames, double threshold = 0)
{
    private static readonly Dictionary<string, string> RuleOf = new()
    {
        ["timeout-or-duplicate"] = "fresh",
        ["action-mismatch"] = "action",
        ["low-score"] = "score",
    };

    // A redirect is no verdict. The handler takes HTTPS_PROXY and NO_PROXY from the environment.
    private static readonly HttpClient Client = new(new SocketsHttpHandler
    {
        AllowAutoRedirect = false,
        PooledConnectionLifetime = TimeSpan.FromMinutes(5),
    })
    {
        MaxResponseContentBufferSize = 65536,
        Timeout = Timeout.InfiniteTimeSpan,
    };

    /// <summary>Returns "accepted" or the rule that failed. Refuses if uncertain.</summary>
    /// <param name="timeout">For the whole exchange; 3 seconds are enough.</param>
    public async Task<string> VerifyAsync(string? response, TimeSpan timeout, string remoteIp = "")
    {
        if (!Uri.TryCreate(url, UriKind.Absolute, out var uri)) return "options";
        if (uri.Scheme is not ("http" or "https") || secret == "" || action == "") return "options";
        if (hostnames.Length == 0 || hostnames.Contains("")) return "options";
        if (threshold is not (>= 0 and <= 1)) return "options";
        if (timeout <= TimeSpan.Zero || timeout > TimeSpan.FromMinutes(1)) return "options";
        if (response is not { Length: > 0 and <= 2048 }) return "response";
        var form = new Dictionary<string, string>
        {
            ["secret"] = secret,
            ["response"] = response,
            ["action"] = action,
            ["remoteip"] = remoteIp,
            ["idempotency_key"] = Guid.NewGuid().ToString(),
        };
        using var ends = new CancellationTokenSource(timeout);
        // A lost answer is asked for once more: the key says that it is the same question.
        for (var attempt = 0; attempt < 2 && !ends.IsCancellationRequested; attempt++)
        {
            try
            {
                return await AskAsync(form, ends.Token);
            }
            catch (Exception e) when (e is HttpRequestException or OperationCanceledException)
            {
            }
        }
        return "transport";
    }

    private async Task<string> AskAsync(Dictionary<string, string> form, CancellationToken ends)
    {
        var address = url.TrimEnd('/') + "/api/v1/siteverify";
        using var content = new FormUrlEncodedContent(form);
        // The whole body is read before this returns, within the time and the limit of its size.
        using var answer = await Client.PostAsync(address, content, ends);
        if ((int)answer.StatusCode != 200) return "status";
        return Judge(await answer.Content.ReadAsByteArrayAsync(ends));
    }

    private string Judge(byte[] body)
    {
        try
        {
            using var answer = JsonDocument.Parse(body);
            var isObject = answer.RootElement.ValueKind == JsonValueKind.Object;
            return isObject ? Judge(answer.RootElement) : "shape";
        }
        catch (JsonException)
        {
            return "shape";
        }
    }

    /// <summary>Applies the rules in order. A missing member is Undefined.</summary>
    private string Judge(JsonElement answer)
    {
        JsonElement Of(string name) => answer.TryGetProperty(name, out var value) ? value : default;
        string? TextOf(JsonElement value) =>
            value.ValueKind == JsonValueKind.String ? value.GetString() : null;
        double? ShareOf(JsonElement value) => value.ValueKind == JsonValueKind.Number
            && value.TryGetDouble(out var number) && number is >= 0 and <= 1 ? number : null;

        var codes = Of("error-codes");
        var isList = codes.ValueKind == JsonValueKind.Array;
        if (Of("success").ValueKind != JsonValueKind.True)
        {
            var texts = isList ? codes.EnumerateArray().Select(TextOf) : [];
            var known = texts.FirstOrDefault(code => code != null && RuleOf.ContainsKey(code));
            return known == null ? "success" : RuleOf[known];
        }
        if (!isList || codes.GetArrayLength() > 0) return "error-codes";
        if (TextOf(Of("action")) != action) return "action";
        var hostname = TextOf(Of("hostname"));
        if (!hostnames.Contains(hostname, StringComparer.OrdinalIgnoreCase)) return "hostname";
        var (score, least) = (ShareOf(Of("score")), ShareOf(Of("score_threshold")));
        // A comparison with null is false.
        if (!(score >= least && score >= threshold)) return "score";
        return TextOf(Of("challenge_ts")) is { } at && Time().IsMatch(at) ? "accepted" : "shape";
    }

    [GeneratedRegex(@"\A[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\z")]
    private static partial Regex Time();
}
