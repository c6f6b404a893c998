import com.nimbusds.oauth2.sdk.*;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import com.nimbusds.oauth2.sdk.device.*;
import com.nimbusds.oauth2.sdk.id.*;
import com.nimbusds.oauth2.sdk.token.BearerAccessToken;
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.*;
import net.minidev.json.JSONObject;
import net.minidev.json.JSONValue;

/** Signs in with Nimbus. */
class DeviceLogin {
  static final String url = System.getenv("HOSTING_URL");
  static final ClientID client = new ClientID(System.getenv("HOSTING_CLIENT"));
  static final Scanner input = new Scanner(System.in);
  static AuthorizationServerMetadata server;

  static TokenResponse signIn(Scope scope) throws Exception {
    var start = new DeviceAuthorizationRequest.Builder(client)
        .endpointURI(server.getDeviceAuthorizationEndpointURI()).scope(scope).build();
    var codes = DeviceAuthorizationResponse.parse(start.toHTTPRequest().send())
        .toSuccessResponse();
    show(Map.of("user_code", codes.getUserCode().getValue()));
    input.nextLine();
    var grant = new DeviceCodeGrant(codes.getDeviceCode());
    var poll = new TokenRequest.Builder(server.getTokenEndpointURI(), client, grant).build();
    return TokenResponse.parse(poll.toHTTPRequest().send());
  }

  static String errorOf() throws Exception {
    return signIn(null).toErrorResponse().getErrorObject().getCode();
  }

  static HttpResponse<String> me(BearerAccessToken token) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url + "/api/v1/auth/me"))
        .header("Authorization", token.toAuthorizationHeader()).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  static void show(Map<String, ?> value) {
    System.out.println(JSONObject.toJSONString(value));
  }

  public static void main(String[] args) throws Exception {
    server = AuthorizationServerMetadata.resolve(new Issuer(url));
    var token = signIn(new Scope("sites:read", "dns:read")).toSuccessResponse().getTokens()
        .getBearerAccessToken();
    var before = me(token);
    var revocation = new TokenRevocationRequest(server.getRevocationEndpointURI(), client, token);
    revocation.toHTTPRequest().send().ensureStatusCode(200);
    var after = me(token);
    var key = (JSONObject) ((JSONObject) JSONValue.parse(before.body())).get("key");
    show(Map.of(
        "statuses", List.of(before.statusCode(), after.statusCode()),
        "name", key.get("name"),
        "scope", token.getScope().toString(),
        "denied", errorOf(),
        "expired", errorOf()));
  }
}
