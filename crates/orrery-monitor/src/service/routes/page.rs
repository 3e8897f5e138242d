//! `GET /`: the live page, which fetches the other resources. It has no data of its own, so it is
//! open.

use super::super::state::State;
use super::{Access, Answer, Answering, Call, Route, ready};
use std::sync::Arc;

pub(super) const DOCUMENT: Route =
    file("/", |_, _| text("text/html; charset=utf-8", include_str!("page/page.html")));

pub(super) const SCRIPT: Route =
    file("/page.js", |_, _| text("text/javascript; charset=utf-8", include_str!("page/page.js")));

pub(super) const STYLE: Route =
    file("/page.css", |_, _| text("text/css; charset=utf-8", include_str!("page/page.css")));

/// The route of a file of the page.
const fn file(path: &'static str, answer: fn(Arc<State>, Call) -> Answering) -> Route {
    Route { method: "GET", path, access: Access::Open, answer }
}

fn text(content_type: &'static str, text: &'static str) -> Answering {
    ready(Ok(Answer::of(content_type, text)))
}
