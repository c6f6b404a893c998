//! Signs in with the crate oauth2.
use oauth2::basic::{BasicClient, BasicTokenResponse};
use oauth2::{
    AccessToken, ClientId, DeviceAuthorizationUrl, DeviceCodeErrorResponse, HttpRequest,
    HttpResponse, RequestTokenError, RevocationUrl, Scope, StandardDeviceAuthorizationResponse,
    StandardRevocableToken, TokenResponse, TokenUrl,
};
use std::env::var;

type Outcome = Result<BasicTokenResponse, RequestTokenError<minreq::Error, DeviceCodeErrorResponse>>;

/// The crate leaves the transport to its user. It revokes over https only, which a local service does not have.
fn send(request: HttpRequest) -> Result<HttpResponse, minreq::Error> {
    let url = request.uri().to_string().replacen("https:", "http:", 1);
    let mut sent = minreq::post(url).with_body(request.body().clone());
    for (name, value) in request.headers() {
        sent = sent.with_header(name.as_str(), value.to_str().unwrap());
    }
    let received = sent.send()?;
    let mut response = oauth2::http::Response::builder().status(received.status_code as u16);
    for (name, value) in &received.headers {
        response = response.header(name, value);
    }
    Ok(response.body(received.into_bytes()).unwrap())
}

fn sign_in(scopes: &[&str]) -> Outcome {
    let url = var("HOSTING_URL").unwrap();
    let client = BasicClient::new(ClientId::new(var("HOSTING_CLIENT").unwrap()))
        .set_device_authorization_url(
            DeviceAuthorizationUrl::new(format!("{url}/oauth/device_authorization")).unwrap(),
        )
        .set_token_uri(TokenUrl::new(format!("{url}/oauth/token")).unwrap());
    let codes: StandardDeviceAuthorizationResponse = client
        .exchange_device_code()
        .add_scopes(scopes.iter().map(|scope| Scope::new(scope.to_string())))
        .request(&send)
        .unwrap();
    println!("{}", serde_json::json!({ "user_code": codes.user_code().secret() }));
    std::io::stdin().read_line(&mut String::new()).unwrap();
    client
        .exchange_device_access_token(&codes)
        .request(&send, std::thread::sleep, None)
}

fn revoke(token: &AccessToken) {
    let url = var("HOSTING_URL").unwrap().replacen("http:", "https:", 1);
    BasicClient::new(ClientId::new(var("HOSTING_CLIENT").unwrap()))
        .set_revocation_url(RevocationUrl::new(format!("{url}/oauth/revoke")).unwrap())
        .revoke_token(StandardRevocableToken::AccessToken(token.clone()))
        .unwrap()
        .request(&send)
        .unwrap();
}

fn error_of() -> String {
    match sign_in(&[]) {
        Err(RequestTokenError::ServerResponse(response)) => response.error().to_string(),
        other => panic!("{other:?}"),
    }
}

fn me(token: &AccessToken) -> (i32, serde_json::Value) {
    let response = minreq::get(format!("{}/api/v1/auth/me", var("HOSTING_URL").unwrap()))
        .with_header("Authorization", format!("Bearer {}", token.secret()))
        .send()
        .unwrap();
    let body: serde_json::Value = serde_json::from_slice(response.as_bytes()).unwrap();
    (response.status_code, body["key"]["name"].clone())
}

fn main() {
    let token = sign_in(&["sites:read", "dns:read"]).unwrap();
    let (before, name) = me(token.access_token());
    revoke(token.access_token());
    let (after, _) = me(token.access_token());
    let scopes: Vec<&str> = token.scopes().unwrap().iter().map(|scope| scope.as_str()).collect();
    println!(
        "{}",
        serde_json::json!({
            "statuses": [before, after],
            "name": name,
            "scope": scopes.join(" "),
            "denied": error_of(),
            "expired": error_of(),
        })
    );
}
