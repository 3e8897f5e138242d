//! The way of a request: rate, token, route, body, answer.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use tokio::time::timeout_at;

use super::connections::Connection;
use super::query::Query;
use super::refusal::Refusal;
use super::routes::{Access, Answer, Call, ROUTES, Route};
use super::state::State;

/// The name of unknown paths in counters.
const OTHER: &str = "other";

/// The time after which a body must have its minimum rate.
const BODY_GRACE: Duration = Duration::from_secs(3);

/// Headers of all answers: answers are not guessed to be of another type, not kept by caches and
/// not framed, and pages load from this service only.
const HEADERS: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src \
            'self' data:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
];

/// The response to a request, with its headers; counts it, and marks the connection as busy
/// meanwhile.
pub(super) async fn answer(
    state: Arc<State>,
    connection: Arc<Connection>,
    address: IpAddr,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    connection.begin_answer();
    let mut routes = ROUTES.iter().filter(|route| route.path == request.uri().path());
    let name = routes.next().map_or(OTHER, |route| route.path);
    let result = process(&state, &connection, address, request).await;
    let mut response = result.map_or_else(|refusal| refused(&refusal), answered);
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    state.counters.count_request(name, response.status().as_u16());
    connection.end_answer();
    Ok(response)
}

/// The answer to a request, or why it is refused.
async fn process(
    state: &Arc<State>,
    connection: &Connection,
    address: IpAddr,
    request: Request<Incoming>,
) -> Result<Answer, Refusal> {
    if !state.rates.admit(address, Instant::now()) {
        let message = format!(
            "more than {} requests per second; send fewer",
            state.limits.requests_per_second
        );
        return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, message));
    }
    let (head, body) = request.into_parts();
    let route = find(&head.method, head.uri.path());
    let is_open = route.as_ref().is_ok_and(|route| route.access == Access::Open);
    match &state.tokens {
        Some(tokens) => {
            let given = head.headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
            if !is_open && !tokens.admit(given) {
                let message =
                    "a valid token is needed: send the header 'Authorization: Bearer TOKEN'";
                return Err(Refusal::new(StatusCode::UNAUTHORIZED, message));
            }
        }
        None => check_origin(&head.headers)?,
    }
    let route = route?;
    let query = Query::parse(head.uri.query(), route.parameters())?;
    let mut bytes = Bytes::new();
    if route.method == "POST" {
        connection.begin_body();
        bytes = read_body(state, connection, body).await?;
        connection.begin_answer();
    }
    (route.answer)(Arc::clone(state), Call { query, body: bytes }).await
}

/// The route of a method and a path. Paths are compared as they are, so that none leads elsewhere.
fn find(method: &Method, path: &str) -> Result<&'static Route, Refusal> {
    let mut of_path = ROUTES.iter().filter(|route| route.path == path).peekable();
    if of_path.peek().is_none() {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "there is no such path; /openapi.json lists all",
        ));
    }
    let allowed: Vec<&str> = of_path.clone().map(|route| route.method).collect();
    of_path.find(|route| route.method == method.as_str()).ok_or_else(|| {
        let message = format!("the method is not allowed; allowed: {}", allowed.join(", "));
        Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message)
    })
}

/// Refuses requests that a page of another site makes in a browser of this host, as their headers
/// show: without tokens, the loopback address is the only protection.
fn check_origin(headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let host = text(header::HOST).unwrap_or("localhost");
    let name =
        host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    // A name of another site may have been resolved to the loopback address.
    let is_of_this_host = name == "localhost" || name.parse::<IpAddr>().is_ok();
    let is_of_this_page = text(header::ORIGIN)
        .is_none_or(|origin| origin.split_once("://").is_some_and(|(_, at)| at == host));
    if is_of_this_host && is_of_this_page {
        Ok(())
    } else {
        let message = "requests of pages of other sites are refused; use the address of the \
            service, such as 127.0.0.1";
        Err(Refusal::new(StatusCode::FORBIDDEN, message))
    }
}

/// Reads the body of a request within the limits of its size, its time and its rate, and of the
/// memory of all bodies, which it holds until the answer is made.
async fn read_body(
    state: &State,
    connection: &Connection,
    mut body: Incoming,
) -> Result<Bytes, Refusal> {
    let (limits, start) = (&state.limits, tokio::time::Instant::now());
    let too_large = || {
        let limit = limits.body_bytes;
        let message = format!("the body is larger than {limit} bytes; send fewer samples at once");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    if body.size_hint().lower() > limits.body_bytes as u64 {
        return Err(too_large());
    }
    let mut all = Vec::new();
    loop {
        let at_rate = Duration::from_secs_f64(all.len() as f64 / f64::from(limits.body_rate));
        let deadline = start + limits.body_timeout.min(BODY_GRACE + at_rate);
        let frame = timeout_at(deadline, body.frame()).await.map_err(|_| {
            Refusal::new(
                StatusCode::REQUEST_TIMEOUT,
                "the body has not arrived in time; repeat the request",
            )
        })?;
        let Some(frame) = frame else { return Ok(all.into()) };
        let frame =
            frame.map_err(|_| Refusal::bad("the body is not complete; repeat the request"))?;
        let Ok(part) = frame.into_data() else { continue };
        if all.len() + part.len() > limits.body_bytes {
            return Err(too_large());
        }
        if !connection.hold(part.len(), state.body_memory) {
            return Err(Refusal::busy());
        }
        all.extend_from_slice(&part);
    }
}

/// The response of an answer.
fn answered(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    response
}

/// The response of a refusal.
fn refused(refusal: &Refusal) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(refusal.body().into()));
    *response.status_mut() = refusal.status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    match refusal.status {
        StatusCode::UNAUTHORIZED => {
            drop(headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        // What is left of the body is not read.
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT => {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_other_sites_are_refused() {
        let check = |host: &'static str, origin: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static(host));
            origin.map(|origin| headers.insert(header::ORIGIN, HeaderValue::from_static(origin)));
            check_origin(&headers).is_ok()
        };
        assert!(
            check("127.0.0.1:7410", None)
                && check("localhost:7410", None)
                && check("[::1]:7410", None)
        );
        assert!(check("127.0.0.1:7410", Some("http://127.0.0.1:7410")));
        assert!(!check("evil.example:7410", None));
        assert!(!check("127.0.0.1:7410", Some("http://evil.example")));
        assert!(!check("127.0.0.1:7410", Some("null")));
        assert!(!check("127.0.0.1:7410", Some("http://127.0.0.1:80")));
    }

    #[test]
    fn paths_are_compared_as_they_are() {
        let status = |method: Method, path| {
            find(&method, path).map_or_else(|refusal| refusal.status.as_u16(), |_| 200)
        };
        assert_eq!(status(Method::GET, "/healthz"), 200);
        assert_eq!(status(Method::POST, "/healthz"), 405);
        for path in
            ["/../etc/passwd", "/v1/../healthz", "/%2e%2e/healthz", "//healthz", "/healthz/", ""]
        {
            assert_eq!(status(Method::GET, path), 404, "{path}");
        }
    }
}
