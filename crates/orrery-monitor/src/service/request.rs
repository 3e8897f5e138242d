//! The way of a request: rate, token, route, body, answer.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

use super::connections::Connection;
use super::query::Query;
use super::refusal::Refusal;
use super::routes::{Access, Answer, Call, ROUTES, Route};
use super::state::State;

/// The name of unknown paths in counters.
const OTHER: &str = "other";

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
    connection.begin();
    let mut routes = ROUTES.iter().filter(|route| route.path == request.uri().path());
    let name = routes.next().map_or(OTHER, |route| route.path);
    let result = process(&state, address, request).await;
    let mut response = result.map_or_else(|refusal| refused(&refusal), answered);
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    state.counters.count_request(name, response.status().as_u16());
    connection.end();
    Ok(response)
}

/// The answer to a request, or why it is refused.
async fn process(
    state: &Arc<State>,
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
    // Held until the answer is made.
    let (body, _permit) =
        if route.method == "POST" { read_body(state, body).await? } else { (Bytes::new(), None) };
    (route.answer)(Arc::clone(state), Call { query, body }).await
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

/// Reads the body of a request within the limits of its size, of its time, and of the memory of all
/// bodies, of which the permit holds a part until it is dropped.
async fn read_body(
    state: &State,
    body: Incoming,
) -> Result<(Bytes, Option<tokio::sync::SemaphorePermit<'_>>), Refusal> {
    let limit = state.limits.body_bytes;
    let too_large = || {
        let message = format!("the body is larger than {limit} bytes; send fewer samples at once");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    let expected = body.size_hint();
    if expected.lower() > limit as u64 {
        return Err(too_large());
    }
    let kib = expected.upper().unwrap_or(limit as u64).min(limit as u64).div_ceil(1024);
    let permit = state.bodies.try_acquire_many(kib as u32).map_err(|_| Refusal::busy())?;
    let read =
        tokio::time::timeout(state.limits.body_timeout, Limited::new(body, limit).collect()).await;
    let read = read.map_err(|_| {
        Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body has not arrived in time; repeat the request",
        )
    })?;
    let read = read.map_err(|error| {
        if error.is::<LengthLimitError>() {
            too_large()
        } else {
            Refusal::bad("the body is not complete; repeat the request")
        }
    })?;
    Ok((read.to_bytes(), Some(permit)))
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
