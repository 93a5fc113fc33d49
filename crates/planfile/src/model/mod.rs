//! What a plan's text may say: one table of keys per part. The doc comments here are the reference and the JSON Schema.

mod answer;
mod feed;
mod phase;
mod plan_text;
mod request;
mod scenario;
mod target;

pub(crate) use answer::{Capture, Check, ContentMatch};
pub(crate) use feed::{EndText, Feed, FeedOrderText, Rows};
pub(crate) use phase::{ArrivalsText, Load, Phase, SaturationText, SloText, Stage, Start, UserStage};
pub(crate) use plan_text::PlanText;
pub(crate) use request::{Body, Exchange, Pairs, Part, Request};
pub(crate) use scenario::{Action, CookiesText, Next, OrderText, Pause, Scenario, Step};
pub(crate) use target::{Connections, Target, Tls, TlsVersionText};
