import com.nimbusds.oauth2.sdk.*;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import com.nimbusds.oauth2.sdk.id.*;
import com.nimbusds.oauth2.sdk.token.*;
import com.nimbusds.oauth2.sdk.tokenexchange.TokenExchangeGrant;
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.*;
import net.minidev.json.JSONObject;
import net.minidev.json.JSONValue;

/** Exchanges an identity token with Nimbus. */
class TokenExchange {
  static final String url = System.getenv("HOSTING_URL");
  static final ClientID client = new ClientID("ci");
  static AuthorizationServerMetadata server;

  static TokenResponse exchange(String identityToken) throws Exception {
    var grant = new TokenExchangeGrant(new TypelessToken(identityToken), TokenTypeURI.ID_TOKEN);
    var request = new TokenRequest.Builder(server.getTokenEndpointURI(), client, grant).build();
    return TokenResponse.parse(request.toHTTPRequest().send());
  }

  static HttpResponse<String> me(BearerAccessToken token) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url + "/api/v1/auth/me"))
        .header("Authorization", token.toAuthorizationHeader()).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  public static void main(String[] args) throws Exception {
    server = AuthorizationServerMetadata.resolve(new Issuer(url));
    var token = exchange(System.getenv("IDENTITY_TOKEN")).toSuccessResponse().getTokens()
        .getBearerAccessToken();
    var before = me(token);
    var revocation = new TokenRevocationRequest(server.getRevocationEndpointURI(), client, token);
    revocation.toHTTPRequest().send().ensureStatusCode(200);
    var after = me(token);
    var refused = exchange(System.getenv("WRONG_TOKEN")).toErrorResponse().getErrorObject();
    var key = (JSONObject) ((JSONObject) JSONValue.parse(before.body())).get("key");
    System.out.println(JSONObject.toJSONString(Map.of(
        "statuses", List.of(before.statusCode(), after.statusCode()),
        "name", key.get("name"),
        "scope", token.getScope().toString(),
        "refused", refused.getCode())));
  }
}
